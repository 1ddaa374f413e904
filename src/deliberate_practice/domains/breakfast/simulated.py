"""Breakfast in physics: the task with parameters and measured priors, and the robots that do it."""

from __future__ import annotations

from deliberate_practice.domains.breakfast.perception import DoorCamera
from deliberate_practice.domains.breakfast.skills import primitives
from deliberate_practice.domains.breakfast.workcell import BreakfastWorkcell
from deliberate_practice.domains.measured import learnable
from deliberate_practice.robots.mujoco.robot import MujocoRobot
from deliberate_practice.task.model import Task


def simulated(task: Task, *, priors: bool = True) -> Task:
    """The task with what can be learned of each skill.

    Args:
        task: Breakfast.
        priors: Whether competences and curves are replaced by those measured in physics.
    """
    known = {name: skill.parameters for name, skill in primitives().items()}
    return learnable(task, known, __package__ if priors else None)


def simulated_robot(task: Task, threads: int = 1) -> MujocoRobot:
    """Two Pandas between toaster and microwave; the left one has a camera at its wrist.

    Raises:
        RenderingUnavailable: The camera cannot see, since nothing can be drawn on this machine.
    """
    workcell = BreakfastWorkcell(threads=threads)
    workcell.look = DoorCamera(workcell.model)
    return MujocoRobot(task, workcell)
