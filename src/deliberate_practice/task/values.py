"""Optimal value and policy of a grounded task for given competences."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from deliberate_practice.errors import ArgumentError, TaskError
from deliberate_practice.task.mdp import FloatArray, GroundTask, IntArray

if TYPE_CHECKING:
    from scipy import sparse  # loads long, and small tasks do without

SWEEPS = 200
"""Sweeps of value iteration before policy iteration finishes exactly."""

DENSE = 100
"""Up to this many states full matrices are faster than sparse ones."""

TOLERANCE = 1e-12
"""An action is better only if it gains more than this, relative to the value it improves."""

ROUNDING = 1e-9
"""How far means of competences may be outside [0, 1]."""


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


def solve(ground: GroundTask, competence: Sequence[float] | FloatArray) -> Solution:
    """Value iteration from 0, then policy iteration: exact, also for discount 1.

    Both start from stopping everywhere and change an action only for a strict gain, so no policy
    on the way runs in circles for ever, and the result is the least nonnegative solution of
    v = max(0, max_a r + γ P v).

    Args:
        ground: The abstract MDP.
        competence: Competence of each policy, shape (policies,).

    Raises:
        TaskError: The value is infinite (a rewarding circle with discount 1).
        ArgumentError: There is not one probability for each policy.
    """
    competence = checked_competence(ground, competence)
    transition = (_dense_transitions if len(ground.start) <= DENSE else transitions)(
        ground, competence
    )
    gain = ground.step_reward
    v = ground.reward.copy()
    policy = np.full(len(v), -1)
    noise = TOLERANCE * float(np.abs(gain).max(initial=0.0))  # step costs cancel, rewards do not
    for _ in range(SWEEPS):
        before = policy.copy()
        improved = improve(ground, gain + transition @ v, v, policy, noise)
        if not improved or np.array_equal(policy, before):
            break  # from here on policy iteration is faster

    def better(v: FloatArray) -> bool:
        return improve(ground, gain + transition @ v, v, policy, noise)

    v = iterate_policies(lambda: evaluate(ground, transition, policy), better, [policy])
    return Solution(float(ground.start @ v), v, policy)


def checked_competence(ground: GroundTask, competence: object) -> FloatArray:
    """One probability for each policy, as an array; they may exceed [0, 1] by rounding."""
    if not isinstance(ground, GroundTask):
        raise ArgumentError(f"{reprlib.repr(ground)} is not grounded; give dp.ground(task).")
    try:
        p = np.asarray(competence, dtype=np.float64)
    except (TypeError, ValueError):
        p = np.full(1, np.nan)
    names = ground.policy_names
    if p.shape != (len(names),) or not (p.min() >= -ROUNDING and p.max() <= 1 + ROUNDING):
        raise ArgumentError(
            f"competence: {reprlib.repr(competence)} is not valid; give one number within [0, 1] "
            f"for each policy, in this order: {', '.join(names)}."
        )
    return p


def iterate_policies(
    value: Callable[[], FloatArray],
    better: Callable[[FloatArray], bool],
    choices: Sequence[IntArray | FloatArray],
) -> FloatArray:
    """Policy iteration, from choices that are no worse than stopping.

    In exact arithmetic values only rise, so it ends. Rounding can make choices of equal value take
    turns for ever, even with choices that run in circles; then the best that came up are taken.

    Args:
        value: Values of the states for the present choices.
        better: Changes the choices to better ones for given values; says whether there were any.
        choices: What ``better`` changes in place; in the end they are those of the values returned.

    Raises:
        TaskError: The value is infinite (a rewarding circle with discount 1).
    """
    most, best, kept = -np.inf, np.zeros(0), [choice.copy() for choice in choices]
    seen: set[bytes] = set()
    while (key := b"".join(choice.tobytes() for choice in choices)) not in seen:
        seen.add(key)
        v = value()
        check_finite(v)
        if v.sum() > most:
            most, best, kept = v.sum(), v.copy(), [choice.copy() for choice in choices]
        if not better(v):
            return v
    for choice, good in zip(choices, kept, strict=True):
        choice[:] = good
    return best


def transitions(ground: GroundTask, competence: FloatArray) -> sparse.csr_array:
    """Discounted transition matrix, shape (A, N), for the given competences of the policies."""
    return transition_matrix(ground, ground.probabilities(competence))


def transition_matrix(ground: GroundTask, probabilities: FloatArray) -> sparse.csr_array:
    """Discounted transition matrix, shape (A, N), for the given probabilities of outcomes."""
    from scipy import sparse

    shape = (len(ground.action_state), len(ground.start))
    data = ground.task.discount * probabilities
    return sparse.csr_array((data, (ground.outcome_action, ground.outcome_target)), shape=shape)


def _dense_transitions(ground: GroundTask, competence: FloatArray) -> FloatArray:
    """As :func:`transitions`, as a full matrix: faster for few states."""
    n, actions = len(ground.start), len(ground.action_state)
    cell = ground.outcome_action * n + ground.outcome_target
    data = ground.task.discount * ground.probabilities(competence)
    full = np.bincount(cell, data, minlength=actions * n).astype(np.float64)
    return full.reshape(actions, n)


def evaluate(
    ground: GroundTask, transition: sparse.csr_array | FloatArray, policy: IntArray
) -> FloatArray:
    """Value of each state under a fixed policy (action per state, -1 for stopping).

    Where the policy runs in a circle that is never left, the values are infinite.
    """
    acting = np.flatnonzero(policy >= 0)
    v = ground.reward.copy()
    if not len(acting):
        return v
    rows = transition[policy[acting]]
    right = ground.step_reward[policy[acting]] + rows @ v
    try:
        v[acting] = _solve_linear(rows[:, acting], right)
    except (RuntimeError, np.linalg.LinAlgError):  # singular
        v[acting] = np.inf
    return v


def check_finite(v: FloatArray) -> None:
    """Refuse values of a policy that improved on stopping, and yet are infinite or negative."""
    if not np.isfinite(v).all() or v.min() < -1e-6:
        raise TaskError(
            "discount",
            "the value is infinite: some circle of skills pays for ever; use a discount below 1.",
        )


def _solve_linear(inner: sparse.csr_array | FloatArray, right: FloatArray) -> FloatArray:
    """Solve (I - inner) v = right."""
    if isinstance(inner, np.ndarray):
        return np.linalg.solve(np.eye(len(right)) - inner, right).astype(np.float64)
    from scipy import sparse
    from scipy.sparse.linalg import splu  # importing it takes longer than most solves

    identity = sparse.eye_array(len(right), format="csc")
    solution: FloatArray = splu(identity - inner.tocsc()).solve(right)
    return solution


def improve(
    ground: GroundTask, q: FloatArray, v: FloatArray, policy: IntArray, noise: float
) -> bool:
    """Switch every state with a strictly better action to its best one, the first of equals.

    Args:
        ground: The abstract MDP.
        q: Value of each action, shape (A,).
        v: Value of each state, shape (N,), raised in place.
        policy: Action of each state, shape (N,), changed in place.
        noise: Gains up to this are none.

    Returns:
        Whether anything changed.
    """
    if not len(q):
        return False
    first = ground.first_action
    states = ground.action_state[first]
    best = np.maximum.reduceat(q, first)
    better = best > v[states] * (1 + TOLERANCE) + noise
    if not better.any():
        return False
    spread = np.repeat(best, np.diff(np.append(first, len(q))))
    winners = np.flatnonzero(q >= spread)
    winner_of = winners[np.searchsorted(ground.action_state[winners], states)]
    policy[states[better]] = winner_of[better]
    v[states[better]] = best[better]
    return True
