"""Cleanup in physics: its robot, its cabinet, and the priors measured there."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable

from deliberate_practice.domains.cleanup.cabinet import OURS
from deliberate_practice.domains.cleanup.libero import CHOICE, chosen_cabinet
from deliberate_practice.domains.cleanup.parameters import parameters
from deliberate_practice.domains.cleanup.workcell import NOISE, CleanupWorkcell
from deliberate_practice.foundation.checks import number
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import Scene
from deliberate_practice.robots.mujoco.robot import MujocoRobot
from deliberate_practice.robots.mujoco.room import TIMESTEP
from deliberate_practice.task.model import Task


def robot(
    task: Task,
    seed: int,
    threads: int,
    *,
    noise: float = NOISE,
    friction: float = 1.0,
    aside: float = 0.0,
    timestep: float = TIMESTEP,
) -> MujocoRobot:
    """The Panda in front of the cabinet that the environment chooses.

    Args:
        task: The task.
        seed: Of the session; nothing is hidden here.
        threads: Processors that it may use.
        noise: Error of calibration [m].
        friction: Factor on all friction.
        aside: How far the cabinet stands to the left of its place [m].
        timestep: Of the simulation [s].

    Raises:
        ArgumentError: A value makes no sense.
    """
    number("noise", noise, 0, 0.1, error=ArgumentError)
    number("friction", friction, 0, 10, error=ArgumentError)
    number("aside", aside, -0.3, 0.3, error=ArgumentError)
    number("timestep", timestep, 0, 0.004, open_low=True, error=ArgumentError)
    workcell = CleanupWorkcell(
        _objects(task),
        noise=noise,
        threads=threads,
        timestep=timestep,
        cabinet=chosen_cabinet(),
        friction=friction,
        aside=aside,
    )
    return MujocoRobot(task, workcell)


def priors() -> Traversable | None:
    """The priors measured on our cabinet; there are none for LIBERO's."""
    return files(__package__) / "priors.toml" if chosen_cabinet() is OURS else None


def description() -> str:
    """Which cabinet it is."""
    return f"cabinet: {chosen_cabinet().name}"


def _objects(task: Task) -> int:
    return sum("table" in values for values in task.variables.values())


CLEANUP_IN_MUJOCO = Scene(robot, parameters, priors, description, CHOICE)
