"""Values between which all splits of a box lie, and the actions that matter there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.supersolution.actions import Actions
from deliberate_practice.allocation.supersolution.scales import find_scales
from deliberate_practice.allocation.supersolution.shape import Box, flat_shape
from deliberate_practice.allocation.supersolution.sweep import BoxRates, Sweep
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray

SWEEPS = 60
"""Sweeps that raise the lower values."""

ROUNDING = 1e-11
"""Relative margin against rounding when values are compared."""


class Interval(NamedTuple):
    """Upper and lower values on a box, shape (N,), and the actions to keep, shape (A,)."""

    upper: FloatArray
    lower: FloatArray
    keep: BoolArray


def interval_values(
    actions: Actions, box: Box, starts: IntArray, upper: FloatArray, lower: FloatArray
) -> Interval:
    """Tighten values that hold on a larger box, and drop actions that no split of this box needs.

    An action is dropped if it is worth less than the lower value of its state even with the best
    competence of the box and the upper values, or if no start leads to its state any more.

    Args:
        actions: The actions that remain on the larger box.
        box: The box.
        starts: Start states.
        upper: Upper values on the larger box, shape (N,).
        lower: Lower values there, shape (N,).
    """
    # Without heights the right side is monotone in the competence, so its ends are enough.
    sweep = Sweep(BoxRates(actions, box.ends), flat_shape(box.ends, len(upper)))
    zero = np.zeros(len(upper))
    scales = find_scales(sweep, lower, upper, zero)
    if scales is not None:
        upper = np.minimum(upper, scales.m)
    lower = _raised(actions, box, lower)
    if not len(actions.state):
        return Interval(upper, lower, np.zeros(0, dtype=np.bool_))
    optimistic = sweep.best(upper, outward=True)
    keep = optimistic >= lower[actions.state] * (1.0 - ROUNDING)
    reached = actions.only(keep).reached(starts)
    return Interval(upper, lower, keep & reached[actions.state])


def _raised(actions: Actions, box: Box, lower: FloatArray) -> FloatArray:
    """v_s = max(v_s, max_a min_p ...), which may stop at any time; rounded down."""
    if not len(actions.state):
        return lower
    lower = lower.copy()
    ends = []
    for end in (0, -1):
        p = np.array([table[end] for table in box.tables])
        ends.append(actions.rates(p[actions.policy]))
    states = actions.acting
    for _ in range(SWEEPS):
        ahead = lower[actions.target]
        worst = np.full(len(actions.state), np.inf)
        for rates, gain in ends:
            flow = np.einsum("ak,ak->a", rates, ahead)
            worst = np.minimum(worst, flow + gain - ROUNDING * (flow + np.abs(gain)))
        best = np.maximum.reduceat(worst, actions.first)
        if not (best > lower[states] * (1.0 + 1e-9)).any():
            break
        lower[states] = np.maximum(lower[states], best)
    return lower
