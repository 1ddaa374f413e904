"""What the robot would do: the most likely path to a goal, and the whole decision rule."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.values import Solution


@dataclass(frozen=True)
class Path:
    """Skills that lead to a goal.

    Attributes:
        skills: Names of the skills, in order.
        failing: Positions of skills whose failure leads on; none if successes alone reach a goal.
        goal: Name of the goal; None if there is no way to one.
    """

    skills: tuple[str, ...] = ()
    failing: tuple[int, ...] = ()
    goal: str | None = None


def most_likely_path(ground: GroundTask, solution: Solution, competence: FloatArray) -> Path:
    """The most probable way to a goal under the optimal decision rule.

    It counts on successes alone. Only where these reach no goal it counts on failures too.
    """
    successes = _most_likely(ground, solution, competence, failures=False)
    if successes.goal is not None:
        return successes
    return _most_likely(ground, solution, competence, failures=True)


def _most_likely(
    ground: GroundTask, solution: Solution, competence: FloatArray, *, failures: bool
) -> Path:
    rule = _Rule(ground, solution, competence)
    queue: list[tuple[float, int, tuple[str, ...], tuple[int, ...]]] = [
        (-float(ground.start[s]), int(s), (), ()) for s in np.flatnonzero(ground.start)
    ]
    heapq.heapify(queue)
    done: set[int] = set()
    while queue:
        probability, state, skills, failing = heapq.heappop(queue)
        if state in done:
            continue
        done.add(state)
        if ground.goal[state] >= 0:
            return Path(skills, failing, ground.task.goals[int(ground.goal[state])].name)
        for target, success, p in rule.successors(state):
            if target not in done and (success or failures):
                skill = ground.task.skills[int(ground.action_skill[solution.actions[state]])].name
                failed = failing if success else (*failing, len(skills))
                heapq.heappush(queue, (probability * p, target, (*skills, skill), failed))
    return Path()


def decisions(
    ground: GroundTask, solution: Solution, competence: FloatArray
) -> tuple[tuple[Mapping[str, str], str], ...]:
    """The skill to use in every state that the optimal decision rule can come to."""
    rule = _Rule(ground, solution, competence)
    stack, seen = [int(s) for s in np.flatnonzero(ground.start)], set()
    while stack:
        state = stack.pop()
        if state not in seen:
            seen.add(state)
            stack.extend(target for target, _, _ in rule.successors(state))
    return tuple(
        (ground.describe(s), ground.task.skills[int(ground.action_skill[solution.actions[s]])].name)
        for s in sorted(seen)
        if solution.actions[s] >= 0
    )


class _Rule:
    """Where a decision rule leads."""

    def __init__(self, ground: GroundTask, solution: Solution, competence: FloatArray) -> None:
        self._ground, self._actions = ground, solution.actions
        self._probability = ground.probabilities(competence)

    def successors(self, state: int) -> list[tuple[int, bool, float]]:
        """Where the action of a state may lead: the target, whether by success, how probably."""
        ground, action = self._ground, int(self._actions[state])
        if action < 0:
            return []
        first, last = np.searchsorted(ground.outcome_action, [action, action + 1])
        return [
            (int(ground.outcome_target[k]), bool(ground.outcome_success[k]), p)
            for k in range(first, last)
            if (p := float(self._probability[k])) > 0
        ]
