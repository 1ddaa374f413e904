"""What a policy contributes at a price for practice, when its uses lie in an interval.

For n_k uses of each kind k of one policy and episodes b in a box [l, h],

    M(n) = max_{l <= b <= h}  Σ_k n_k log φ_k(f(b)) - λ cost b

is convex in n, and it rises more by a use if other kinds are used more often, because each log φ
rises with b. So for n in [a, c] it lies below the affine function through the corners of a chain
a = n⁰, n¹, ..., in which one kind after another goes from a_k to c_k:

    M(n) <= M(a) + Σ_k w_k (n_k - a_k),   w_k = (M(nᵏ) - M(nᵏ⁻¹)) / (c_k - a_k).

Proof: at a corner of [a, c], let the raised kinds go up in the order of the chain. Each of them is
raised when at most as many others are as in the chain, so it adds at most what it adds there. A
convex function that lies below an affine one at all corners of a box does so inside. If a_k = c_k,
any w_k will do; that of the best b makes other uses look as good as they are nearby.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.max_plus import is_concave
from deliberate_practice.allocation.prices import WholeEpisodes
from deliberate_practice.foundation.arrays import FloatArray, IntArray

CELLS = 1_000_000
"""Entries of tables that are scanned at once."""

NEVER = -1e300
"""Stands for log 0 where it may be multiplied by 0."""


class Boxes(NamedTuple):
    """Boxes of episodes and uses, one per row.

    Attributes:
        low, high: Episodes of each practised policy, shape (n, U).
        least, most: Uses of each practised kind, shape (n, K).
    """

    low: IntArray
    high: IntArray
    least: IntArray
    most: IntArray

    def take(self, rows: IntArray | int) -> Boxes:
        """Some of the rows."""
        return Boxes(*(part[rows] for part in self))


class Charges(NamedTuple):
    """Affine functions above M, one per row.

    Attributes:
        constant: Σ_u M(a) - Σ_k a_k w_k over all policies, shape (n,).
        weights: w_k of each practised kind, shape (K, n).
        demand: The best number of episodes of each policy for its most uses, shape (U, n).
        size: The sum of the absolute values of all M and terms of ``constant``, shape (n,).
    """

    constant: FloatArray
    weights: FloatArray
    demand: IntArray
    size: FloatArray


class PricedUses:
    """Charges for the practised policies of a task."""

    def __init__(self, practice: WholeEpisodes) -> None:
        column = {kind: i for i, kind in enumerate(practice.practised_kinds)}
        self.policies = [
            PricedPolicy(
                np.array([practice.logs[k] for k in kinds]),
                practice.cost(dict.fromkeys(kinds, 1)),
                tuple(column[k] for k in kinds),
            )
            for kinds in practice.kinds_by_policy.values()
        ]
        self.owner = np.repeat(
            np.arange(len(self.policies)), [len(policy.columns) for policy in self.policies]
        )

    @property
    def scanned(self) -> int:
        """Entries of the tables that are scanned for each charge."""
        return sum(policy.tables.size for policy in self.policies if not policy.concave)

    def charges(self, boxes: Boxes, prices: FloatArray) -> Charges:
        """The affine functions at one price per row."""
        rows = len(prices)
        constant, size = np.zeros(rows), np.zeros(rows)
        weights = np.empty((boxes.least.shape[1], rows))
        demand = np.empty((len(self.policies), rows), dtype=np.int64)
        for u, policy in enumerate(self.policies):
            low, high = boxes.low[:, u], boxes.high[:, u]
            uses = boxes.least[:, policy.columns].T
            value, demand[u] = policy.best(uses, prices, low, high)
            constant += value
            size += np.abs(value)
            for j, k in enumerate(policy.columns):
                width = boxes.most[:, k] - uses[j]
                uses = uses.copy()
                uses[j] += width
                before, (value, demand[u]) = value, policy.best(uses, prices, low, high)
                with np.errstate(invalid="ignore"):
                    slope = (value - before) / np.maximum(width, 1)
                slope = np.where(width > 0, slope, policy.tables[j, demand[u]])
                weights[k] = np.where(value > -np.inf, slope, -np.inf)
                made = _times(boxes.least[:, k], weights[k])
                with np.errstate(invalid="ignore"):  # an impossible box; its bound is no number
                    constant -= made
                size += np.abs(made)
            size += np.where(value > -np.inf, np.abs(value), 0.0)
        return Charges(constant, weights, demand, size)

    def excess(
        self, boxes: Boxes, prices: FloatArray, weights: FloatArray, uses: IntArray
    ) -> FloatArray:
        """By how much the affine functions exceed M at the given uses, shape (U, n)."""
        excess = np.empty((len(self.policies), len(prices)))
        for u, policy in enumerate(self.policies):
            kinds = list(policy.columns)
            low, high = boxes.low[:, u], boxes.high[:, u]
            least, made = boxes.least[:, kinds].T, uses[kinds]
            affine, _ = policy.best(least, prices, low, high)
            with np.errstate(invalid="ignore"):
                affine = affine + _times(made - least, weights[kinds]).sum(axis=0)
                excess[u] = affine - policy.best(made, prices, low, high)[0]
        return np.nan_to_num(excess, nan=0.0)


@dataclass(frozen=True)
class PricedPolicy:
    """M of one policy.

    Attributes:
        tables: log φ of each of its kinds after 0, 1, ... episodes, shape (kinds, T).
        cost: Budget units per episode.
        columns: Positions of its kinds among all practised kinds.
    """

    tables: FloatArray
    cost: int
    columns: tuple[int, ...]

    def best(
        self, uses: IntArray, prices: FloatArray, low: IntArray, high: IntArray
    ) -> tuple[FloatArray, IntArray]:
        """M(n) for uses of shape (kinds, n), one price and box per column; and the best b."""
        charge = prices * self.cost
        if self.concave:
            gain = np.divide(charge, uses[0], out=np.full(len(charge), np.inf), where=uses[0] > 0)
            b = np.searchsorted(self._losses, -gain).clip(low, high)
        else:
            b = self._scan(uses, charge, low, high)
        return self._total(uses, b) - charge * b, b

    @cached_property
    def concave(self) -> bool:
        """Whether M can be found by marginal gains: one kind, whose table is concave."""
        return len(self.tables) == 1 and is_concave(self.tables[0])

    @cached_property
    def _losses(self) -> FloatArray:
        """Marginal gains with the opposite sign, ascending."""
        return np.sort(-np.diff(self.tables[0]))

    def _total(self, uses: IntArray, b: IntArray) -> FloatArray:
        total: FloatArray = _times(uses, self.tables[:, b]).sum(axis=0)
        return total

    def _scan(self, uses: IntArray, charge: FloatArray, low: IntArray, high: IntArray) -> IntArray:
        """The best b among all in the box."""
        episodes = np.arange(self.tables.shape[1])
        tables = np.maximum(self.tables, NEVER)
        best = np.empty(len(charge), dtype=np.int64)
        step = max(CELLS // len(episodes), 1)
        for part in (slice(i, i + step) for i in range(0, len(charge), step)):
            totals = uses[:, part].T @ tables - charge[part, None] * episodes
            outside = (episodes < low[part, None]) | (episodes > high[part, None])
            totals[outside] = -np.inf
            best[part] = totals.argmax(axis=1)
        return best


def _times(uses: IntArray, logs: FloatArray) -> FloatArray:
    """The product, in which no use of a kind that never works counts 0."""
    with np.errstate(invalid="ignore"):
        return np.where(uses != 0, uses * logs, 0.0)
