"""What the robot would do: the most likely successful path, and the whole decision."""

from __future__ import annotations

import heapq
from collections.abc import Mapping

import numpy as np

from deliberate_practice.task.mdp import FloatArray, GroundTask
from deliberate_practice.task.values import Solution


def most_likely_path(
    ground: GroundTask, solution: Solution, competence: FloatArray
) -> tuple[tuple[str, ...], str | None]:
    """Skills on the most probable way to a goal under the optimal policy, and that goal's name."""
    successors = _successors(ground, solution, competence)
    queue: list[tuple[float, int, tuple[str, ...]]] = [
        (-float(ground.start[s]), int(s), ()) for s in np.flatnonzero(ground.start)
    ]
    heapq.heapify(queue)
    done: set[int] = set()
    while queue:
        probability, state, skills = heapq.heappop(queue)
        if state in done:
            continue
        done.add(state)
        if ground.goal[state] >= 0:
            return skills, ground.task.goals[int(ground.goal[state])].name
        for target, p in successors.get(state, ()):
            if target not in done and p > 0:
                skill = ground.task.skills[int(ground.action_skill[solution.actions[state]])].name
                heapq.heappush(queue, (probability * p, target, (*skills, skill)))
    return (), None


def decisions(
    ground: GroundTask, solution: Solution, competence: FloatArray
) -> tuple[tuple[Mapping[str, str], str], ...]:
    """The skill to use in every state that the optimal policy can come to."""
    successors = _successors(ground, solution, competence)
    stack, seen = [int(s) for s in np.flatnonzero(ground.start)], set()
    while stack:
        state = stack.pop()
        if state not in seen:
            seen.add(state)
            stack.extend(target for target, p in successors.get(state, ()) if p > 0)
    return tuple(
        (ground.describe(s), ground.task.skills[int(ground.action_skill[solution.actions[s]])].name)
        for s in sorted(seen)
        if solution.actions[s] >= 0
    )


def _successors(
    ground: GroundTask, solution: Solution, competence: FloatArray
) -> dict[int, list[tuple[int, float]]]:
    """Where the chosen action of each state leads, and how probably."""
    probability = ground.probabilities(competence)
    state = ground.action_state[ground.outcome_action]
    chosen = solution.actions[state] == ground.outcome_action
    successors: dict[int, list[tuple[int, float]]] = {}
    for s, t, p in zip(
        state[chosen].tolist(),
        ground.outcome_target[chosen].tolist(),
        probability[chosen].tolist(),
        strict=True,
    ):
        successors.setdefault(s, []).append((t, p))
    return successors
