"""The parameters of Cleanup's skills, the same on every robot."""

from __future__ import annotations

from collections.abc import Mapping

from deliberate_practice.task.model import Task
from deliberate_practice.task.skill import Parameter, verb

PARAMETERS: dict[str, dict[str, tuple[float, float, float, str]]] = {
    "Open": {
        "side": (0.0, 1.0, 0.02, "m"),
        "depth": (0.0, -1.0, 0.015, "m"),
        "pull": (0.29, -1.0, 0.03, "m"),
        "stiffness": (9.3, -1.0, 1.0, "log2 N/m"),
    },
    "Close": {
        "side": (0.0, 1.0, 0.03, "m"),
        "height": (-0.025, 1.0, 0.025, "m"),
        "push": (0.335, -1.0, 0.03, "m"),
        "stiffness": (9.0, -1.0, 1.0, "log2 N/m"),
        "duration": (1.32, -1.0, 0.6, "log2 s"),
    },
    "Pick": {
        "x": (0.0, 0.5, 0.022, "m"),
        "y": (0.0, 1.0, 0.025, "m"),
        "height": (-0.008, 0.5, 0.02, "m"),
        "yaw": (0.0, 1.0, 0.35, "rad"),
    },
    "Place": {
        "x": (0.0, -1.0, 0.02, "m"),
        "y": (0.0, 1.0, 0.02, "m"),
        "height": (0.0, 1.0, 0.02, "m"),
        "yaw": (0.0, 1.0, 0.35, "rad"),
        "tilt": (0.0, -1.0, 0.25, "rad"),
    },
}
"""By verb and name: a good value, by how many standard deviations the mean of the prior is off it,
the standard deviation, and the unit; the same for all drawers and objects. Bounds are 3 standard
deviations around the mean."""


def parameters(task: Task) -> Mapping[str, tuple[Parameter, ...]]:
    """The parameters of each skill of the task."""
    return {skill.name: search_prior(verb(skill.name)) for skill in task.skills}


def search_prior(name: str) -> tuple[Parameter, ...]:
    """The parameters of all skills of a verb."""
    return tuple(
        Parameter(
            parameter,
            round(value + off * sd, 4),
            sd,
            round(value + (off - 3) * sd, 4),
            round(value + (off + 3) * sd, 4),
            unit,
        )
        for parameter, (value, off, sd, unit) in PARAMETERS[name].items()
    )
