"""The skills that a decision rule uses: in every state it can reach, and on its likeliest path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.most_probable import Way, most_probable_ways
from deliberate_practice.mdp.values import Solution


@dataclass(frozen=True)
class Path:
    """Skills that lead to a goal.

    Attributes:
        skills: Names of the skills, in order.
        failing: Positions of skills whose failure leads on; none if successes alone reach a goal.
        goal: Name of the goal; None if no goal can be reached.
    """

    skills: tuple[str, ...] = ()
    failing: tuple[int, ...] = ()
    goal: str | None = None


def most_likely_path(ground: GroundTask, solution: Solution, competence: FloatArray) -> Path:
    """The most probable way to a goal under the optimal decision rule.

    It relies on successes alone. Only if these reach no goal does it rely on failures too.
    """
    skills, goals = ground.task.skills, ground.task.goals
    for failures in (False, True):
        for way in _ways(ground, solution, competence, failures=failures):
            if ground.goal[way.state] >= 0:
                return Path(
                    skills=tuple(skills[skill].name for skill, _ in way.steps),
                    failing=tuple(i for i, (_, success) in enumerate(way.steps) if not success),
                    goal=goals[int(ground.goal[way.state])].name,
                )
    return Path()


def decisions(
    ground: GroundTask, solution: Solution, competence: FloatArray
) -> tuple[tuple[Mapping[str, str], str], ...]:
    """The skill to use in every state that the optimal decision rule can reach."""
    states = sorted(way.state for way in _ways(ground, solution, competence, failures=True))
    actions = ((state, solution.actions[state]) for state in states)
    return tuple(
        (ground.describe(state), ground.task.skills[ground.action_skill[action]].name)
        for state, action in actions
        if action >= 0
    )


def _ways(
    ground: GroundTask, solution: Solution, competence: FloatArray, *, failures: bool
) -> Iterator[Way]:
    starts = {int(state): float(ground.start[state]) for state in np.flatnonzero(ground.start)}
    return most_probable_ways(ground, competence, starts, rule=solution.actions, failures=failures)
