"""What was measured of a skill in physics, in a file beside the scene's code."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files

from deliberate_practice.task.skill import Curve, Parameter, Skill

Measured = Mapping[str, Mapping[str, float]]
"""Start competence, rate and ceiling, by skill."""


def measured(package: str) -> Measured:
    """What ``deliberate priors`` wrote about the skills of a domain."""
    return tomllib.loads((files(package) / "priors.toml").read_text())


def learnable(
    skill: Skill, parameters: tuple[Parameter, ...], prior: Mapping[str, float] | None
) -> Skill:
    """A skill with what can be learned of it, and with the measured curve if there is one."""
    skill = replace(skill, parameters=parameters)
    if prior is None:
        return skill
    curve = Curve("exponential", rate=prior["rate"], ceiling=prior["ceiling"])
    return replace(skill, competence=prior["competence"], curve=curve)
