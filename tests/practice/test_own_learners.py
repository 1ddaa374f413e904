"""Learners of one's own in a session: by ask and tell alone, whatever they let out at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from own_learners import Steps, Wrong, asynchronous, sequential

from deliberate_practice.foundation.errors import ArgumentError, PartFailed
from deliberate_practice.learners.registry import LEARNERS, MakeLearner, register_learner
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.robot import Trial
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.robots.regions import RegionRobot
from deliberate_practice.strategies.strategy import Decision, Situation

Start = Callable[..., Session]

LEARNER = {"sequential": (sequential, 1), "asynchronous": (asynchronous, 3)}


@pytest.fixture(params=list(LEARNER))
def chosen(request: pytest.FixtureRequest) -> Iterator[tuple[str, int]]:
    """The name of a registered learner, and how many of its candidates may be out."""
    learner, parallel = LEARNER[request.param]
    register_learner(request.param, learner)
    yield request.param, parallel
    LEARNERS.unregister(request.param)


def pick(situation: Situation) -> Decision | None:
    return Decision("Pick", 100) if "Pick" in situation.routes else None


def journal(session: Session) -> list[object]:
    return [event for event, _ in session.history()]


def test_as_many_are_out_as_it_says(start: Start, chosen: tuple[str, int]) -> None:
    name, parallel = chosen
    session = start(30, strategy=pick, learner=name)
    trials: list[Trial] = []
    for number in range(parallel):
        trial = session.ask(asker=f"robot {number}")
        assert trial is not None
        trials.append(trial)
    assert session.ask(asker="late") is None
    assert not session.done
    assert len({trial.parameters["height"] for trial in trials}) == parallel
    session.tell(trials[-1].id, "success")  # in any order
    again = session.ask(asker="late")  # and the next one at once
    assert again is not None
    assert session.trials()[-1].candidate == parallel
    assert session.state.deployed["Pick"] == trials[-1].parameters
    assert session.ask(asker="later") is None


def test_a_decision_grants_what_may_be_out(start: Start, chosen: tuple[str, int]) -> None:
    name, parallel = chosen
    session = start(30, strategy=pick, learner=name)
    practise(session, RegionRobot(session.task))
    assert session.state.spent == 30
    assert {decision.granted for decision in session.state.decisions} == {parallel}
    assert [record.candidate for record in session.trials()] == list(range(30))


def test_a_candidate_that_was_not_tried_is_tried_next(
    start: Start, chosen: tuple[str, int]
) -> None:
    session = start(30, strategy=pick, learner=chosen[0])
    first = session.ask()
    assert first is not None
    session.tell(first.id, "aborted")
    second = session.ask()
    assert second is not None
    assert second.parameters == first.parameters
    assert session.trials()[1].candidate == 0


@pytest.mark.parametrize("strategy", ["random", "deliberate"])
def test_reopened_after_every_step_it_is_the_same_journal(
    start: Start, db: Path, chosen: tuple[str, int], strategy: str
) -> None:
    name, _ = chosen
    whole = start(40, name="whole", seed=3, strategy=strategy, learner=name)
    practise(whole, RegionRobot(whole.task))
    start(40, name="parts", seed=3, strategy=strategy, learner=name).close()
    robot = RegionRobot(whole.task)
    while True:
        with open_session(db, "parts") as session:
            trial = session.ask()
        if trial is None:
            break
        with open_session(db, "parts") as session:
            (result,) = robot.run([trial])
            session.tell(trial.id, result.outcome, result.at, executed=result.executed)
    with open_session(db, "parts") as parts:
        assert journal(parts) == journal(whole)
        assert parts.state.deployed == whole.state.deployed
        assert parts.state.competences == whole.state.competences


PROCESS = """
import json, sys, time
from own_learners import asynchronous, sequential
from deliberate_practice.learners.registry import register_learner
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.robots.regions import RegionRobot

register_learner("sequential", sequential)
register_learner("asynchronous", asynchronous)
with open_session(sys.argv[1], sys.argv[2]) as session:
    robot = RegionRobot(session.task)
    robot.parallel = 2
    practise(session, robot, lambda *told: (print(told[1].id, flush=True), time.sleep(0.01)))
"""


def test_killed_it_goes_on_as_if_it_had_not_been(
    start: Start, db: Path, chosen: tuple[str, int]
) -> None:
    name, _ = chosen

    def practising(session: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(db), session],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )

    for session in ("whole", "parts"):
        start(60, name=session, seed=1, learner=name).close()
    process = practising("whole")
    process.communicate()
    assert process.returncode == 0
    kills = 0
    while True:
        process = practising("parts")
        assert process.stdout is not None
        for _ in range(7):  # in the middle of a round
            told = process.stdout.readline()
        if not told:
            process.communicate()
            break
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        kills += 1
    assert process.returncode == 0
    assert kills >= 3
    with open_session(db, "parts") as parts, open_session(db, "whole") as whole:
        assert journal(parts) == journal(whole)
        assert not parts.state.open_trials


FAULTS = {
    "none": (ArgumentError, "3 candidates may be out, but it proposes none for 'Pick'"),
    "type": (ArgumentError, r"it proposed \{'height': .*\} for 'Pick'; return a Candidate"),
    "raises": (PartFailed, "raised ZeroDivisionError: no more ideas"),
    "names": (ArgumentError, r"\{'speed': 1.0\} are not the parameters of 'Pick'.*: height"),
    "bounds": (ArgumentError, r"height = 1000000.0 of 'Pick' is not a number in \[0, 0.3\]"),
    "undefined": (ArgumentError, r"height = nan of 'Pick' is not a number in \[0, 0.3\]"),
    "text": (ArgumentError, r"height = 'high' of 'Pick' is not a number in \[0, 0.3\]"),
    "parallel": (ArgumentError, "parallel: 'many' is not valid"),
}


@pytest.mark.parametrize("fault", list(FAULTS))
def test_one_that_breaks_its_contract_is_named(start: Start, fault: str) -> None:
    kind, message = FAULTS[fault]
    register_learner("hasty", Wrong)
    try:
        session = start(30, strategy=pick, learner=f"hasty:fault={fault}")
        with pytest.raises(kind, match=f"learner hasty:fault={fault}.*{message}"):
            session.ask()
        assert not session.trials()  # nothing reaches the robot
    finally:
        LEARNERS.unregister("hasty")


def test_one_that_numbers_two_candidates_alike_is_named(start: Start) -> None:
    session = start(30, strategy=pick, learner=partial(Wrong, fault="number"))
    assert session.ask(asker="left") is not None
    with pytest.raises(ArgumentError, match=r"learner partial\(\): 0 does not number a new"):
        session.ask(asker="right")
    assert len(session.trials()) == 1


def test_one_that_cannot_be_told_is_named_and_the_outcome_is_kept(start: Start, db: Path) -> None:
    session = start(30, strategy=pick, learner=partial(Wrong, fault="tell"))
    assert session.ask() is not None
    with pytest.raises(PartFailed, match=r"learner partial\(\) raised ZeroDivisionError"):
        session.tell(1, "success")
    session.close()
    with open_session(db, "s", strategy=pick, learner=sequential) as again:  # mended
        result = again.trials()[0].result
        assert result is not None
        assert result.outcome == "success"


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("deployed", r"height = 1000000.0 of 'Pick' is not a number in \[0, 0.3\]"),
        ("deployed raises", "raised KeyError: 'weights'"),
    ],
)
def test_what_it_deploys_is_checked_before_the_robot_gets_it(
    start: Start, fault: str, message: str
) -> None:
    session = start(30, strategy=pick, learner=partial(Wrong, fault=fault))
    with pytest.raises((ArgumentError, PartFailed), match=r"learner partial\(\).*" + message):
        session.ask(evaluate="Pick")


def test_one_that_cannot_be_made_is_named_before_anything_is_written(
    start: Start, db: Path
) -> None:
    with pytest.raises(PartFailed, match=r"learner partial\(\) raised RuntimeError: no weights"):
        start(30, learner=partial(Wrong, fault="made"))
    with pytest.raises(PartFailed, match=r"learner <lambda>\(\) raised AttributeError"):
        start(30, learner=lambda *_: object())
    assert not db.exists()


def test_one_that_has_changed_is_noticed(start: Start, db: Path) -> None:
    """Trials that it does not propose again cannot be replayed."""

    class Later(Steps):
        """Counts from 1."""

        def ask(self):  # type: ignore[no-untyped-def]  # as its parent's
            self._asked = max(self._asked, 1)
            return super().ask()

    session = start(30, strategy=pick, learner=sequential)
    assert session.ask() is not None
    session.close()
    with (
        pytest.raises(PartFailed, match=r"learner sequential\(\): it does not propose candidate 0"),
        open_session(db, "s", strategy=pick, learner=Later) as again,
    ):
        again.trials()


def test_numbers_of_numpy_count(start: Start, db: Path) -> None:
    import numpy as np

    from deliberate_practice.learners.learner import Candidate

    class Numpy(Steps):
        """Answers with numbers of numpy, which are no JSON."""

        def ask(self) -> Candidate | None:
            plain = super().ask()
            assert plain is not None
            values = {name: np.float32(value) for name, value in plain.values.items()}
            return Candidate(np.int64(plain.id), values)  # type: ignore[arg-type]

    make: MakeLearner = Numpy
    session = start(30, strategy=pick, learner=make)
    asked = session.ask()
    assert asked is not None
    session.tell(asked.id, "success")
    with open_session(db, "s", strategy=pick, learner=make) as again:
        assert journal(again) == journal(session)
        assert type(again.trials()[0].trial.parameters["height"]) is float
