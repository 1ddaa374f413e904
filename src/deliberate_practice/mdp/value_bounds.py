"""Bounds on the optimal value for many vectors of competences at once.

With T v = max(reward, max_a r_a + γ P_a v), and any values v,

    v - max_s (v - T v)_s / (1 - γ)  <=  v*  <=  v + max_s (T v - v)_s / (1 - γ),

because T is monotone and contracts by γ. The decision rule of a neighbouring vector is mostly
optimal, or nearly so: then its values give bounds that meet after one or two steps of policy
iteration, which all vectors make together. To compare values by such bounds takes a small part of
the time of solving for each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.foundation.rounding import EPS
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.moves import DENSE

LARGEST_DISCOUNT = 0.999
"""Above this discount residuals say too little."""

STEPS = 4
"""The most steps of policy iteration."""

TIGHT = 1e-12
"""Relative distance of the bounds at which no further step is made."""

NOISE = 64 * EPS
"""Rounding of a residual, relative to the largest of its terms."""


def value_bounds(
    ground: GroundTask, competences: FloatArray, rule: IntArray
) -> tuple[FloatArray, FloatArray] | None:
    """Lower and upper bounds on the optimal value for each vector, shape (C,) each.

    Args:
        ground: The abstract MDP.
        competences: Competences of the policies, shape (C, policies).
        rule: A decision rule to begin with, -1 for stopping, shape (N,).

    Returns:
        The bounds; None if the task has no actions, too many states or too large a discount for
        this method.
    """
    gamma = ground.task.discount
    if len(ground.start) > DENSE or gamma > LARGEST_DISCOUNT or not len(ground.action_state):
        return None
    parts = _parts(ground)
    onward = parts.failure + competences[:, ground.action_policy, None] * parts.difference
    rules = np.repeat(rule[None], len(competences), axis=0)
    for step in range(1, STEPS + 1):
        values = _rule_values(parts, onward, rules)
        q = parts.gain + (onward @ values[:, :, None])[:, :, 0]
        best = np.maximum.reduceat(q, parts.first, axis=1)
        residual = np.maximum(best, parts.reward[parts.acting]) - values[:, parts.acting]
        noise = NOISE * (np.abs(values).max(axis=1) + parts.largest_gain)
        above = (np.maximum(residual.max(axis=1), 0.0) + noise) / (1 - gamma)
        value = values @ ground.start
        if step == STEPS or (above <= TIGHT * value + 2 * noise / (1 - gamma)).all():
            break
        rules = _improved(parts, rules, q, best, residual > noise[:, None])
    below = (np.maximum(-residual.min(axis=1), 0.0) + noise) / (1 - gamma)
    return value - below, value + above


@dataclass(frozen=True, eq=False)
class _Parts:
    """The full matrices of a task: γP of each action is failure + competence * difference.

    Attributes:
        failure, difference: Shape (A, N).
        gain: Reward of executing each action, shape (A,).
        largest_gain: The largest absolute value of these.
        reward: Reward of arriving in each state, shape (N,).
        first: Index of the first action of every state that has any.
        acting: These states.
        place: The number of each action's state among these, shape (A,).
    """

    failure: FloatArray
    difference: FloatArray
    gain: FloatArray
    largest_gain: float
    reward: FloatArray
    first: IntArray
    acting: IntArray
    place: IntArray


@lru_cache(maxsize=4)
def _parts(ground: GroundTask) -> _Parts:
    actions, states = len(ground.action_state), len(ground.start)
    cells = ground.outcome_action * states + ground.outcome_target
    weight = ground.task.discount * ground.outcome_weight

    def onward(success: bool) -> FloatArray:
        mine = weight * (ground.outcome_success == success)
        amounts = np.bincount(cells, mine, minlength=actions * states)
        return amounts.astype(np.float64).reshape(actions, states)

    failure, gain, first = onward(False), ground.step_reward, ground.first_action
    return _Parts(
        failure=failure,
        difference=onward(True) - failure,
        gain=gain,
        largest_gain=float(np.abs(gain).max()),
        reward=ground.reward,
        first=first,
        acting=ground.action_state[first],
        place=np.repeat(np.arange(len(first)), np.diff(np.append(first, actions))),
    )


def _rule_values(parts: _Parts, onward: FloatArray, rules: IntArray) -> FloatArray:
    """Values of all states under one rule for each vector, shape (C, N)."""
    vectors = np.arange(len(rules))[:, None]
    acts = rules >= 0
    rows = onward[vectors, np.maximum(rules, 0)] * acts[:, :, None]
    right = np.where(acts, parts.gain[np.maximum(rules, 0)], parts.reward)
    system = np.eye(rules.shape[1]) - rows
    return np.asarray(np.linalg.solve(system, right[:, :, None])[:, :, 0])


def _improved(
    parts: _Parts, rules: IntArray, q: FloatArray, best: FloatArray, changes: BoolArray
) -> IntArray:
    """The rules with the best action, or stopping, in the states that change."""
    actions = q.shape[1]
    choices = np.where(q >= best[:, parts.place], np.arange(actions), actions)
    chosen = np.minimum.reduceat(choices, parts.first, axis=1)
    chosen = np.where(best > parts.reward[parts.acting], chosen, -1)
    improved = rules.copy()
    improved[:, parts.acting] = np.where(changes, chosen, rules[:, parts.acting])
    return improved
