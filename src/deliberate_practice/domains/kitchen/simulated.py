"""Kitchen in physics: its robot, and the priors measured there."""

from __future__ import annotations

from importlib.resources import files

from deliberate_practice.domains.kitchen.parameters import parameters
from deliberate_practice.domains.kitchen.workcell import NOISE, KitchenWorkcell
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
    timestep: float = TIMESTEP,
) -> MujocoRobot:
    """The Panda in FrankaKitchen's kitchen.

    Args:
        task: The task.
        seed: Of the session; nothing is hidden here.
        threads: Processors that it may use.
        noise: Error of calibration [m].
        timestep: Of the simulation [s].

    Raises:
        ArgumentError: A value makes no sense, or FrankaKitchen is not installed.
    """
    number("noise", noise, 0, 0.1, error=ArgumentError)
    number("timestep", timestep, 0, 0.004, open_low=True, error=ArgumentError)
    return MujocoRobot(task, KitchenWorkcell(noise=noise, threads=threads, timestep=timestep))


KITCHEN_IN_MUJOCO = Scene(robot, parameters, lambda: files(__package__) / "priors.toml")
