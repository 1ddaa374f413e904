"""Breakfast in physics: its robots, and the priors measured there."""

from __future__ import annotations

from importlib.resources import files

from deliberate_practice.domains.breakfast.parameters import parameters
from deliberate_practice.domains.breakfast.perception import DoorCamera
from deliberate_practice.domains.breakfast.workcell import BreakfastWorkcell
from deliberate_practice.practice.domain import Scene
from deliberate_practice.robots.mujoco.robot import MujocoRobot
from deliberate_practice.task.model import Task


def robot(task: Task, seed: int, threads: int) -> MujocoRobot:
    """Two Pandas between toaster and microwave; the left one has a camera at its wrist.

    Raises:
        RenderingUnavailable: This machine cannot draw the camera's images.
    """
    workcell = BreakfastWorkcell(threads=threads)
    workcell.look = DoorCamera(workcell.model)
    return MujocoRobot(task, workcell)


BREAKFAST_IN_MUJOCO = Scene(robot, parameters, lambda: files(__package__) / "priors.toml")
