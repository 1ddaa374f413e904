"""Robots by name."""

from __future__ import annotations

from collections.abc import Callable

from deliberate_practice.errors import ArgumentError, choose_from
from deliberate_practice.practice.evaluation import KnownRobot
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.task.model import Task


def make_robot(name: str, task: Task, seed: int) -> KnownRobot:
    """A robot for a task.

    Args:
        name: A key of :data:`ROBOTS`.
        task: What it is to practise.
        seed: Seed of the session, for what is hidden in the robot.

    Raises:
        ArgumentError: There is no robot of that name.
    """
    if name not in ROBOTS:
        raise ArgumentError("robot: " + choose_from(name, ROBOTS))
    return ROBOTS[name](task, seed)


def _curves(task: Task, seed: int) -> KnownRobot:
    return CurveRobot(task)


def _regions(task: Task, seed: int) -> KnownRobot:
    from deliberate_practice.robots.regions import RegionRobot

    return RegionRobot(task, seed)


ROBOTS: dict[str, Callable[[Task, int], KnownRobot]] = {"curves": _curves, "regions": _regions}
"""What can be chosen: true curves as stated, or hidden regions of parameters."""
