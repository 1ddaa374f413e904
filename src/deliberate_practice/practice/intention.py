"""The robot's own plan: its best behaviour under its present belief."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from deliberate_practice.allocation.plan import Plan
from deliberate_practice.beliefs.gaps import Losses
from deliberate_practice.foundation.arrays import IntArray
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.rule import StartPath, met_states, most_likely_path
from deliberate_practice.mdp.values import solve
from deliberate_practice.practice.robot import Choice, Step
from deliberate_practice.strategies.composition import best_composed
from deliberate_practice.task.model import SEVERAL, Task


@dataclass(frozen=True)
class Intention:
    """The present plan of a robot.

    Attributes:
        ground: The abstract MDP of its task.
        goal: The goal it aims for; None if it would do nothing. If there are several tasks, the
            goals of all tasks in one text.
        plan: The most likely path of successes to that goal, each skill as deployed.
        value: The expected reward.
        rule: Its action in each state, -1 for stopping, shape (N,).
        steps: Every skill of the task as deployed.
        starts: If there are several starts or tasks, the plan from each start.
    """

    ground: GroundTask
    goal: str | None
    plan: tuple[Step, ...]
    value: float
    rule: IntArray
    steps: Mapping[str, Step]
    starts: tuple[StartPath, ...] = ()

    @property
    def skills(self) -> tuple[str, ...]:
        """Names of the skills of the plan."""
        return tuple(step.skill for step in self.plan)

    def choices(self, path: StartPath) -> tuple[Choice, ...]:
        """The decision rule as a table: the step in every state that it may meet from a start."""
        ground = self.ground
        names = [skill.name for skill in ground.task.skills]
        starts = [
            state
            for state in np.flatnonzero(ground.start).tolist()
            if not path.start
            or (
                ground.own_state(state) == path.start
                and ground.describe(state).get(SEVERAL, path.task) == path.task
            )
        ]
        met = met_states(ground, self.rule, np.array(starts, dtype=np.int64))
        return tuple(
            Choice(ground.own_state(state), self.steps[names[skill]])
            for state, skill in zip(met, ground.action_skill[self.rule[met]], strict=True)
        )


class Known(Protocol):
    """The knowledge that an intention follows from."""

    @property
    def task(self) -> Task:
        """The task."""
        ...

    @property
    def competences(self) -> Mapping[str, float]:
        """Believed competence of every policy."""
        ...

    @property
    def losses(self) -> Losses:
        """The expected composition gaps."""
        ...

    def step(self, skill: str) -> Step:
        """A skill with its presently deployed parameters."""
        ...


def intention(ground: GroundTask, state: Known) -> Intention:
    """The optimal decision rule for the believed competences, with the deployed parameters.

    After a probe it is the plan that is worth most with the expected composition gaps.
    """
    believed = state.competences
    competence = np.array([believed[name] for name in ground.policy_names])
    solution = solve(ground, competence)
    path = most_likely_path(ground, solution, competence)
    steps = {skill.name: state.step(skill.name) for skill in state.task.skills}
    plan = tuple(steps[name] for name in path.skills)
    rule = solution.actions
    best = best_composed(ground, competence, state.losses) if state.losses else None
    if best is None:
        return Intention(ground, path.goal, plan, solution.value, rule, steps, path.starts)
    chosen, value = best
    plan = tuple(steps[name] for name in chosen.skills)
    return Intention(ground, chosen.goal, plan, value, along(ground, chosen, rule), steps)


def along(ground: GroundTask, plan: Plan, rule: IntArray) -> IntArray:
    """A decision rule that executes a plan on its way, and is the given one elsewhere."""
    names = [skill.name for skill in ground.task.skills]
    changed, state = rule.copy(), int(np.flatnonzero(ground.start)[0])
    for skill in plan.skills:
        action = next(
            a
            for a in np.flatnonzero(ground.action_state == state).tolist()
            if names[ground.action_skill[a]] == skill
        )
        changed[state] = action
        outcomes = (ground.outcome_action == action) & ground.outcome_success
        state = next(s for s in ground.outcome_target[outcomes].tolist() if s != state)
    return changed
