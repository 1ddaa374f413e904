"""The loop that practises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from deliberate_practice.foundation.errors import ArgumentError, PartFailed
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.robot import Result, Trial
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.robots.regions import RegionRobot

Start = Callable[..., Session]


def test_progress_sees_every_trial(start: Start) -> None:
    session = start(20)
    seen: list[tuple[int, str]] = []

    def progress(session: Session, trial: Trial, result: Result) -> None:
        seen.append((trial.id, result.outcome))

    practise(session, RegionRobot(session.task), progress)
    told = [(r.trial.id, r.result.outcome) for r in session.trials() if r.result]
    assert seen == told
    assert len(told) == len(session.trials())


def test_a_robot_that_breaks_leaves_its_trial_open(start: Start, db: Path) -> None:
    class Broken:
        """Fails before it can tell."""

        def run(self, trials: Sequence[Trial]) -> list[Result]:
            raise RuntimeError("motor fault")

    session = start(20)
    with pytest.raises(PartFailed, match="robot Broken raised RuntimeError: motor fault"):
        practise(session, Broken())
    session.close()
    with open_session(db, "s") as again:
        assert [r.result for r in again.trials()] == [None]
        practise(again, RegionRobot(again.task))
        assert all(r.result for r in again.trials())
        assert again.state.left < 3


def test_a_robot_that_returns_something_else_is_named_and_nothing_is_told(start: Start) -> None:
    class Odd:
        """Answers as it was made to."""

        def __init__(self, answer: object) -> None:
            self.answer = answer

        def run(self, trials: Sequence[Trial]) -> Sequence[Result]:
            return self.answer  # type: ignore[return-value]  # what users get wrong

    session = start(20)
    good = Result("success")
    answers: list[object] = [[], [good, good], ["success"], [None]]
    for answer in answers:
        with pytest.raises(ArgumentError, match=r"robot Odd: it returned .* for 1 trials; return"):
            practise(session, Odd(answer))
    for answer in [None, 5]:
        with pytest.raises(PartFailed, match="robot Odd raised TypeError"):
            practise(session, Odd(answer))
    assert [record.result for record in session.trials()] == [None]


def test_it_does_not_wait_for_ever_for_others(start: Start) -> None:
    session = start(20, strategy="uniform")
    while session.ask(asker=f"robot {len(session.trials())}"):
        pass
    asked = len(session.trials())
    practise(session, RegionRobot(session.task), patience=0.1)
    assert len(session.trials()) == asked
    assert not session.done
