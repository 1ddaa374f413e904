"""Rounds that are run side by side: the same trials, and nothing lost in between."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from deliberate_practice.foundation.errors import ArgumentError, PartFailed
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.robot import Result, Trial
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.robots.regions import RegionRobot

Start = Callable[..., Session]


class Batches(RegionRobot):
    """Region robots side by side, which may be switched off after so many episodes."""

    parallel = 100

    def __init__(self, session: Session, until: int | None = None) -> None:
        super().__init__(session.task)
        self.sizes: list[int] = []
        self._until = until

    def run(self, trials: Sequence[Trial]) -> list[Result]:
        self.sizes.append(len(trials))
        if self._until is not None and sum(self.sizes) > self._until:
            raise RuntimeError("switched off")
        return super().run(trials)


def told(session: Session) -> list[tuple[Trial, Result | None]]:
    return [(record.trial, record.result) for record in session.trials()]


def journal(session: Session) -> list[object]:
    return [event for event, _ in session.history()]


@pytest.mark.parametrize("belief", ["bayes", "running-average"])
@pytest.mark.parametrize("approach", ["free", "execute"])
def test_side_by_side_is_as_one_by_one(start: Start, approach: str, belief: str) -> None:
    one = start(60, approach=approach, name="one", belief=belief)
    practise(one, RegionRobot(one.task))
    many = start(60, approach=approach, name="many", belief=belief)
    robot = Batches(many)
    practise(many, robot)
    assert max(robot.sizes) == 6
    assert sum(robot.sizes) == len(many.trials())
    if approach == "free":  # otherwise an approach may use what the round itself has changed
        same = [
            (trial.id, trial.skill, dict(trial.parameters), trial.seed, result)
            for trial, result in told(one)
        ]
        assert same == [
            (trial.id, trial.skill, dict(trial.parameters), trial.seed, result)
            for trial, result in told(many)
        ]
    assert one.state.spent == many.state.spent


@pytest.mark.parametrize("belief", ["bayes", "running-average"])
@pytest.mark.parametrize("parallel", [1, 2, 4, 100])
@pytest.mark.parametrize("seed", range(6))
def test_stopped_anywhere_and_resumed_it_is_the_same_journal(
    start: Start, db: Path, seed: int, parallel: int, belief: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Batches, "parallel", parallel)
    whole = start(60, name="whole", belief=belief)
    practise(whole, Batches(whole))
    rng = np.random.default_rng(seed)
    stopped = start(60, name="stopped", belief=belief)
    for _ in range(8):
        until = int(rng.integers(0, 30))
        tell_until = int(rng.integers(0, 25))
        seen: list[int] = []

        def stop(
            session: Session,
            trial: Trial,
            result: Result,
            seen: list[int] = seen,
            last: int = tell_until,
        ) -> None:
            seen.append(trial.id)
            if len(seen) > last:
                raise RuntimeError("switched off")

        with contextlib.suppress(PartFailed, RuntimeError):
            practise(stopped, Batches(stopped, until), stop)
        stopped.close()
        stopped = open_session(db, "stopped")
    practise(stopped, Batches(stopped))
    assert journal(stopped) == journal(whole)


def test_askers_share_neither_trials_nor_budget(start: Start) -> None:
    session = start(40)
    first = session.ask_together(6, asker="left arm")
    second = session.ask_together(6, asker="right arm")
    assert first
    assert not {t.id for t in first} & {t.id for t in second}
    assert session.ask_together(6, asker="left arm") == first
    assert session.state.settled == 0
    assert session.state.spent <= 40


@pytest.mark.parametrize("parallel", [1, 2, 4])
def test_a_robot_gets_as_many_trials_as_it_takes(start: Start, parallel: int) -> None:
    session = start(60, name=str(parallel))
    robot = Batches(session)
    robot.parallel = parallel
    practise(session, robot)
    assert max(robot.sizes) == parallel
    assert sum(robot.sizes) == len(session.trials())


@pytest.mark.parametrize("parallel", [0, -1, 1.5, "all", None])
def test_a_robot_that_takes_no_number_of_trials_is_named(start: Start, parallel: object) -> None:
    session = start(20)
    robot = Batches(session)
    robot.parallel = parallel  # type: ignore[assignment]  # what users get wrong
    with pytest.raises(ArgumentError, match=f"robot Batches: parallel: {parallel!r} is not valid"):
        practise(session, robot)
    assert not session.trials()


def test_a_robot_that_says_nothing_gets_one_trial_at_a_time(start: Start) -> None:
    class Plain:
        """Has no attribute ``parallel``."""

        def __init__(self, robot: Batches) -> None:
            self._robot = robot

        def run(self, trials: Sequence[Trial]) -> list[Result]:
            return self._robot.run(trials)

    session = start(20)
    robot = Batches(session)
    practise(session, Plain(robot))
    assert set(robot.sizes) == {1}
