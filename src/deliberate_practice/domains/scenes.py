"""Which simulated scene a task belongs to: decided by its variables and skills, not by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deliberate_practice.domains.cleanup.task import DRAWERS, cleanup
from deliberate_practice.domains.library import load_task
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.task.model import Task, allowed_values
from deliberate_practice.task.skill import Condition


@dataclass(frozen=True)
class Scene:
    """A scene, and the built-in task that describes it.

    Attributes:
        module: The module that simulates it; it needs the extra ``sim``.
        tasks: Names of the built-in tasks that take place there.
        built_in: The built-in task to compare another one with.
    """

    module: str
    tasks: tuple[str, ...]
    built_in: Callable[[Task], Task]


def scene_of(task: Task) -> Scene:
    """The scene in which a task can be practised.

    A task belongs to a scene if it has the variables, the start and the skills of a built-in task
    of that scene. Its goals, competences and curves may be its own, and some skills may be missing.

    Raises:
        ArgumentError: There is none; the message says what differs.
    """
    faults = {scene: _difference(task, scene.built_in(task)) for scene in SCENES}
    for scene, fault in faults.items():
        if fault is None:
            return scene
    names = ", ".join(name for scene in SCENES for name in scene.tasks)
    same_name = [fault for scene, fault in faults.items() if task.name in scene.tasks]
    differs = f" (it is not the built-in task of that name: {same_name[0]})" if same_name else ""
    raise ArgumentError(
        f"robot: there is no simulated scene for task '{task.name}'{differs}; the built-in "
        f"tasks {names} have one. Take --robot curves."
    )


def has_scene(task: Task) -> bool:
    """Whether a task can be practised in simulation."""
    return any(_difference(task, scene.built_in(task)) is None for scene in SCENES)


def _difference(task: Task, built_in: Task) -> str | None:
    """What the robot in the scene would not understand; None if it understands everything."""
    stated = {name: tuple(values) for name, values in task.variables.items()}
    if stated != {name: tuple(values) for name, values in built_in.variables.items()}:
        return "its variables or their values differ"
    if task.start_states != built_in.start_states:
        return "it starts elsewhere"
    known = {skill.name: skill for skill in built_in.skills}
    for skill in task.skills:
        if skill.name not in known:
            return f"the robot has no skill '{skill.name}'"
        own = known[skill.name]
        if _values(skill.precondition) != _values(own.precondition):
            return f"the precondition of skill '{skill.name}' differs"
        for key in ("effect", "failure", "policy"):
            if getattr(skill, key) != getattr(own, key):
                return f"the {key} of skill '{skill.name}' differs"
    return None


def _values(condition: Condition) -> dict[str, set[str]]:
    return {name: set(allowed_values(values)) for name, values in condition.items()}


def _cleanup(task: Task) -> Task:
    """Cleanup with as many objects as the task has variables besides its drawers."""
    return cleanup(min(60, max(1, len(task.variables) - len(DRAWERS))))


SCENES = (
    Scene("deliberate_practice.domains.cleanup.simulated", ("cleanup", "cleanup-multi"), _cleanup),
    Scene(
        "deliberate_practice.domains.breakfast.simulated",
        ("breakfast",),
        lambda task: load_task("breakfast"),
    ),
)
