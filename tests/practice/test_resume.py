"""Runs that are resumed: the same session under the same conditions, and under no others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runs import Fragile, Physical, events, measured_at, same, stubborn

from deliberate_practice.foundation.errors import ArgumentError, PartFailed
from deliberate_practice.practice.domain import DOMAINS, Domain, Scene, register_domain
from deliberate_practice.practice.robot import Result, Trial
from deliberate_practice.practice.run import run
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.task.model import Task


class Stopped(Exception):
    """Somebody pulled the plug."""


def stop_after(count: int) -> Callable[[Session, Trial, Result], None]:
    told: list[int] = []

    def progress(session: Session, trial: Trial, result: Result) -> None:
        told.append(trial.id)
        if len(told) == count:
            raise Stopped

    return progress


@pytest.mark.parametrize("kind", [Fragile, Physical])
@pytest.mark.parametrize("every", [None, 7])
def test_stopped_and_resumed_it_is_the_same_session(
    shelf: Task, db: Path, kind: type[Fragile], every: int | None
) -> None:
    """Whether it is stopped after a trial was told, or the robot breaks in the middle of one."""
    options: dict[str, Any] = {"journal": db, "every": every, "executions": 20, "seed": 3}
    whole = run(shelf, kind(shelf), 60, name="whole", **options)
    with pytest.raises(Stopped):
        run(shelf, kind(shelf), 60, name="parts", progress=stop_after(1), **options)
    for count in (1, 4, 5, 9):
        with pytest.raises(Stopped):
            run(
                shelf,
                kind(shelf),
                name="parts",
                resume=True,
                progress=stop_after(count),
                **options,
            )
        with pytest.raises(PartFailed, match="raised OSError: motor fault"):
            run(shelf, kind(shelf, 2), name="parts", resume=True, **options)
    parts = run(shelf, kind(shelf), name="parts", resume=True, **options)
    assert events(db, "parts") == events(db, "whole")
    assert same(parts, whole)
    again = run(shelf, kind(shelf), name="parts", resume=True, **options)
    assert same(again, whole)  # once it is over, nothing happens
    assert events(db, "parts") == events(db, "whole")


def test_resumed_with_the_same_conditions_said_again(shelf: Task, db: Path) -> None:
    options: dict[str, Any] = {
        "strategy": "uniform",
        "belief": "running-average",
        "learner": "cma-es-paper",
        "approach": "free",
        "seed": 7,
    }
    done = run(shelf, "regions", 20, journal=db, name="s", **options)
    assert same(done, run(shelf, "regions", 20, journal=db, name="s", resume=True, **options))
    assert same(done, run(shelf, None, journal=db, name="s", resume=True))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"strategy": "random"}, "strategy: 'random' differs from 'uniform'"),
        ({"strategy": stubborn}, r"strategy: 'stubborn\(\)' differs from 'uniform'"),
        ({"belief": "running-average"}, "belief: 'running-average' differs from 'bayes'"),
        ({"learner": "cma-es-paper"}, "learner: 'cma-es-paper' differs from 'cma-es'"),
        ({"approach": "free"}, "approach: 'free' differs from 'execute'"),
        ({"seed": 0}, "seed: 0 differs from 7"),
        ({"robot": "curves"}, "robot: 'curves' differs from 'regions'"),
        ({"robot": "regions:noise=0.3"}, "robot: 'regions:noise=0.3' differs from 'regions'"),
        ({"budget": 21}, "budget: 21 differs from 20.*More budget: deliberate extend s"),
        ({"task": "counterexample"}, r"was started on another task \('shelf'"),
    ],
)
def test_resumed_under_other_conditions_it_is_refused(
    shelf: Task, db: Path, changed: dict[str, Any], message: str
) -> None:
    run(shelf, "regions", 20, journal=db, name="s", strategy="uniform", seed=7)
    before = events(db, "s")
    with pytest.raises(ArgumentError, match=message):
        run(
            **{
                "task": shelf,
                "robot": None,
                "journal": db,
                "name": "s",
                "resume": True,
                **changed,
            }
        )
    assert events(db, "s") == before


def test_a_robot_object_does_not_go_on_with_the_session_of_another(shelf: Task, db: Path) -> None:
    run(shelf, "regions", 20, journal=db, name="s")
    with pytest.raises(ArgumentError, match=r"robot: 'Fragile\(\)' differs from 'regions'"):
        run(shelf, Fragile(shelf), journal=db, name="s", resume=True)


def test_an_extended_session_goes_on_with_either_budget(shelf: Task, db: Path) -> None:
    run(shelf, "regions", 20, journal=db, name="s")
    with open_session(db, "s") as session:
        session.extend(10)
    done = run(shelf, "regions", 30, journal=db, name="s", resume=True)
    assert done.budget == 30
    assert 28 <= done.spent <= 30
    assert same(done, run(shelf, "regions", 20, journal=db, name="s", resume=True))
    assert done.reward_before is not None
    assert measured_at(done)[0] == 0


def test_resume_says_what_it_lacks(shelf: Task, db: Path) -> None:
    for options in ({"journal": db}, {"journal": None, "name": "s"}):
        with pytest.raises(ArgumentError, match="resume: say which session"):
            run(shelf, None, 5, resume=True, **options)
    with pytest.raises(ArgumentError, match=r"there is no session 's' in .* With a budget"):
        run(shelf, None, journal=db, name="s", resume=True)
    assert not db.exists()
    assert run(shelf, None, 5, journal=db, name="s", resume=True).spent > 0  # then it is started
    with start_session(db, "asked", shelf, 5):
        pass
    with pytest.raises(ArgumentError, match="robot of your own; go on with: deliberate ask asked"):
        run(shelf, None, journal=db, name="asked", resume=True)


def test_a_part_without_a_name_is_given_again(shelf: Task, db: Path) -> None:
    done = run(shelf, "regions", 20, journal=db, name="s", strategy=stubborn)
    with open_session(db, "s", strategy=stubborn) as session:
        session.extend(10)
    with pytest.raises(ArgumentError, match="give it again: strategy=stubborn"):
        run(shelf, None, journal=db, name="s", resume=True)
    longer = run(shelf, None, journal=db, name="s", resume=True, strategy=stubborn)
    assert longer.spent > done.spent


def test_a_session_goes_on_in_the_scene_that_it_records(shelf: Task, db: Path) -> None:
    table = ["table: oak"]
    scene = Scene(CurveRobot, description=lambda: table[0], choice="Set TABLE to oak or glass.")
    register_domain("shelves", Domain("shelves", lambda: shelf, {"curves": scene}))
    try:
        options: dict[str, Any] = {"journal": db, "name": "s"}
        done = run("shelves", "curves", 20, **options)
        assert same(done, run("shelves", None, resume=True, **options))
        with open_session(db, "s") as session:
            assert session.settings.scene == "table: oak"
        table[0] = "table: glass"
        with pytest.raises(ArgumentError) as refused:
            run("shelves", None, resume=True, **options)
        assert str(refused.value) == (
            "resume: session 's' was started with table: oak, and now there is table: glass; make "
            "it as it was, or choose another name (--name). Set TABLE to oak or glass."
        )
        with pytest.raises(ArgumentError, match="robot: 'regions' differs from 'curves'"):
            run("shelves", "regions", resume=True, **options)  # which has no scene
    finally:
        DOMAINS.unregister("shelves")
