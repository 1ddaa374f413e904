"""The parameters of Kitchen's skills, the same on every robot."""

from __future__ import annotations

import math
from collections.abc import Mapping

from deliberate_practice.task.model import Task
from deliberate_practice.task.skill import Parameter

SPREAD: dict[str, tuple[float, str]] = {
    "side": (0.02, "m"),
    "depth": (0.015, "m"),
    "height": (0.02, "m"),
    "push": (0.04, "m"),
    "heading": (0.2, "rad"),
    "yaw": (0.25, "rad"),
    "swing": (0.2, "rad"),
    "stiffness": (1.0, "log2 N/m"),
    "duration": (0.7, "log2 s"),
}
"""By parameter: standard deviation of the search prior, the same in all skills, and unit."""

GOOD: dict[str, dict[str, tuple[float, float]]] = {
    "Flip(light)": {
        "depth": (0.008, -1.0),
        "height": (0.0, 1.0),
        "push": (0.14, -1.0),
        "stiffness": (8.5, -1.0),
        "duration": (1.2, -1.0),
    },
    "Turn": {
        "depth": (-0.012, 1.0),
        "height": (0.037, -1.0),
        "push": (0.135, -1.0),
        "stiffness": (9.0, -1.0),
        "duration": (1.8, -1.0),
    },
    "Slide(cabinet)": {
        "depth": (0.01, -1.0),
        "push": (0.355, -1.0),
        "heading": (0.0, -1.0),
        "stiffness": (8.5, -1.0),
        "duration": (1.3, -1.0),
    },
    "Push(kettle)": {
        "side": (0.0, 1.0),
        "height": (0.0, 1.0),
        "push": (0.42, -1.0),
        "heading": (-0.1, 1.0),
        "stiffness": (8.5, -1.0),
        "duration": (2.2, -1.0),
    },
    "Open(microwave)": {
        "side": (-0.008, -1.0),
        "depth": (0.014, -1.0),
        "yaw": (0.0, -1.0),
        "swing": (0.83, -1.0),
        "stiffness": (8.7, -1.0),
    },
    "Open(hinge)": {
        "side": (0.0, 1.0),
        "depth": (0.012, -1.0),
        "yaw": (0.0, -1.0),
        "swing": (1.47, -1.0),
        "stiffness": (8.7, -1.0),
    },
}
"""By policy and parameter: a good value, and by how many standard deviations the mean of the search
prior is off it. Bounds are 3 standard deviations around the mean, or where reach ends."""

REACH = {("Open(microwave)", "swing"): 0.95}
"""Largest values within reach where that is less, by policy and parameter."""


def parameters(task: Task) -> Mapping[str, tuple[Parameter, ...]]:
    """The parameters of each skill of the task."""
    return {skill.name: search_prior(skill.policy) for skill in task.skills}


def search_prior(policy: str) -> tuple[Parameter, ...]:
    """The parameters of a policy."""
    return tuple(_parameter(policy, name) for name in GOOD[policy])


def _parameter(policy: str, name: str) -> Parameter:
    good, off = GOOD[policy][name]
    sd, unit = SPREAD[name]
    mean = good + off * sd
    high = min(mean + 3 * sd, REACH.get((policy, name), math.inf))
    return Parameter(name, round(mean, 4), sd, round(mean - 3 * sd, 4), round(high, 4), unit)
