"""Generations that are run side by side: the same trials, and nothing lost in between."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.robot import BatchRobot, Result, Trial
from deliberate_practice.practice.session import Session, open_session
from deliberate_practice.robots.regions import RegionRobot

Start = Callable[..., Session]


class Batches(RegionRobot):
    """Region robots side by side, which may be switched off after so many episodes."""

    def __init__(self, session: Session, until: int | None = None) -> None:
        super().__init__(session.task)
        self.sizes: list[int] = []
        self._until = until

    def run_all(self, trials: Sequence[Trial]) -> list[Result]:
        self.sizes.append(len(trials))
        if self._until is not None and sum(self.sizes) > self._until:
            raise RuntimeError("switched off")
        return [self.run(trial) for trial in trials]


def told(session: Session) -> list[tuple[Trial, Result | None]]:
    return [(record.trial, record.result) for record in session.trials()]


def journal(session: Session) -> list[object]:
    return [event for event, _ in session.history()]


@pytest.mark.parametrize("approach", ["free", "execute"])
def test_side_by_side_is_as_one_by_one(start: Start, approach: str) -> None:
    one = start(60, approach=approach, name="one")
    practise(one, RegionRobot(one.task))
    many = start(60, approach=approach, name="many")
    robot = Batches(many)
    assert isinstance(robot, BatchRobot)
    practise(many, robot)
    assert max(robot.sizes) == 6
    assert sum(robot.sizes) == len(many.trials())
    if approach == "free":  # otherwise an approach may use what the generation itself has changed
        same = [
            (trial.id, trial.skill, dict(trial.parameters), trial.seed, result)
            for trial, result in told(one)
        ]
        assert same == [
            (trial.id, trial.skill, dict(trial.parameters), trial.seed, result)
            for trial, result in told(many)
        ]
    assert one.state.spent == many.state.spent


@pytest.mark.parametrize("seed", range(6))
def test_stopped_anywhere_and_resumed_it_is_the_same_journal(
    start: Start, db: Path, seed: int
) -> None:
    whole = start(60, name="whole")
    practise(whole, Batches(whole))
    rng = np.random.default_rng(seed)
    stopped = start(60, name="stopped")
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

        with contextlib.suppress(RuntimeError):
            practise(stopped, Batches(stopped, until), stop)
        stopped.close()
        stopped = open_session(db, "stopped")
    practise(stopped, Batches(stopped))
    assert journal(stopped) == journal(whole)


def test_askers_share_neither_trials_nor_budget(start: Start) -> None:
    session = start(40)
    first = session.ask_together(asker="left arm")
    second = session.ask_together(asker="right arm")
    assert first
    assert not {t.id for t in first} & {t.id for t in second}
    assert session.ask_together(asker="left arm") == first
    assert session.state.settled == 0
    assert session.state.spent <= 40
