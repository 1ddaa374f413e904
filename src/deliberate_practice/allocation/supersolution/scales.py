"""The scales m of a supersolution: a fixed point, and the test that makes it a proof."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.supersolution.sweep import Sweep
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.foundation.rounding import EPS

SLACK = 1e-10
"""Relative addition to the right sides, so that rounding does not fail the test."""

ROUNDS, INNER = 120, 100
"""Choices of the worst actions and splits, and sweeps with each choice."""

SETTLED = 2e-11
"""Relative change at which sweeps with one choice end."""


class Scales(NamedTuple):
    """m with its worst case.

    Attributes:
        m: Scale of each state, shape (N,).
        action: Worst action of each state, -1 without one, shape (N,).
        level: Worst number of episodes of each action's own policy, above low, shape (A,).
    """

    m: FloatArray
    action: IntArray
    level: IntArray


def find_scales(
    sweep: Sweep,
    least: FloatArray,
    clamp: FloatArray,
    offsets: FloatArray,
    most: FloatArray | None = None,
) -> Scales | None:
    """Scales that satisfy (A) or (B) in every state; None if the test fails.

    Scales rise towards the fixed point, so the search ends as soon as one exceeds its limit.

    Args:
        sweep: The right sides of (B).
        least: Where to begin: at most the fixed point, shape (N,); rewards in goals.
        clamp: U_s + k_s, from which on (A) holds, rounded up, shape (N,).
        offsets: k, shape (N,); m is at least that.
        most: Scales above which the answer has no use, shape (N,); None for no limits.
    """
    actions = sweep.actions
    m = np.where(actions.terminal, actions.reward, np.minimum(np.maximum(least, offsets), clamp))
    action = np.full(len(m), -1)
    level = np.zeros(len(actions.state), dtype=np.int64)
    if not len(actions.state):
        return Scales(m, action, level)
    states = actions.acting
    counts = np.diff(np.append(actions.first, len(actions.state)))
    for _ in range(ROUNDS):
        right, rows, rest, level = sweep.choices(m)
        right = right * (1.0 + SLACK)
        top = np.maximum.reduceat(right, actions.first)
        winners = np.flatnonzero(right >= np.repeat(top, counts))
        worst = winners[np.searchsorted(actions.state[winners], states)]
        action[states] = worst
        if not (np.minimum(top, clamp[states]) > m[states] * (1.0 + SLACK / 2)).any():
            break
        _iterate(m, states, actions.target[worst], rows[worst], rest[worst], clamp)
        if most is not None and (m > most).any():
            return None
    m[states] = np.minimum(np.maximum(m[states], top), clamp[states])
    return Scales(m, action, level) if holds(sweep, m, clamp, offsets).all() else None


def holds(sweep: Sweep, m: FloatArray, clamp: FloatArray, offsets: FloatArray) -> BoolArray:
    """Whether each state satisfies (A) or (B), with all rounding against it, shape (N,)."""
    actions = sweep.actions
    right = np.zeros(len(m))
    if len(actions.state):
        right[actions.acting] = np.maximum.reduceat(sweep.best(m, outward=True), actions.first)
    goals = actions.terminal & (m >= actions.reward)
    return goals | (m >= clamp) | ((m >= offsets) & (m * (1.0 - 4 * EPS) >= right))


def _iterate(
    m: FloatArray,
    states: IntArray,
    target: IntArray,
    rows: FloatArray,
    rest: FloatArray,
    clamp: FloatArray,
) -> None:
    """Raise m in place by sweeps with the chosen actions and splits alone."""
    rows, rest, limit = rows * (1.0 + SLACK), rest * (1.0 + SLACK), clamp[states]
    for _ in range(INNER):
        before = m[states]
        after = np.einsum("nk,nk->n", rows, m[target]) + rest
        after = np.minimum(np.maximum(after, before), limit)
        m[states] = after
        if not (after > before * (1.0 + SETTLED)).any():
            return
