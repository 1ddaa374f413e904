"""The largest separable sum over a box and a budget."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray, IntArray

ROUNDING = 1e-12


def largest_sum(
    tables: Sequence[FloatArray], costs: IntArray, budget: int
) -> tuple[float, IntArray]:
    """An upper bound on max Σ_v g_v(e_v) with Σ cost_v e_v <= budget, and the episodes behind it.

    The bound hands out the steps of the least concave tables above g by gain per budget unit; the
    last step counts in part.

    Args:
        tables: g_v(0), g_v(1), ..., nondecreasing from 0.
        costs: Budget units per episode, shape (policies,).
        budget: Budget units for episodes beyond the lower end of the box.

    Returns:
        The bound, and the whole episodes e of each policy that reach it up to the last step.
    """
    rising = [v for v, table in enumerate(tables) if table[-1] > table[0]]
    episodes = np.zeros(len(tables), dtype=np.int64)
    if not rising:
        return 0.0, episodes
    gains = [_concave_steps(tables[v]) / costs[v] for v in rising]
    owner = np.repeat(rising, [len(gain) for gain in gains])
    gain = np.concatenate(gains)
    order = np.argsort(-gain, kind="stable")
    order = order[gain[order] > 0]
    cost = costs[owner[order]]
    spent = np.cumsum(cost)
    share = np.clip((budget - (spent - cost)) / cost, 0.0, 1.0)
    total = float((gain[order] * cost * share).sum())
    np.add.at(episodes, owner[order], (share >= 1.0).astype(np.int64))
    return total * (1.0 + ROUNDING), episodes


def _concave_steps(table: FloatArray) -> FloatArray:
    """Steps of the least concave table above one that does not fall."""
    steps: FloatArray = np.diff(table)
    if len(steps) < 2 or (np.diff(steps) <= 0).all():
        return steps
    corners = [0]
    for e in range(1, len(table)):
        while len(corners) > 1 and _slope(table, corners[-2], e) >= _slope(
            table, corners[-2], corners[-1]
        ):
            corners.pop()
        corners.append(e)
    hull = np.interp(np.arange(len(table)), corners, table[corners])
    return np.maximum(np.diff(hull), 0.0) * (1.0 + ROUNDING)


def _slope(table: FloatArray, a: int, b: int) -> float:
    return float(table[b] - table[a]) / (b - a)
