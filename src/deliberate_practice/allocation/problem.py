"""The allocation problem: a grounded task, a budget, and every policy's competence table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.checks import LARGEST_BUDGET, number, one_of, whole_number
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import Solution, solve
from deliberate_practice.task.model import Policy, Task

LONGEST = 5_000_000
"""The most episodes of one policy that are tabulated."""


@dataclass(frozen=True)
class Problem:
    """Choose episodes b_u >= 0 with Σ cost_u b_u <= budget to maximise the task's optimal value.

    The unit of a policy that is trained elsewhere is a whole round: its table has the competence
    after 0, 1, 2, ... rounds, each of which costs its demonstrations and its training run.
    Evaluations are not charged: how many are worth their price depends on what the others show.

    Attributes:
        ground: The abstract MDP.
        budget: Budget units to spend.
        tables: f_u(0), f_u(1), ... while it rises within the budget, for each policy in file
            order; a policy that is not practised has one entry.
        continuous: Whether b may be fractional, as in the paper.
        leads: Episodes of each policy that turning to it takes: its table begins with so many
            entries without practice, and the episodes of a split include them.
    """

    ground: GroundTask
    budget: int
    tables: tuple[FloatArray, ...]
    continuous: bool = False
    leads: tuple[int, ...] = ()

    @cached_property
    def policies(self) -> tuple[Policy, ...]:
        """The policies in file order."""
        return tuple(self.ground.task.policies.values())

    @cached_property
    def costs(self) -> IntArray:
        """Budget units per episode of each policy, or per round."""
        return np.array([policy.price for policy in self.policies])

    @cached_property
    def useful_budget(self) -> int:
        """Budget units that can have an effect: tables end where competence stops rising."""
        most = sum(
            cost * (len(t) - 1) for cost, t in zip(self.costs.tolist(), self.tables, strict=True)
        )
        return int(self.budget if self.continuous else min(self.budget, most))

    @cached_property
    def practised(self) -> IntArray:
        """Indices of the policies that practice within the budget can change."""
        return np.flatnonzero([len(table) > 1 for table in self.tables])

    def competence(self, episodes: Sequence[float] | IntArray | FloatArray) -> FloatArray:
        """Predicted competence of each policy after the given episodes."""
        if self.continuous:
            return np.array(
                [
                    policy.predict(np.asarray(b)).item()
                    for policy, b in zip(self.policies, episodes, strict=True)
                ]
            )
        return np.array(
            [t[min(int(b), len(t) - 1)] for t, b in zip(self.tables, episodes, strict=True)]
        )

    def practice(self, split: Mapping[str, float]) -> dict[str, float]:
        """The episodes of a split in which each policy is practised, without turning to it.

        Rounds become demonstrations.
        """
        lost = dict(zip(self.ground.policy_names, self.leads, strict=False))
        stride = {policy.name: policy.stride for policy in self.policies}
        return {u: (b - lost.get(u, 0)) * stride[u] for u, b in split.items() if b > lost.get(u, 0)}

    def with_leads(self, practice: Mapping[str, float]) -> list[float]:
        """The episodes of each policy, in file order, that a split of practice takes in all.

        Demonstrations become rounds.
        """
        lost = self.leads or (0,) * len(self.policies)
        mine = [float(practice.get(policy.name, 0)) / policy.stride for policy in self.policies]
        return [b + lead if b > 0 else 0.0 for b, lead in zip(mine, lost, strict=True)]

    def competence_of(self, u: int, episodes: float) -> float:
        """Predicted competence of one policy after the given episodes."""
        if self.continuous:
            return float(self.policies[u].predict(np.asarray(episodes)).item())
        table = self.tables[u]
        return float(table[min(int(episodes), len(table) - 1)])

    def solve(
        self,
        episodes: Sequence[float] | IntArray | FloatArray,
        deadline: float | None = None,
        rule: IntArray | None = None,
    ) -> Solution:
        """Optimal value and decision rule after the given episodes, or the best by the deadline.

        ``rule`` is the decision rule after a similar split, if one is known.
        """
        return solve(self.ground, self.competence(episodes), deadline=deadline, rule=rule)


def build_problem(
    task: Task | GroundTask,
    budget: int,
    *,
    curves: Mapping[str, Sequence[float]] | None = None,
    speeds: Mapping[str, float] | None = None,
    continuous: bool = False,
) -> Problem:
    """Build the allocation problem of a task and a budget.

    Args:
        task: The task; pass a grounded one to ground only once.
        budget: Budget units, a whole number >= 0.
        curves: Competence after 0, 1, 2, ... episodes by policy, instead of the stated curves
            (e.g. a belief's predictions), or demonstrations; constant after its end.
        speeds: Factors on stated rates by policy.
        continuous: Allow fractions of episodes.
    """
    budget = whole_number("budget", budget, 0, LARGEST_BUDGET)
    grounded = task if isinstance(task, GroundTask) else ground(task)
    policies = grounded.task.policies
    for argument, given in (("curves", curves), ("speeds", speeds)):
        if not isinstance(given or {}, Mapping):
            raise ArgumentError(f"{argument}: {given!r} is not a mapping by names of policies.")
        for name in given or ():
            one_of(f"{argument}: policy", name, policies, ArgumentError)
    for name, speed in (speeds or {}).items():
        number(f"speeds: '{name}'", speed, 0, open_low=True, error=ArgumentError)
    if continuous and (curves or speeds):
        raise ArgumentError(
            "continuous: given curves are whole-episode tables; leave out one of the two."
        )

    def table(policy: Policy) -> FloatArray:
        longest = budget // policy.price
        if curves and policy.name in curves:
            return _given_table(policy, curves[policy.name], longest)
        if policy.curve is None:
            return np.array([policy.competence])
        speed = (speeds or {}).get(policy.name, 1.0) * policy.stride
        rising = math.ceil(min(policy.curve.saturation / speed, LARGEST_BUDGET))
        if min(longest, rising) > LONGEST:
            raise _too_long(policy, budget)
        return policy.table(min(longest, rising), speed)

    tables = tuple(_delayed(table(policy), policy, budget) for policy in policies.values())
    leads = tuple(policy.lead for policy in policies.values())
    if continuous and any(policy.rounds for policy in policies.values()):
        raise ArgumentError(
            "continuous: skills of this task are trained in whole rounds of demonstrations; leave "
            "it out."
        )
    if continuous and any(leads):
        raise ArgumentError(
            "continuous: skills of this task state what turning to them costs (switch), in whole "
            "episodes; leave out one of the two."
        )
    return Problem(grounded, budget, tables, continuous, leads if any(leads) else ())


def _delayed(table: FloatArray, policy: Policy, budget: int) -> FloatArray:
    """A table in which the first episodes are those that turning to the policy takes."""
    if not policy.lead or len(table) == 1:
        return table
    left = budget // policy.price - policy.lead
    if left <= 0 or table[min(left, len(table) - 1)] <= table[0]:
        return table[:1]
    if policy.lead > LONGEST:
        raise _too_long(policy, budget)
    return np.concatenate([np.full(policy.lead, table[0]), table[: left + 1]])


def _too_long(policy: Policy, budget: int) -> ArgumentError:
    return ArgumentError(
        f"budget: {budget} allows more than {LONGEST:,} episodes of '{policy.name}' that would "
        "still improve it; count in larger units, or state a larger rate."
    )


def _given_table(policy: Policy, values: Sequence[float], longest: int) -> FloatArray:
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.zeros(0)
    valid = given.ndim == 1 and len(given) and given.min() >= 0 and given.max() <= 1
    if not valid or (np.diff(given) < 0).any():
        raise ArgumentError(
            f"curves: the table of '{policy.name}' must be a nondecreasing list of probabilities."
        )
    rounds = np.arange(min(longest, -(-(len(given) - 1) // policy.stride)) + 1)
    return given[np.minimum(rounds * policy.stride, len(given) - 1)]
