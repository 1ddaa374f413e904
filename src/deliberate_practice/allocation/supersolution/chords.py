"""Several starts: one concave separable bound from one supersolution for each of them.

On a box V_i(b) + k_i <= m_i exp(T_i(b)) with T_i(b) = Σ_v η_iv h_v(b_v). If V_i lies within
[floor_i, ceiling_i], then on [x_i, y_i], the range of T_i that this allows,

    V_i(b) + k_i <= m_i (e^{x_i} + S_i (T_i(b) - x_i)),    S_i = (e^{y_i} - e^{x_i}) / (y_i - x_i).

The chord lies above exp inside the interval. Beyond y_i it is above e^{y_i}, which the ceiling
forbids V_i to exceed, and T_i(b) < x_i contradicts the floor. The sum over starts is concave and
separable, so ``master.py`` bounds its largest value. With one start the bound is m exp(max T) - k.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.supersolution.master import largest_sum
from deliberate_practice.allocation.supersolution.node import Outcome
from deliberate_practice.allocation.supersolution.shape import Shape
from deliberate_practice.foundation.arrays import FloatArray, IntArray

ROUNDING = 1e-11
"""Relative margin against rounding of the sums."""

NARROW = 1e-7
"""Intervals of T shorter than this have a constant instead of a chord."""


class Budgeted(NamedTuple):
    """A bound within the budget.

    Attributes:
        bound: Upper bound on Σ_i w_i V_i; -inf if no split satisfies the floors.
        episodes: Episodes above the lower end of the box at which it is reached.
        outcome: The start with the largest error of its chord; None with one start.
    """

    bound: float
    episodes: IntArray
    outcome: Outcome | None


def budgeted_bound(
    shape: Shape,
    m: FloatArray,
    starts: IntArray,
    weights: FloatArray,
    floor: FloatArray,
    ceiling: FloatArray,
    costs: IntArray,
    budget: int,
) -> Budgeted:
    """Bound Σ_i w_i V_i over a box and a budget.

    Args:
        shape: Heights, weights and offsets of the supersolution.
        m: Its scales, shape (N,).
        starts: Start states.
        weights: Their probabilities w.
        floor, ceiling: Limits on the value from each start.
        costs: Budget units per episode, shape (policies,).
        budget: Budget units above the lower end of the box.
    """
    constant = size = 0.0
    slopes = [np.zeros_like(height) for height in shape.heights]
    ranges: list[tuple[float, float]] = []
    for i, s in enumerate(starts):
        eta, k, scale = shape.weights[s], shape.offsets[s], m[s]
        tables = [eta[v] * height for v, height in enumerate(shape.heights)]
        top, _ = largest_sum(tables, costs, budget)
        most = scale * math.exp(top) * (1 + ROUNDING)
        if most - k < floor[i] * (1 - ROUNDING):
            return Budgeted(-math.inf, np.zeros(len(slopes), dtype=np.int64), None)
        x = _log_ratio(floor[i] + k, scale, 0.0, top)
        y = _log_ratio(ceiling[i] + k, scale, x, top)
        ranges.append((x, y))
        if y - x < NARROW:
            constant += weights[i] * (min(most, ceiling[i] + k) - k)
            size += weights[i] * (min(most, ceiling[i] + k) + k)
            continue
        slope = scale * math.exp(x) * math.expm1(y - x) / (y - x)
        constant += weights[i] * (scale * math.exp(x) - slope * x - k)
        size += weights[i] * (scale * math.exp(y) + slope * x + k)
        slopes = [
            one + weights[i] * slope * table for one, table in zip(slopes, tables, strict=True)
        ]
    total, episodes = largest_sum(slopes, costs, budget)
    bound = constant + total + ROUNDING * (size + total)
    outcome = _worst(shape, m, starts, weights, ranges, episodes) if len(starts) > 1 else None
    return Budgeted(float(bound), episodes, outcome)


def _log_ratio(value: float, scale: float, low: float, high: float) -> float:
    """log(value / scale), not below low and not above high."""
    if value <= 0 or scale <= 0:
        return low
    return min(max(math.log(value / scale), low), high)


def _worst(
    shape: Shape,
    m: FloatArray,
    starts: IntArray,
    weights: FloatArray,
    ranges: list[tuple[float, float]],
    episodes: IntArray,
) -> Outcome | None:
    """The start whose chord is furthest above exp at the adversary's split."""
    at = np.array([height[e] for height, e in zip(shape.heights, episodes, strict=True)])
    worst: Outcome | None = None
    for i, (s, (x, y)) in enumerate(zip(starts, ranges, strict=True)):
        if y - x < NARROW:
            continue
        t = min(max(float(shape.weights[s] @ at), x), y)
        chord = math.exp(x) + math.exp(x) * math.expm1(y - x) / (y - x) * (t - x)
        error = float(weights[i] * m[s] * (chord - math.exp(t)))
        if worst is None or error > worst.error:
            cut = min(max(t, x + 0.15 * (y - x)), y - 0.15 * (y - x))
            worst = Outcome(i, float(m[s] * math.exp(cut) - shape.offsets[s]), error)
    return worst
