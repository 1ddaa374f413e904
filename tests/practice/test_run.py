"""The one verb: new sessions, resumed ones, and what is seen of them on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from runs import Fragile, Physical, events, measured_at, same, stubborn

from deliberate_practice.foundation.errors import ArgumentError, PartFailed
from deliberate_practice.learners.cma_es import CmaEs
from deliberate_practice.practice.journal.events import Executed
from deliberate_practice.practice.journal.journal import NameTaken
from deliberate_practice.practice.robot import Result, Trial
from deliberate_practice.practice.run import run
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session, session_names, start_session
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.robots.regions import RegionRobot
from deliberate_practice.strategies.strategy import Decision
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_writer import write_task


def test_a_new_session_is_practised_measured_and_kept(shelf: Task, db: Path) -> None:
    done = run(shelf, "regions", 60, journal=db, name="s", strategy="uniform", seed=4)
    assert (done.name, done.task, done.robot, done.strategy) == ("s", "shelf", "regions", "uniform")
    assert (done.belief, done.learner, done.approach, done.seed) == (
        "bayes",
        "cma-es",
        "execute",
        4,
    )
    assert done.budget == 60
    assert 58 <= done.spent <= 60
    assert sum(done.attempts.values()) <= sum(done.allocation.values())
    assert measured_at(done) == [0, done.spent]
    assert [e.earnings.reward for e in done.measured] == [done.reward_before, done.reward_after]
    assert done.reward_before is not None
    assert done.reward_after is not None
    assert done.reward_after > done.reward_before
    with open_session(db, "s") as session:
        assert session.state.spent == done.spent
        assert session.settings.seed == 4
        assert all(record.result for record in session.trials())


def test_it_is_what_start_and_practise_would_do(shelf: Task, db: Path) -> None:
    from deliberate_practice.practice.loop import practise

    run(shelf, "regions", 40, journal=db, name="one", seed=2)
    with start_session(db, "other", shelf, 40, seed=2, robot="regions") as session:
        practise(session, RegionRobot(shelf, 2))
    told = [e for e in events(db, "one") if not isinstance(e, Executed)]
    assert told == events(db, "other")


def test_names_are_made_where_none_is_given(shelf: Task, db: Path) -> None:
    assert run(shelf, "curves", 3, journal=db).name == "shelf-1"
    run(shelf, "curves", 3, journal=db, name="shelf-2")
    assert run(shelf, "curves", 3, journal=db).name == "shelf-3"
    assert session_names(db) == ["shelf-1", "shelf-2", "shelf-3"]
    lab = replace(shelf, name="lab/shelf")  # addresses of the service have no room for "/"
    assert run(lab, "curves", 3, journal=db).name == "lab-shelf-1"
    with pytest.raises(NameTaken, match=r"already a session 'shelf-1'.*in Python resume=True"):
        run(shelf, "curves", 3, journal=db, name="shelf-1")


def test_without_a_journal_nothing_is_kept(
    shelf: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    first = run(shelf, "regions", 20, journal=None)
    assert first.spent >= 18
    assert list(tmp_path.iterdir()) == []
    assert same(first, run(shelf, "regions", 20, journal=None))
    kept = run(shelf, "regions", 20)
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".db"] == ["deliberate.db"]
    assert same(kept, first)


def test_tasks_by_name_by_domain_and_by_file(shelf: Task, tmp_path: Path) -> None:
    from deliberate_practice.domains.counterexample import COUNTEREXAMPLE

    by_name = run("counterexample", "curves", 8, journal=None)
    assert same(by_name, run(COUNTEREXAMPLE, None, 8, journal=None))  # curves unless it is said
    faster = run("counterexample", "curves", 8, journal=None, parameters={"rate": 0.5})
    assert faster.reward_after != by_name.reward_after
    assert same(faster, run("counterexample:rate=0.5", "curves", 8, journal=None))
    write_task(shelf, tmp_path / "mine.toml")
    assert run(tmp_path / "mine.toml", "curves", 8, journal=None).task == "shelf"
    with pytest.raises(ArgumentError, match="parameter 'rte' is not one of: competence, rate"):
        run("counterexample", "curves", 8, journal=None, parameters={"rte": 0.5})


def test_parts_by_name_with_options_and_as_functions(shelf: Task, db: Path) -> None:
    done = run(
        shelf,
        "regions:noise=0.1",
        20,
        journal=db,
        strategy=stubborn,
        belief="running-average:eps=0.8",
        learner=CmaEs,
        approach="free",
    )
    assert (done.robot, done.strategy, done.belief, done.learner, done.approach) == (
        "regions:noise=0.1",
        "stubborn()",
        "running-average:eps=0.8",
        "CmaEs()",
        "free",
    )
    for options, message in (
        ({"robot": "regions:noise=abc"}, "noise: 'abc' is not valid"),
        ({"learner": "cma-es:even=7"}, "even: 7 is not valid; give True or False"),
        ({"belief": "bayes:quality=x"}, "quality: 'x' is not one of: accurate"),
        ({"strategy": "ees:ahead=x"}, "'ahead': 'x' is not valid; give a whole number"),
        ({"strategy": "ees:ties=x"}, "'ties': 'x' is not one of: last, first, random"),
        ({"strategy": "ees:tolerance=x"}, "'tolerance': 'x' is not valid"),
        ({"robot": "regins"}, "Did you mean 'regions'"),
        ({"learner": "cma"}, "learner: 'cma' is not one of: cma-es"),
        ({"approach": "fly"}, "approach: 'fly' is not one of: execute, free"),
        ({"seed": -1}, "seed: -1"),
        ({"budget": -1}, "budget: -1"),
        ({"budget": None}, "budget: give the budget units to spend"),
        ({"robot": 5}, "robot: 5 is neither a name nor"),
        ({"executions": 0}, "executions: 0 is not valid"),
        ({"point_executions": -3}, "point_executions: -3 is not valid"),
        ({"every": 0}, "every: 0 is not valid"),
        ({"threads": 0}, "threads: 0 is not valid"),
    ):
        arguments: dict[str, Any] = {"robot": "regions", "budget": 20, **options}
        with pytest.raises(ArgumentError, match=message):
            run(shelf, journal=None, **arguments)


def test_a_robot_of_ones_own(shelf: Task, db: Path) -> None:
    done = run(shelf, Fragile(shelf), 30, journal=db, name="s")
    assert done.robot == "Fragile()"
    assert done.reward_after is not None
    assert same(done, run(shelf, Fragile(shelf), journal=db, name="s", resume=True))
    with pytest.raises(ArgumentError, match="started with Fragile, which has no name; give it"):
        run(shelf, None, journal=db, name="s", resume=True)

    class Silent:
        """Runs episodes, and cannot say what it earns."""

        def run(self, trials: Sequence[Trial]) -> list[Result]:
            return [Result("success") for _ in trials]

    quiet = run(shelf, Silent(), 30, journal=db, name="quiet")
    assert (quiet.reward_before, quiet.reward_after, quiet.measured) == (None, None, ())
    assert quiet.spent == 30


def test_a_class_is_no_robot(shelf: Task, db: Path) -> None:
    with pytest.raises(ArgumentError, match=r"robot: CurveRobot is a class; .* CurveRobot\(\)"):
        run(shelf, CurveRobot, 3, journal=db)  # type: ignore[arg-type]  # on purpose
    assert not db.exists()


def test_a_robot_that_fails_keeps_the_journal(shelf: Task, db: Path) -> None:
    with pytest.raises(PartFailed, match="robot Fragile raised OSError: motor fault"):
        run(shelf, Fragile(shelf, 5), 60, journal=db, name="s")
    with open_session(db, "s") as session:
        assert [record.result is not None for record in session.trials()] == [True] * 5 + [False]
    done = run(shelf, Fragile(shelf), journal=db, name="s", resume=True)
    assert done.open == 0
    assert done.spent >= 58


def test_progress_and_stages_are_called(shelf: Task, db: Path) -> None:
    seen: list[str] = []

    def progress(session: Session, trial: Trial, result: Result) -> None:
        assert session.state.records[trial.id].result == result  # in the journal first
        seen.append(str(trial.id))

    @contextmanager
    def stages(session: Session, stage: str) -> Iterator[None]:
        seen.append(f"{stage}: {len(session.state.executions)}")
        yield
        seen.append(f"end of {stage}: {len(session.state.executions)}")

    done = run(shelf, "regions", 12, journal=db, progress=progress, stages=stages)
    trials = [str(number + 1) for number in range(sum(done.allocation.values()))]
    assert seen == [
        "before: 0",
        "end of before: 1",
        "practice: 1",
        *trials,
        "end of practice: 1",
        "after: 1",
        "end of after: 2",
    ]


@pytest.mark.parametrize("kind", [Fragile, Physical])
def test_every_so_many_units_the_plan_is_measured(shelf: Task, kind: type[Fragile]) -> None:
    done = run(
        shelf,
        kind(shelf),
        60,
        journal=None,
        strategy=lambda _: Decision("Pick", 6),  # each costs one unit
        every=10,
        executions=30,
        point_executions=5,
    )
    assert measured_at(done) == [0, 10, 20, 30, 40, 50, 60, *([60] if kind is Physical else [])]
    executions = [len(executed.earnings.successes) for executed in done.measured]
    assert executions == ([5] * 7 + [30] if kind is Physical else [0] * 7)
    assert done.reward_after == done.measured[-1].earnings.reward
    plain = run(
        shelf, kind(shelf), 60, journal=None, strategy=lambda _: Decision("Pick", 6), executions=30
    )
    assert measured_at(plain) == [0, 60]
    assert plain.attempts == done.attempts  # measuring teaches nothing and costs nothing
    assert plain.deployed == done.deployed


def test_a_summary_is_plain_data(shelf: Task) -> None:
    import json

    done = run(shelf, Physical(shelf), 30, journal=None, executions=10)
    data = json.loads(json.dumps(done.as_data()))
    assert data["spent"] == done.spent
    assert data["plan"] == list(done.plan)
    assert [row["executions"] for row in data["measured"]] == [10, 10]
    assert [row["spent"] for row in data["measured"]] == [0, done.spent]
    low, high = data["measured"][0]["ci95"]
    assert low <= data["measured"][0]["reward"] <= high
    exact = run(shelf, "regions", 30, journal=None).as_data()
    assert exact["measured"][0]["ci95"] is None
    assert exact["measured"][0]["executions"] is None
