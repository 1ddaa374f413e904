"""Probes: a whole plan is executed, and what its skills lose right after each other is learned."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from asking import ask, only
from runs import events

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.robot import Result, Trial
from deliberate_practice.practice.run import run
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.practice.showing.session_data import session_data
from deliberate_practice.practice.showing.trial_data import trial_data
from deliberate_practice.practice.telling import TellError
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.strategies.strategy import Decision, Situation
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import parse_task

SHELF = """
name = "cups"
[variables]
cup = ["table", "hand", "over", "shelf", "box"]
[[goals]]
name = "shelved"
reward = 2
when = { cup = "shelf" }
[[goals]]
name = "boxed"
reward = 0.4
when = { cup = "box" }
[[skills]]
name = "Pick"
precondition = { cup = "table" }
effect = { cup = "hand" }
competence = 0.6
curve = { kind = "piecewise-linear", rate = 0.03 }
[[skills]]
name = "Lift"
precondition = { cup = "hand" }
effect = { cup = "over" }
competence = 0.97
[[skills]]
name = "Place"
precondition = { cup = "over" }
effect = { cup = "shelf" }
competence = 0.5
curve = { kind = "piecewise-linear", rate = 0.03 }
[[skills]]
name = "Box"
precondition = { cup = "hand" }
effect = { cup = "box" }
competence = 0.95
"""
GAPS = """
[[gaps]]
before = "Lift"
policy = "Place"
lost = 0.6
"""
PLAN = ("Pick", "Lift", "Place")


@pytest.fixture
def cups() -> Task:
    return parse_task(SHELF + GAPS)


@pytest.fixture
def session(cups: Task, tmp_path: Path) -> Iterator[Session]:
    options: dict[str, Any] = {"strategy": only("Place"), "approach": "free"}
    with start_session(tmp_path / "a.db", "probed", cups, 40, **options) as session:
        yield session


def probe(session: Session, outcome: str = "success", at: str | None = None) -> Trial:
    trial = session.ask(probe=True)
    assert trial is not None
    session.tell(trial.id, outcome, at)
    return trial


def executed(session: Session) -> dict[tuple[str, str], tuple[int, int]]:
    """Executions and successes of each pair."""
    pairs = session.state.gaps.pairs()
    return {(one.before, one.policy): (one.executions, one.successes) for one in pairs}


def test_a_probe_executes_the_whole_plan_as_it_is_deployed(session: Session) -> None:
    trial = session.ask(probe=True)
    assert trial is not None
    assert tuple(step.skill for step in trial.steps) == PLAN
    assert trial.mode == "deploy"
    assert session.state.spent == 1
    data = trial_data(session.state, session.state.records[trial.id])
    assert data["kind"] == "probe"
    assert data["instruction"] == "execute the whole plan: Pick, Lift, Place"
    assert data["reason"].startswith("probing the whole plan: its skills may fail right after")
    assert session.ask(probe=True) == trial  # it is open, and offered again


def test_the_place_of_a_failure_is_evidence_of_the_pairs_up_to_it(session: Session) -> None:
    probe(session)
    assert executed(session) == {("Pick", "Lift"): (1, 1), ("Lift", "Place"): (1, 1)}
    probe(session, "unreached", "Lift")
    probe(session, "failure")
    assert executed(session) == {("Pick", "Lift"): (3, 2), ("Lift", "Place"): (2, 1)}
    probe(session, "unreached", "Pick")
    assert executed(session) == {("Pick", "Lift"): (3, 2), ("Lift", "Place"): (2, 1)}


def test_competence_learns_only_from_the_first_skill(session: Session) -> None:
    """With free approaches the others were practised where a person sets the scene."""
    for outcome in ("success", "failure"):
        probe(session, outcome)
    probe(session, "unreached", "Pick")
    (batch,) = session.state.batches["Pick"]
    assert (batch.attempts, batch.successes, batch.explore) == (3, 2, False)
    assert list(session.state.batches) == ["Pick"]
    assert set(session.state.attempts.values()) == {0}


def test_failures_lower_the_forecast_and_change_the_plan(session: Session) -> None:
    before = session.forecast()
    assert before.gaps == ()
    probes = 0
    while session_data(session)["plan"] == list(PLAN):
        probe(session, "failure")
        probes += 1
    assert 1 <= probes <= 20
    after = session.forecast()
    assert session.state.losses.kept("Lift", "Place") < 0.8
    assert after.value < before.value
    loss = after.gaps[0]
    assert (loss.before, loss.policy, loss.successes) == ("Lift", "Place", 0)
    assert loss.executions == probes
    assert loss.low <= loss.points <= loss.high
    data = session_data(session)
    assert data["probes"] == probes
    assert data["plan"] == ["Pick", "Box"]  # worth less, but it works
    assert data["forecast"]["gaps"][0]["policy"] == "Place"


def test_aborted_and_assisted_probes_are_no_evidence(session: Session) -> None:
    probe(session, "aborted")
    probe(session, "assisted")
    assert not session.state.losses
    session.refund(1)
    assert session.state.spent == 1
    probe(session)
    assert session.state.losses


def test_a_corrected_probe_counts_as_it_was(session: Session) -> None:
    trial = probe(session)
    session.correct(trial.id, "unreached", "Lift")
    assert executed(session) == {("Pick", "Lift"): (1, 0)}


def test_a_refused_probe_is_a_failure_of_its_last_skill(session: Session) -> None:
    before = session.state.competences["Place"]
    probe(session, "refused")
    assert session.state.competences["Place"] < before
    assert session.state.spent == 1


def test_executed_approaches_show_pairs_once_a_plan_was_probed(tmp_path: Path) -> None:
    options: dict[str, Any] = {"strategy": only("Place"), "approach": "execute"}
    cups = parse_task(SHELF.replace("reward = 0.4", "reward = 0.01"))
    with start_session(tmp_path / "a.db", "all", cups, 60, **options) as session:
        for _ in range(10):
            session.tell(ask(session).id, "unreached", "Lift")
        assert not session.state.losses  # a session without probes counts no gaps
        believed = session.state.competences
        probe(session)
        pairs = executed(session)
        assert pairs["Pick", "Lift"] == (11, 1)
        assert session.state.gaps.pairs()[0].gap > 0.5
        assert session.state.competences["Pick"] >= believed["Pick"]
        session.tell(ask(session).id, "success")  # Place is practised right after Lift from now on
        assert ("Lift", "Place") not in executed(session)
        assert session.state.losses.kept("Lift", "Place") == 1
        assert session.state.batches["Place"][-1].attempts == 1
        assert tuple(step.skill for step in probe(session, "failure").steps) == PLAN
        assert sum(batch.attempts for batch in session.state.batches["Place"]) == 2


class Stopped(Exception):
    """Somebody pulled the plug."""


def stop_at(number: int) -> Callable[[Session, Trial, Result], None]:
    def progress(session: Session, trial: Trial, result: Result) -> None:
        if trial.id == number:
            raise Stopped

    return progress


@pytest.mark.parametrize("approach", ["free", "execute"])
def test_stopped_and_resumed_it_is_the_same_session(
    cups: Task, tmp_path: Path, approach: Any
) -> None:
    db = tmp_path / "a.db"
    options: dict[str, Any] = {"strategy": "deliberate:probes=auto", "approach": approach}
    options |= {"journal": db, "seed": 4}
    whole = run(cups, "curves", 60, name="whole", **options)
    assert whole.probes >= 3

    parts = None
    for stop in (1, 20, 40, 50, 55, 1000):
        with contextlib.suppress(Stopped):
            progress = stop_at(stop)
            parts = run(cups, "curves", 60, name="parts", resume=True, progress=progress, **options)
    assert parts is not None
    assert events(db, "parts") == events(db, "whole")
    assert parts.probes == whole.probes
    with open_session(db, "whole") as one, open_session(db, "parts") as two:
        assert one.forecast() == two.forecast()


def test_probes_find_the_gap_and_make_the_forecast_honest(cups: Task, tmp_path: Path) -> None:
    errors = {}
    for probes in ("never", "auto"):
        found = []
        for seed in range(6):
            done = run(
                cups,
                CurveRobot(cups, seed),
                80,
                strategy=f"deliberate:probes={probes}",
                approach="free",
                seed=seed,
                journal=None,
            )
            assert done.reward_after is not None
            found.append(abs(done.expected_reward - done.reward_after))
        errors[probes] = sum(found)
    assert errors["auto"] < 0.5 * errors["never"]


def test_bad_requests_are_refused(session: Session, cups: Task, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="not both"):
        session.ask(probe=True, evaluate="Pick")
    with pytest.raises(ArgumentError, match="probe"):
        session.ask(probe="yes")  # type: ignore[arg-type]
    session.block("Lift")
    with pytest.raises(ArgumentError, match="'Lift' is blocked"):
        session.ask(probe=True)
    session.unblock("Lift")
    trial = ask(session)
    with pytest.raises(ArgumentError, match=f"probe: trial {trial.id} .* is still open"):
        session.ask(probe=True)
    session.tell(trial.id, "success")
    probed = session.ask(probe=True)
    assert probed is not None
    with pytest.raises(TellError, match="say at which skill"):
        session.tell(probed.id, "unreached")
    with (
        start_session(tmp_path / "b.db", "poor", cups, 0, approach="free") as poor,
        pytest.raises(ArgumentError, match="it costs 1, and 0 of the budget are left"),
    ):
        poor.ask(probe=True)
    short = parse_task(SHELF.replace('when = { cup = "shelf" }', 'when = { cup = "hand" }'))
    with (
        start_session(tmp_path / "b.db", "short", short, 9, approach="free") as nothing,
        pytest.raises(ArgumentError, match="the present plan has 1 skill"),
    ):
        nothing.ask(probe=True)


def test_tasks_whose_rules_are_no_plans_are_not_probed(tmp_path: Path) -> None:
    text = SHELF.replace("competence = 0.97", 'competence = 0.97\nfailure = { cup = "table" }')
    with (
        start_session(tmp_path / "a.db", "rules", parse_task(text), 9) as session,
        pytest.raises(ArgumentError, match="more than plans"),
    ):
        session.ask(probe=True)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (("Pick",), "a probe needs at least 2"),
        (("Pick", "Drop"), "Drop"),
        (PLAN, "probes the blocked skill 'Lift'"),
    ],
)
def test_a_strategy_that_probes_nonsense_is_named(
    cups: Task, tmp_path: Path, plan: tuple[str, ...], message: str
) -> None:
    def strategy(situation: Situation) -> Decision:
        return Decision("Place", 1, plan, probe=True)

    with start_session(tmp_path / "a.db", "s", cups, 9, strategy=strategy, approach="free") as s:
        s.block("Lift")
        with pytest.raises(Exception, match=message):
            s.ask()
