"""The robot ``mujoco``: the simulated robot of a task's domain."""

from __future__ import annotations

import inspect

from deliberate_practice.foundation.errors import ArgumentError, choose_from
from deliberate_practice.practice.domain import DOMAINS, scene_of
from deliberate_practice.practice.robot import Robot
from deliberate_practice.task.model import Task


def mujoco_robot(task: Task, seed: int, threads: int, **options: float) -> Robot:
    """The robot in the scene of the task's domain.

    Args:
        task: The task.
        seed: Of the session.
        threads: Processors that it may use.
        options: Options of the scene's robot, e.g. ``mujoco:noise=0.006`` in Cleanup.

    Raises:
        ArgumentError: There is no such scene, or it has no such option.
    """
    scene = scene_of(task, "mujoco")
    if scene is None:
        names = ", ".join(name for name in DOMAINS if "mujoco" in DOMAINS[name].scenes)
        raise ArgumentError(
            f"robot: task '{task.name}' has no simulated scene; take --robot curves. The domains "
            f"{names} have one: a task file that has their variables and skills may say so, e.g. "
            'domain = "cleanup".'
        )
    valid = list(inspect.signature(scene.robot).parameters)[3:]
    for name in options:
        if name not in valid:
            known = choose_from(name, valid) if valid else f"'{name}' is not known; there is none."
            raise ArgumentError(f"robot 'mujoco' in domain '{task.domain}': option {known}")
    return scene.robot(task, seed, threads, **options)
