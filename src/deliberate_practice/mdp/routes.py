"""The most probable route from the start to a skill's precondition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.most_probable import most_probable_ways


@dataclass(frozen=True)
class Route:
    """A route to a skill's precondition.

    Attributes:
        skill: The skill to reach.
        skills: Skills to execute first.
        probability: Probability that all of them succeed.
    """

    skill: str
    skills: tuple[str, ...]
    probability: float


def routes(ground: GroundTask, competence: FloatArray) -> dict[str, Route]:
    """The most probable route to every reachable skill, by name of the skill.

    Routes start in the most probable start state and rely on no failure. Among equally probable
    routes the shorter is taken, then the one whose skills come first in the file.

    Args:
        ground: The task with all its reachable states (``ground(task, everything=True)``).
        competence: Competence of each policy, shape (policies,).
    """
    skills = [skill.name for skill in ground.task.skills]
    startable: dict[int, list[str]] = {}
    for state, skill in zip(
        ground.action_state.tolist(), ground.action_skill.tolist(), strict=True
    ):
        startable.setdefault(state, []).append(skills[skill])
    best: dict[str, Route] = {}
    for way in most_probable_ways(ground, competence, {int(np.argmax(ground.start)): 1.0}):
        names = tuple(skills[skill] for skill, _ in way.steps)
        for skill in startable.get(way.state, ()):
            best.setdefault(skill, Route(skill, names, way.probability))
        if len(best) == len(skills):
            break
    return best
