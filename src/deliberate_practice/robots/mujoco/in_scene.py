"""The robot ``mujoco``: the simulated robot of a task's domain."""

from __future__ import annotations

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import DOMAINS, scene_of
from deliberate_practice.practice.robot import Robot
from deliberate_practice.task.model import Task


def mujoco_robot(task: Task, seed: int, threads: int) -> Robot:
    """The robot in the scene of the task's domain.

    Raises:
        ArgumentError: There is no such scene.
    """
    scene = scene_of(task, "mujoco")
    if scene is None:
        names = ", ".join(name for name in DOMAINS if "mujoco" in DOMAINS[name].scenes)
        raise ArgumentError(
            f"robot: task '{task.name}' has no simulated scene; take --robot curves. The domains "
            f"{names} have one: a task file that has their variables and skills may say so, e.g. "
            'domain = "cleanup".'
        )
    return scene.robot(task, seed, threads)
