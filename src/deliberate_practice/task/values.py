"""Optimal value and policy of a grounded task for given competences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from deliberate_practice.errors import TaskError
from deliberate_practice.task.mdp import BoolArray, FloatArray, GroundTask, IntArray

SWEEPS = 200
"""Sweeps of value iteration before policy iteration finishes exactly."""

TOLERANCE = 1e-12
"""An action is better only if it gains more than this, relative to the value it improves."""


@dataclass(frozen=True)
class Solution:
    """Optimal behaviour for fixed competences.

    Attributes:
        value: Expected discounted reward from the start distribution.
        values: The same from each state, shape (N,).
        actions: Best action in each state, -1 for stopping (and in goals), shape (N,).
    """

    value: float
    values: FloatArray
    actions: IntArray


def solve(ground: GroundTask, competence: FloatArray) -> Solution:
    """Value iteration from 0, then policy iteration: exact, also for discount 1.

    Both start from stopping everywhere and change an action only for a strict gain, so no policy
    on the way runs in circles for ever, and the result is the least nonnegative solution of
    v = max(0, max_a r + γ P v).

    Args:
        ground: The abstract MDP.
        competence: Competence of each policy, shape (policies,).

    Raises:
        TaskError: The value is infinite (a rewarding circle with discount 1).
    """
    transition = transitions(ground, competence)
    gain = ground.step_reward
    v = ground.reward.copy()
    policy = np.full(len(v), -1)
    noise = TOLERANCE * float(np.abs(gain).max(initial=0.0))  # step costs cancel, rewards do not
    terminal = ground.goal >= 0
    for _ in range(SWEEPS):
        if not _improve(ground, gain + transition @ v, v, policy, noise, set_values=True):
            break
    while True:
        v = evaluate(ground, transition, policy, terminal)
        if not _improve(ground, gain + transition @ v, v, policy, noise, set_values=False):
            return Solution(float(ground.start @ v), v, policy)


def transitions(ground: GroundTask, competence: FloatArray) -> sparse.csr_array:
    """Discounted transition matrix, shape (A, N)."""
    shape = (len(ground.action_state), len(ground.start))
    data = ground.task.discount * ground.probabilities(competence)
    return sparse.csr_array((data, (ground.outcome_action, ground.outcome_target)), shape=shape)


def evaluate(
    ground: GroundTask, transition: sparse.csr_array, policy: IntArray, terminal: BoolArray
) -> FloatArray:
    """Value of each state under a fixed policy (action per state, -1 for stopping)."""
    from scipy.sparse.linalg import splu  # importing it takes longer than most solves

    acting = np.flatnonzero(policy >= 0)
    v = np.where(terminal, ground.reward, 0.0)
    if not len(acting):
        return v
    rows = transition[policy[acting]]
    right = ground.step_reward[policy[acting]] + rows @ v
    inner = sparse.eye_array(len(acting), format="csc") - rows[:, acting].tocsc()
    try:
        v[acting] = splu(inner).solve(right)
    except RuntimeError:  # a singular matrix: a circle that is never left
        v[acting] = np.inf
    if not np.isfinite(v).all() or v.min() < -1e-6:
        raise TaskError(
            "discount",
            "the value is infinite: some circle of skills pays for ever; use a discount below 1.",
        )
    return v


def _improve(
    ground: GroundTask,
    q: FloatArray,
    v: FloatArray,
    policy: IntArray,
    noise: float,
    *,
    set_values: bool,
) -> bool:
    """Switch every state with a strictly better action to its best one; report any change."""
    if not len(q):
        return False
    first = np.flatnonzero(np.diff(ground.action_state, prepend=-1))
    states = ground.action_state[first]
    best = np.maximum.reduceat(q, first)
    better = best > v[states] * (1 + TOLERANCE) + noise
    if not better.any():
        return False
    spread = np.repeat(best, np.diff(np.append(first, len(q))))
    winners = np.flatnonzero(q >= spread)
    winner_of = winners[np.searchsorted(ground.action_state[winners], states)]
    policy[states[better]] = winner_of[better]
    if set_values:
        v[states[better]] = best[better]
    return True
