"""Robots by name, for any task; simulated ones for tasks that have a scene."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType

from deliberate_practice.domains.scenes import scene_of
from deliberate_practice.foundation.errors import ArgumentError, choose_from
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.practice.trial import Robot
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.task.model import Task


def make_robot(name: str, task: Task, seed: int, *, threads: int = 1) -> Robot:
    """A robot for a task.

    Args:
        name: A key of :data:`ROBOTS`.
        task: What it is to practise; for ``mujoco`` made by :func:`embodied`.
        seed: Seed of the session, for what is hidden in the robot.
        threads: Processors that one robot may use; results do not depend on it.

    Raises:
        ArgumentError: There is no robot of that name, or it cannot do the task.
    """
    return _known(name)(task, seed, threads)


def embodied(name: str, task: Task, *, priors: bool = True) -> Task:
    """The task as a robot practises it; synthetic robots take it as it is.

    Args:
        name: A key of :data:`ROBOTS`.
        task: What is practised for.
        priors: Whether the competences and curves that were measured in physics replace its own.

    Raises:
        ArgumentError: There is no robot of that name, or none that can do the task.
    """
    _known(name)
    if name != "mujoco":
        return task
    practised: Task = _simulation(task).simulated(task, priors=priors)
    return practised


def _known(name: str) -> Callable[[Task, int, int], Robot]:
    if name not in ROBOTS:
        raise ArgumentError("robot: " + choose_from(name, ROBOTS))
    return ROBOTS[name]


def _curves(task: Task, seed: int, threads: int) -> Robot:
    return CurveRobot(task)


def _regions(task: Task, seed: int, threads: int) -> Robot:
    from deliberate_practice.robots.regions import RegionRobot

    return RegionRobot(task, seed)


def _mujoco(task: Task, seed: int, threads: int) -> Robot:
    robot: Robot = _simulation(task).simulated_robot(task, threads)
    return robot


def _simulation(task: Task) -> ModuleType:
    """The module that knows the task's scene; it needs the extra ``sim``."""
    scene = scene_of(task)
    try:
        return importlib.import_module(scene.module)
    except ModuleNotFoundError as error:
        if error.name not in ("mujoco", "ompl", "cv2"):
            raise
        raise ArgumentError(
            f"robot: mujoco needs the package {error.name}; take --robot curves, or run: "
            + install_command("sim")
        ) from None


SYNTHETIC = ("curves", "regions")
"""Robots whose true competences are known."""

ROBOTS: dict[str, Callable[[Task, int, int], Robot]] = {
    "curves": _curves,
    "regions": _regions,
    "mujoco": _mujoco,
}
"""What can be chosen: true curves as stated, hidden regions of parameters, or physics."""
