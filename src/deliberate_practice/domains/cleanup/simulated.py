"""Cleanup in physics: its robot, the skills' parameters, and the measured priors."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable

from deliberate_practice.domains.cleanup.cabinet import OURS
from deliberate_practice.domains.cleanup.libero import chosen_cabinet
from deliberate_practice.domains.cleanup.skills import primitives
from deliberate_practice.domains.cleanup.workcell import CleanupWorkcell
from deliberate_practice.practice.domain import Scene
from deliberate_practice.robots.mujoco.robot import MujocoRobot
from deliberate_practice.task.model import Task
from deliberate_practice.task.skill import Parameter


def robot(task: Task, seed: int, threads: int) -> MujocoRobot:
    """The Panda in front of the cabinet that the environment chooses."""
    workcell = CleanupWorkcell(_objects(task), threads=threads, cabinet=chosen_cabinet())
    return MujocoRobot(task, workcell)


def parameters(task: Task) -> Mapping[str, tuple[Parameter, ...]]:
    """The parameters of each skill."""
    return {name: skill.parameters for name, skill in primitives(_objects(task)).items()}


def priors() -> Traversable | None:
    """The priors measured on our cabinet; there are none for LIBERO's."""
    return files(__package__) / "priors.toml" if chosen_cabinet() is OURS else None


def _objects(task: Task) -> int:
    return sum("table" in values for values in task.variables.values())


CLEANUP_IN_MUJOCO = Scene(robot, parameters, priors)
