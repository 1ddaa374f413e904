"""A node of the search: a box of splits, and limits on the values from single starts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray


def _nothing() -> FloatArray:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class Outcome:
    """A start whose value is uncertain, and where to divide its range."""

    start: int
    value: float
    error: float


@dataclass(frozen=True, eq=False)
class Node:
    """Splits low <= b <= high within the budget with floor_i <= V_i(b) <= ceiling_i.

    Attributes:
        low, high: Episodes, shape (policies,).
        floor, ceiling: Limits on the value from each start, shape (starts,).
        keep: Actions of the task that its splits may need, shape (A,).
        upper, lower: Values of states that hold on the box, shape (N,).
        split: A split of the box within the budget, shape (policies,).
        adversary: The split at which the bound is reached, shape (policies,).
        value: The value of ``split``.
        bound: Upper bound on the value of all splits of the node; -inf if it has none.
        single: Whether all its splits have the same competences.
        scores: How much the value may differ within the box by each policy, shape (policies,).
        factor: The factor of tangent shapes that was best.
        priced: The bound of price shapes relative to the corner bound, when last tried.
        outcome: The start with the largest error of its chord; None with one start.
    """

    low: IntArray
    high: IntArray
    floor: FloatArray
    ceiling: FloatArray
    keep: BoolArray
    upper: FloatArray
    lower: FloatArray
    split: IntArray
    adversary: IntArray
    value: float = 0.0
    bound: float = math.inf
    single: bool = False
    scores: FloatArray = field(default_factory=_nothing)
    factor: float = 0.2
    priced: float = 1.0
    outcome: Outcome | None = None
