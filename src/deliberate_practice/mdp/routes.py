"""The most probable way from the start to where a skill can be started."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.mdp.ground_task import GroundTask


@dataclass(frozen=True)
class Route:
    """How to reach a skill.

    Attributes:
        skill: The skill to reach.
        skills: Skills to execute first.
        probability: That all of them succeed.
    """

    skill: str
    skills: tuple[str, ...]
    probability: float


def routes(ground: GroundTask, competence: FloatArray) -> dict[str, Route]:
    """The most probable route to every skill that can be reached, by name of the skill.

    Routes start in the most probable start state, count on no failure, and of equal ones the
    shorter is taken, then the one whose skills come first in the file.

    Args:
        ground: The task with all its reachable states (``ground(task, everything=True)``).
        competence: Competence of each policy, shape (policies,).
    """
    edges = _success_edges(ground, competence)
    skills = [skill.name for skill in ground.task.skills]
    startable: dict[int, list[int]] = {}
    for state, skill in zip(
        ground.action_state.tolist(), ground.action_skill.tolist(), strict=True
    ):
        startable.setdefault(state, []).append(skill)
    first = int(np.argmax(ground.start))
    queue: list[tuple[float, int, tuple[int, ...], int]] = [(-1.0, 0, (), first)]
    done: set[int] = set()
    found: dict[str, Route] = {}
    while queue and len(found) < len(skills):
        negative, length, route, state = heapq.heappop(queue)
        if state in done:
            continue
        done.add(state)
        for skill in startable.get(state, ()):
            names = tuple(skills[i] for i in route)
            found.setdefault(skills[skill], Route(skills[skill], names, -negative))
        for skill, target, probability in edges.get(state, ()):
            if target not in done:
                ahead = (negative * probability, length + 1, (*route, skill), target)
                heapq.heappush(queue, ahead)
    return found


def _success_edges(
    ground: GroundTask, competence: FloatArray
) -> dict[int, list[tuple[int, int, float]]]:
    """(skill, target, probability) of what success can do in each state."""
    probability = ground.probabilities(competence)
    chosen = ground.outcome_success & (probability > 0)
    action = ground.outcome_action[chosen]
    edges: dict[int, list[tuple[int, int, float]]] = {}
    for state, skill, target, p in zip(
        ground.action_state[action].tolist(),
        ground.action_skill[action].tolist(),
        ground.outcome_target[chosen].tolist(),
        probability[chosen].tolist(),
        strict=True,
    ):
        edges.setdefault(state, []).append((skill, target, p))
    return edges
