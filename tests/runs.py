"""Robots and a strategy for runs, and what is compared of two of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deliberate_practice.practice.earning import measured_earnings
from deliberate_practice.practice.intention import Intention
from deliberate_practice.practice.robot import Earnings, Result, Trial
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.practice.showing.summary import Summary
from deliberate_practice.robots.regions import RegionRobot
from deliberate_practice.strategies.strategy import Decision, Situation
from deliberate_practice.task.model import Task


class Fragile(RegionRobot):
    """A robot that breaks after so many episodes."""

    def __init__(self, task: Task, until: int = 10**9) -> None:
        super().__init__(task)
        self.left = until

    def run(self, trials: Sequence[Trial]) -> list[Result]:
        self.left -= len(trials)
        if self.left < 0:
            raise OSError("motor fault")
        return super().run(trials)


def events(db: Path, name: str) -> list[object]:
    with open_session(db, name, strategy=stubborn, belief=None, learner=None) as session:
        return [event for event, _ in session.history()]


def stubborn(situation: Situation) -> Decision | None:
    return Decision(next(iter(situation.routes)), 6)


def same(one: Summary, other: Summary) -> bool:
    """But for name and seconds, as the contract of ``show`` says."""
    ours, theirs = one.as_data(), other.as_data()
    for data in (ours, theirs):
        del data["name"], data["seconds"]
    return bool(ours == theirs)


class Physical(Fragile):
    """A robot that has to execute its plan to say what it earns."""

    def earn(self, aim: Intention, executions: int) -> Earnings:
        return measured_earnings(RegionRobot(aim.ground.task), aim, executions)


def measured_at(done: Summary) -> list[int]:
    return [executed.spent for executed in done.measured]
