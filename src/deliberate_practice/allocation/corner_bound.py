"""An upper bound that needs no search: every policy practised with the whole budget.

Success is not always worth more than failure, so each action takes the better end of its own
interval [p(0), p(B)]. That interval MDP is worth at least as much as the task after any split of
the budget, because every split is one of the choices the interval MDP has.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from deliberate_practice.allocation.occupancy import success_advantage
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.errors import TaskError
from deliberate_practice.task.mdp import FloatArray, GroundTask
from deliberate_practice.task.values import (
    evaluate,
    improve,
    iterate_policies,
    transition_matrix,
    transitions,
)

if TYPE_CHECKING:
    from scipy import sparse

SWEEPS = 200
"""Sweeps of value iteration; policy iteration finishes the upper values exactly."""

TOLERANCE = 1e-12
"""A choice is better only if it gains more than this, relative to the value it improves."""


def corner_bound(problem: Problem) -> float:
    """No split of the budget is worth more than this.

    Solves v_s = max(0, max_a max_{p in {p_u(0), p_u(B)}} r_a + γ Σ P(p) v), least solution.

    Args:
        problem: Task, budget and competence tables.

    Returns:
        The bound; infinite where the interval MDP has no finite value (discount 1 alone).
    """
    try:
        return float(problem.ground.start @ upper_values(problem))
    except TaskError:
        return math.inf


def value_rises(problem: Problem) -> bool:
    """Whether more competence is certainly never worth less: a sufficient check.

    The value falls with p_u only where an action in use has S < F, with S and F the values after
    success and after failure. There F = σ v_s + O, with σ the probability that failure changes
    nothing and O its other outcomes, and v_s <= max(r, 0) + γ F because the action is in use; so
    F <= (O + σ max(r, 0)) / (1 - γσ). If the least possible S is at least the largest possible F,
    by this limit or directly, that cannot happen. Failures that end or stay have O = 0 and pass.

    Args:
        problem: Task, budget and competence tables.

    Returns:
        True if it is proven for all competences within [p(0), p(B)]; False if it may not hold.
    """
    ground = problem.ground
    low, high = competence_range(problem)
    changes = (high > low)[ground.action_policy]
    source = ground.action_state[ground.outcome_action]
    failure = ~ground.outcome_success
    stays = ground.outcome_target == source
    if (
        not (failure & ~stays & changes[ground.outcome_action]).any()
        and not (ground.step_reward > 0).any()
    ):
        return True  # O = 0 everywhere
    try:
        most = upper_values(problem)
    except TaskError:
        return False
    least = lower_values(problem)

    def total(worth: FloatArray) -> FloatArray:
        result = np.zeros(len(ground.action_state))
        np.add.at(result, ground.outcome_action, ground.outcome_weight * worth)
        return result

    success = total(ground.outcome_success * least[ground.outcome_target])
    anything = total(failure * most[ground.outcome_target])
    elsewhere = total((failure & ~stays) * most[ground.outcome_target])
    sigma = total((failure & stays).astype(np.float64))
    left = 1 - ground.task.discount * sigma
    gained = elsewhere + sigma * np.maximum(ground.step_reward, 0.0)
    limit = np.where(
        gained <= 0, 0.0, np.divide(gained, left, out=np.full_like(left, np.inf), where=left > 0)
    )
    return bool((success >= np.minimum(anything, limit))[changes].all())


def competence_range(problem: Problem) -> tuple[FloatArray, FloatArray]:
    """Competences without practice, and with the whole budget for each policy."""
    if problem.continuous:
        return problem.competence(np.zeros(len(problem.tables))), problem.competence(
            problem.budget / problem.costs
        )
    return problem.lowest, problem.highest


def upper_values(problem: Problem) -> FloatArray:
    """Value of each state in the interval MDP that chooses its competences, shape (N,).

    Raises:
        TaskError: The value is infinite (a rewarding circle with discount 1).
    """
    ground = problem.ground
    ends = [p[ground.action_policy] for p in competence_range(problem)]
    p = ends[1].copy()
    v = ground.reward.copy()
    policy = np.full(len(v), -1)
    noise = TOLERANCE * float(np.abs(ground.step_reward).max(initial=0.0))

    def matrix() -> sparse.csr_array:
        return transition_matrix(ground, ground.outcome_probabilities(p))

    def step(v: FloatArray) -> bool:
        _choose_competence(ground, v, p, ends)
        return improve(ground, ground.step_reward + matrix() @ v, v, policy, noise)

    for _ in range(SWEEPS):
        if not step(v):
            break
    return iterate_policies(lambda: evaluate(ground, matrix(), policy), step, [policy, p])


def lower_values(problem: Problem) -> FloatArray:
    """A value that no competences within the range can undercut, for each state, shape (N,).

    Value iteration from 0 on v_s = max(0, max_a min_p ...) rises, so it may stop anywhere.
    """
    ground = problem.ground
    low, high = (transitions(ground, p) for p in competence_range(problem))
    v = ground.reward.copy()
    policy = np.full(len(v), -1)
    for _ in range(SWEEPS):
        q = ground.step_reward + np.minimum(low @ v, high @ v)
        if not improve(ground, q, v, policy, 0.0):
            break
    return v


def _choose_competence(
    ground: GroundTask, v: FloatArray, p: FloatArray, ends: list[FloatArray]
) -> None:
    """Give each action the end of its interval that is worth more; equals keep what they have."""
    advantage = success_advantage(ground, v)
    strict = np.abs(advantage) * (ends[1] - ends[0]) > TOLERANCE * v[ground.action_state]
    p[strict] = np.where(advantage > 0, ends[1], ends[0])[strict]
