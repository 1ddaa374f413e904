"""The uses of each action by a fixed decision rule, and the value of competence to it."""

from __future__ import annotations

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.mdp.chain import chain_visits
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.moves import moves
from deliberate_practice.mdp.values import Solution


def occupancy(ground: GroundTask, competence: FloatArray, actions: IntArray) -> FloatArray:
    """Discounted expected number of uses of each action: the paper's μ of a fixed decision rule.

    Solves μ = e + γ Pᵀ μ over the states in which the decision rule acts.

    Args:
        ground: The abstract MDP.
        competence: Competence of each policy, shape (policies,).
        actions: The action taken in each state, -1 for stopping, shape (N,).

    Returns:
        μ, shape (A,); 0 for actions that are not taken.
    """
    mu = np.zeros(len(ground.action_state))
    if (actions >= 0).any():
        steps = moves(ground, competence[ground.action_policy])
        acting, onward, _, leak = steps.chain(actions)
        mu[actions[acting]] = chain_visits(onward, leak, ground.start[acting])
    return mu


def success_advantage(ground: GroundTask, values: FloatArray) -> FloatArray:
    """γ (value after success - value after failure) of each action, shape (A,)."""
    signed = np.where(ground.outcome_success, ground.outcome_weight, -ground.outcome_weight)
    return ground.by_action(ground.task.discount * signed * values[ground.outcome_target])


def competence_gradient(
    ground: GroundTask, competence: FloatArray, solution: Solution
) -> FloatArray:
    """Derivative of the optimal value with respect to each policy's competence, shape (policies,).

    dV/dp_u = Σ_{a of u} μ_a γ (Σ_success w v - Σ_failure w v), with the decision rule fixed.
    """
    mu = occupancy(ground, competence, solution.actions)
    return ground.by_policy(mu * success_advantage(ground, solution.values))
