"""How often a fixed behaviour uses each action, and what competence is worth to it."""

from __future__ import annotations

import numpy as np

from deliberate_practice.task.mdp import FloatArray, GroundTask, IntArray
from deliberate_practice.task.values import Solution, transitions


def occupancy(ground: GroundTask, competence: FloatArray, actions: IntArray) -> FloatArray:
    """Discounted expected number of uses of each action: the paper's μ for a fixed policy.

    Solves μ = e + γ Pᵀ μ over the states in which the behaviour acts.

    Args:
        ground: The abstract MDP.
        competence: Competence of each policy, shape (policies,).
        actions: The action taken in each state, -1 for stopping, shape (N,).

    Returns:
        μ, shape (A,); 0 for actions that are not taken.
    """
    from scipy import sparse
    from scipy.sparse.linalg import splu  # importing it takes longer than most solves

    mu = np.zeros(len(ground.action_state))
    acting = np.flatnonzero(actions >= 0)
    if len(acting):
        rows = transitions(ground, competence)[actions[acting]][:, acting]
        inner = sparse.eye_array(len(acting), format="csc") - rows.tocsc()
        visits = splu(inner).solve(ground.start[acting], trans="T")
        mu[actions[acting]] = np.maximum(visits, 0.0)
    return mu


def success_advantage(ground: GroundTask, values: FloatArray) -> FloatArray:
    """γ (value after success - value after failure) of each action, shape (A,)."""
    signed = np.where(ground.outcome_success, ground.outcome_weight, -ground.outcome_weight)
    worth = ground.task.discount * signed * values[ground.outcome_target]
    advantage = np.zeros(len(ground.action_state))
    np.add.at(advantage, ground.outcome_action, worth)
    return advantage


def competence_gradient(
    ground: GroundTask, competence: FloatArray, solution: Solution
) -> FloatArray:
    """Derivative of the optimal value by each policy's competence, shape (policies,).

    dV/dp_u = Σ_{a of u} μ_a γ (Σ_success w v - Σ_failure w v), the behaviour kept fixed.
    """
    mu = occupancy(ground, competence, solution.actions)
    gradient = np.zeros(len(competence))
    np.add.at(gradient, ground.action_policy, mu * success_advantage(ground, solution.values))
    return gradient
