"""Better splits by exchanges of episodes, judged by a fast evaluation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deliberate_practice.foundation.arrays import IntArray

STEPS = (16, 8, 4, 2, 1)
"""Episodes per exchange."""


def climb(
    split: IntArray,
    high: IntArray,
    costs: IntArray,
    budget: int,
    value: Callable[[IntArray], float],
    evaluations: int,
) -> IntArray:
    """Move episodes between policies while that raises the value.

    Args:
        split: Where to begin, shape (policies,).
        high: The most episodes of each policy, shape (policies,).
        costs: Budget units per episode, shape (policies,).
        budget: Budget units.
        value: The value of a split.
        evaluations: The most splits to evaluate.
    """
    best, level = split.copy(), value(split)
    for step in STEPS:
        improved = True
        while improved and evaluations > 0:
            improved = False
            for other in _exchanges(best, high, costs, budget, step):
                if evaluations <= 0:
                    break
                evaluations -= 1
                reached = value(other)
                if reached > level * (1 + 1e-9):
                    best, level, improved = other, reached, True
                    break
    return best


def _exchanges(
    split: IntArray, high: IntArray, costs: IntArray, budget: int, step: int
) -> list[IntArray]:
    """Splits with more episodes of one policy, paid by what is left and by one other policy."""
    found = []
    left = budget - int(costs @ split)
    takers = np.flatnonzero(high > split)
    for u in takers:
        more = int(min(step, high[u] - split[u]))
        missing = more * int(costs[u]) - left
        for w in np.flatnonzero(split) if missing > 0 else [u]:
            given = -(-missing // int(costs[w])) if missing > 0 else 0
            if (w == u and missing > 0) or given > split[w]:
                continue
            other = split.copy()
            other[u] += more
            other[w] -= given
            found.append(other)
    return found
