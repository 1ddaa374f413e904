"""The largest total of separable tables within a box and a budget.

    maximise Σ_q t_q(b_q)   subject to   low <= b <= high,   Σ_q cost_q b_q <= B.

Every table rises. Taking the largest gains per budget unit, the last one in part, is never below
the maximum: it leaves out only the rule that gains of a policy are taken in their order. It is
exact for concave tables of equal cost. Other tables are replaced by their concave hulls first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.plan_form.model import Above, Model
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray


class Spent(NamedTuple):
    """Best totals, K at a time.

    Attributes:
        gain: Sum of the gains above the lower corner, at least the maximum, shape (K,).
        split: A split in the box and the budget, best where tables are concave, shape (K, Q).
        price: Gain per unit of the last gain that was taken, 0 if the budget lasts, shape (K,).
    """

    gain: FloatArray
    split: IntArray
    price: FloatArray


def spend(
    gains: FloatArray,
    low: IntArray,
    high: IntArray,
    budget: int,
    cost: IntArray,
    concave: BoolArray,
) -> Spent:
    """Spend a budget on gains, in each of K boxes.

    Args:
        gains: Gain of each policy from level t to t + 1, shape (K, Q, L).
        low: Lower corners, shape (K, Q).
        high: Upper corners.
        budget: Budget units, those of the lower corners included.
        cost: Budget units per episode, shape (Q,).
        concave: Policies whose gains certainly fall, shape (Q,).
    """
    count, policies, length = gains.shape
    level = np.arange(length)
    inside = (level >= low[:, :, None]) & (level < high[:, :, None])
    gains = np.where(inside, gains, 0.0)
    for q in np.flatnonzero(~concave):
        for k in range(count):
            box = slice(low[k, q], high[k, q])
            gains[k, q, box] = falling(gains[k, q, box])
    left = np.maximum(budget - low @ cost, 0)
    total, price = np.zeros(count), np.zeros(count)
    split = low.copy()
    equal = bool((cost == cost[:1]).all())
    for k in range(count):
        items = np.flatnonzero(gains[k])
        worth = gains[k].ravel()[items]
        if equal:
            n = int(left[k]) // int(cost[0])
            if n < len(items):
                if n:
                    best = np.argpartition(worth, len(worth) - n)[len(worth) - n :]
                    price[k] = worth[best].min() / cost[0]
                else:
                    best, price[k] = items[:0], worth.max(initial=0.0) / cost[0]
                items, worth = items[best], worth[best]
            total[k] = worth.sum()
        else:
            units = cost[items // length]
            order = np.argsort(-worth / units, kind="stable")
            spent = np.cumsum(units[order])
            n = int(np.searchsorted(spent, left[k], side="right"))
            total[k] = worth[order[:n]].sum()
            if n < len(order):
                part = (left[k] - (spent[n - 1] if n else 0)) / units[order[n]]
                total[k] += part * worth[order[n]]
                price[k] = worth[order[n]] / units[order[n]]
            items = items[order[:n]]
        split[k] += np.bincount(items // length, minlength=policies)
    return Spent(total, split, price)


def falling(gains: FloatArray) -> FloatArray:
    """Gains of the concave hull of a table: neighbours are pooled until the gains fall."""
    means: list[float] = []
    sizes: list[int] = []
    for gain in gains.tolist():
        means.append(gain)
        sizes.append(1)
        while len(means) > 1 and means[-1] > means[-2]:
            size = sizes[-2] + sizes[-1]
            means[-2:] = [(means[-2] * sizes[-2] + means[-1] * sizes[-1]) / size]
            sizes[-2:] = [size]
    return np.repeat(means, sizes)


def maximise(
    model: Model, above: Above, low: IntArray, high: IntArray, *, hull: bool = True
) -> tuple[FloatArray, FloatArray, Spent]:
    """The largest values of separable functions, and the sums of their absolute terms.

    Args:
        model: The plans.
        above: The functions.
        low: Lower corners of the boxes.
        high: Upper corners.
        hull: Whether extra tables that bend upward are replaced by their hulls. Without that the
            result is still not too small, and faster where tables bend little.
    """
    parts = above.coefficient * model.atoms(low)
    gains = np.add.reduceat(
        above.coefficient[:, :, None] * model.step[None], model.first_atom, axis=1
    )
    base, terms = parts.sum(axis=1), np.abs(parts).sum(axis=1)
    concave = model.concave
    if above.extra is not None:
        at_low = np.take_along_axis(above.extra, low[:, :, None], axis=2)[:, :, 0]
        base, terms = base + at_low.sum(axis=1), terms + np.abs(at_low).sum(axis=1)
        rise = np.diff(above.extra, axis=2)
        gains = gains + rise
        # Only a table that bends upward needs its hull.
        if hull:
            concave = concave & ~(np.diff(gains, axis=2) > model.noise).any(axis=(0, 2))
    spent = spend(np.maximum(gains, 0.0), low, high, model.budget, model.cost, concave)
    most = above.constant + base + spent.gain
    return most, np.abs(above.constant) + terms + spent.gain, spent
