"""Cleanup in physics: the task with parameters and measured priors, and the robot that does it."""

from __future__ import annotations

from deliberate_practice.domains.cleanup.libero import chosen_cabinet
from deliberate_practice.domains.cleanup.scene import OURS
from deliberate_practice.domains.cleanup.skills import primitives
from deliberate_practice.domains.cleanup.workcell import CleanupWorkcell
from deliberate_practice.domains.measured import learnable
from deliberate_practice.robots.mujoco.robot import MujocoRobot
from deliberate_practice.task.model import Task


def simulated(task: Task, *, priors: bool = True) -> Task:
    """The task with what can be learned of each skill.

    Args:
        task: Cleanup with one or four objects.
        priors: Whether competences and curves are replaced by those measured in physics, if the
            cabinet is ours; of LIBERO's nothing was measured.
    """
    known = {name: skill.parameters for name, skill in primitives(_objects(task)).items()}
    return learnable(task, known, __package__ if priors and chosen_cabinet() is OURS else None)


def simulated_robot(task: Task, threads: int = 1) -> MujocoRobot:
    """The Panda in front of the cabinet that the environment chooses."""
    workcell = CleanupWorkcell(_objects(task), threads=threads, cabinet=chosen_cabinet())
    return MujocoRobot(task, workcell)


def _objects(task: Task) -> int:
    return sum("table" in values for values in task.variables.values())
