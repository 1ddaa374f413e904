"""What was measured of skills in physics, in a file beside the scene's code."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files

from deliberate_practice.task.curves import Exponential
from deliberate_practice.task.model import Task
from deliberate_practice.task.skill import Parameter, Skill


def learnable(
    task: Task, parameters: Mapping[str, tuple[Parameter, ...]], package: str | None
) -> Task:
    """A task with what can be learned of each skill, and the measured curves as accurate priors.

    Args:
        task: What is stated without physics.
        parameters: Of every skill.
        package: Where ``priors.toml`` is, as ``deliberate priors`` wrote it; None if nothing was
            measured: then priors are what the task states.
    """
    found = tomllib.loads((files(package) / "priors.toml").read_text()) if package else {}
    skills = [
        _with_curve(replace(skill, parameters=parameters[skill.name]), found.get(skill.name))
        for skill in task.skills
    ]
    return replace(task, skills=skills, priors="accurate" if package else task.priors)


def _with_curve(skill: Skill, prior: Mapping[str, float] | None) -> Skill:
    if prior is None:
        return skill
    curve = Exponential(rate=prior["rate"], ceiling=prior["ceiling"])
    return replace(skill, competence=prior["competence"], curve=curve)
