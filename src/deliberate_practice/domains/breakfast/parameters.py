"""The parameters of Breakfast's skills, the same on every robot."""

from __future__ import annotations

from collections.abc import Mapping

from deliberate_practice.task.model import Task
from deliberate_practice.task.skill import Parameter

# Mean, standard deviation, bounds, unit. The means miss: beside lever, button and door, too short,
# too soft; of the first samples one in 8 (toaster), 10 (door) or 11 (button) succeeds. priors.toml
# has the learning curves of all that.
_PRIOR: dict[str, dict[str, tuple[float, float, float, float, str]]] = {
    "StartToaster": {
        "side": (0.055, 0.030, -0.10, 0.10, "m"),
        "press": (0.056, 0.020, 0.0, 0.09, "m"),
        "stiffness": (180.0, 100.0, 60.0, 630.0, "N/m"),
    },
    "OpenMicrowave": {
        "side": (0.045, 0.020, -0.07, 0.07, "m"),
        "press": (0.025, 0.011, 0.0, 0.07, "m"),
        "stiffness": (150.0, 50.0, 60.0, 630.0, "N/m"),
    },
    "CloseMicrowave": {
        "side": (0.092, 0.033, -0.20, 0.12, "m"),
        "push": (0.007, 0.011, 0.0, 0.08, "m"),
        "stiffness": (100.0, 60.0, 60.0, 630.0, "N/m"),
    },
}


def parameters(task: Task) -> Mapping[str, tuple[Parameter, ...]]:
    """The parameters of each skill of the task; those that are not learned have none."""
    return {skill.name: search_prior(skill.name) for skill in task.skills}


def search_prior(skill: str) -> tuple[Parameter, ...]:
    """The parameters of a skill; none if it is not learned."""
    return tuple(
        Parameter(name, mean, sd, low, high, unit)
        for name, (mean, sd, low, high, unit) in _PRIOR.get(skill, {}).items()
    )
