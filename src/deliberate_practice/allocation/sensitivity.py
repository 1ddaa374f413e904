"""Sensitivity of an allocation to learning rates half or twice as large as stated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.problem import Problem, build_problem
from deliberate_practice.allocation.result import Allocation
from deliberate_practice.allocation.tolerances import GAP
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.checks import one_of
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.task.model import Policy, Task

FACTORS = (0.5, 2.0)


@dataclass(frozen=True)
class Variation:
    """The best answer if one policy were learned at another rate.

    Attributes:
        policy: The policy with another rate.
        factor: Factor on its rate.
        value: Optimal value at that rate.
        kept_value: Value at that rate of the split for the stated rates.
        goal: Goal of the best plan at that rate.
        plan: The best plan at that rate.
        changes: Whether that is another plan.
    """

    policy: str
    factor: float
    value: float
    kept_value: float
    goal: str | None
    plan: tuple[str, ...]
    changes: bool


def sensitivity(
    task: Task | GroundTask,
    budget: int,
    allocation: Allocation | None = None,
    *,
    solver: str = "auto",
    gap: float = GAP,
    time_limit: float | None = None,
) -> tuple[Variation, ...]:
    """Vary the rate of each practisable policy by 1/2 and by 2, one at a time.

    Args:
        task: The task.
        budget: Budget units.
        allocation: The allocation to test, in whole episodes; computed by default.
        solver, gap, time_limit: As for ``allocate``, for each variation. If answers are not proven
            optimal, a change of plan may only be a difference between two searches.
    """
    grounded = task if isinstance(task, GroundTask) else ground(task)
    split = partial(allocate, grounded, budget, solver=solver, gap=gap, time_limit=time_limit)
    if allocation is not None:
        _check_allocation(grounded, budget, allocation)
    stated = allocation or split()
    variations = []
    for policy in filter(lambda policy: policy.practisable, grounded.task.policies.values()):
        for factor in FACTORS:
            varied = build_problem(grounded, budget, speeds={policy.name: factor})
            best = split(curves={policy.name: _curve(varied, policy).tolist()})
            kept = varied.solve(varied.with_leads(stated.allocation)).value
            variations.append(
                Variation(
                    policy=policy.name,
                    factor=factor,
                    value=max(best.value, kept),
                    kept_value=kept,
                    goal=best.goal,
                    plan=best.plan,
                    changes=sorted(best.skills) != sorted(stated.skills),
                )
            )
    return tuple(variations)


def _curve(problem: Problem, policy: Policy) -> FloatArray:
    """Competence of a policy after 0, 1, ... episodes of practice, as ``allocate`` takes it.

    Its table also has the episodes that turning to it takes, and an entry only for each round.
    """
    table = problem.tables[problem.ground.policy_names.index(policy.name)]
    practised = table[policy.lead :] if len(table) > 1 else table
    return np.repeat(practised, policy.stride)[policy.stride - 1 :]


def _check_allocation(grounded: GroundTask, budget: int, allocation: Allocation) -> None:
    if not isinstance(allocation, Allocation):
        raise ArgumentError(
            f"allocation: {allocation!r} is not an allocation; give what dp.allocate returned."
        )
    if allocation.continuous:
        raise ArgumentError("sensitivity: give an allocation in whole episodes.")
    if allocation.budget != budget:
        raise ArgumentError(
            f"allocation: it splits a budget of {allocation.budget}, not of {budget}; give both "
            "for the same budget, or leave it out."
        )
    for name in allocation.allocation:
        one_of("allocation: policy", name, grounded.policy_names, ArgumentError)
