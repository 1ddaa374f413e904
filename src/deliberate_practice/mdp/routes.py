"""The most probable route from the start to a skill's precondition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
        start: Where the episode begins, as variable -> value, if the task has several starts.
    """

    skill: str
    skills: tuple[str, ...]
    probability: float
    start: Mapping[str, str] = field(default_factory=dict)


def routes(ground: GroundTask, competence: FloatArray) -> dict[str, Route]:
    """The most probable route to every reachable skill, by name of the skill.

    Routes start in the most probable start state and rely on no failure. If there are several
    tasks, each route starts in the start state, of any task, from which it is most probable. Among
    equally probable routes the shorter is taken, then the one whose skills come first in the file.

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
    starts = np.flatnonzero(ground.start) if ground.tasks else [np.argmax(ground.start)]
    begin = {int(state): 1.0 for state in starts}
    for way in most_probable_ways(ground, competence, begin):
        names = tuple(skills[skill] for skill, _ in way.steps)
        start = ground.own_state(way.start) if ground.has_several_starts else {}
        for skill in startable.get(way.state, ()):
            best.setdefault(skill, Route(skill, names, way.probability, start))
        if len(best) == len(skills):
            break
    return best
