"""Cleanup in physics: the task with parameters and measured priors, and the robot that does it."""

from __future__ import annotations

import re
from dataclasses import replace

from deliberate_practice.domains.cleanup.libero import chosen_cabinet
from deliberate_practice.domains.cleanup.scene import OURS
from deliberate_practice.domains.cleanup.skills import primitives
from deliberate_practice.domains.cleanup.workcell import CleanupWorkcell
from deliberate_practice.domains.measured import learnable, measured
from deliberate_practice.robots.mujoco.robot import MujocoRobot
from deliberate_practice.task.model import Task
from deliberate_practice.task.skill import Skill


def simulated(task: Task, *, priors: bool = True) -> Task:
    """The task with what can be learned of each skill.

    What was measured of the one object stands in for each of four, as a noisy prior.

    Args:
        task: Cleanup with one or four objects.
        priors: Whether competences and curves are replaced by those measured in physics, if the
            cabinet is ours; of LIBERO's nothing was measured.
    """
    priors = chosen_cabinet() is OURS and priors
    known = primitives(_objects(task))
    found = measured(__package__) if priors else {}
    skills = [
        learnable(
            skill, known[skill.name].parameters, found.get(skill.name) or found.get(_of_one(skill))
        )
        for skill in task.skills
    ]
    quality = "accurate" if _objects(task) == 1 else "noisy"
    return replace(task, skills=skills, priors=quality if priors else task.priors)


def simulated_robot(task: Task, threads: int = 1) -> MujocoRobot:
    """The Panda in front of the cabinet that the environment chooses."""
    workcell = CleanupWorkcell(_objects(task), threads=threads, cabinet=chosen_cabinet())
    return MujocoRobot(task, workcell)


def _of_one(skill: Skill) -> str:
    """The same skill in Cleanup with one object."""
    return re.sub(r"object\d", "object", skill.name)


def _objects(task: Task) -> int:
    return sum("table" in values for values in task.variables.values())
