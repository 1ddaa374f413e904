"""Breakfast in physics: its robots, the skills' parameters, and the measured priors."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from deliberate_practice.domains.breakfast.perception import DoorCamera
from deliberate_practice.domains.breakfast.skills import primitives
from deliberate_practice.domains.breakfast.workcell import BreakfastWorkcell
from deliberate_practice.practice.domain import Scene
from deliberate_practice.robots.mujoco.robot import MujocoRobot
from deliberate_practice.task.model import Task
from deliberate_practice.task.skill import Parameter


def robot(task: Task, seed: int, threads: int) -> MujocoRobot:
    """Two Pandas between toaster and microwave; the left one has a camera at its wrist.

    Raises:
        RenderingUnavailable: This machine cannot draw the camera's images.
    """
    workcell = BreakfastWorkcell(threads=threads)
    workcell.look = DoorCamera(workcell.model)
    return MujocoRobot(task, workcell)


def parameters(task: Task) -> Mapping[str, tuple[Parameter, ...]]:
    """The parameters of each skill."""
    return {name: skill.parameters for name, skill in primitives().items()}


BREAKFAST_IN_MUJOCO = Scene(robot, parameters, lambda: files(__package__) / "priors.toml")
