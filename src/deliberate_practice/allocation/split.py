"""Split a budget over the policies of one plan, exactly.

    maximise Σ_u g_u(b_u)   subject to   Σ_u cost_u b_u <= B,  b whole,

with g_u any nondecreasing table (-inf allowed): a multiple-choice knapsack, solved for all budgets
up to B at once. Tables are combined two at a time by (max, +) convolution. If both are concave and
costs are equal, that is a merge of their marginal gains.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol

import numpy as np

from deliberate_practice.allocation.max_plus import convolve, is_concave
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.deadline import check

PRICES = 24
"""Prices tried in each of two passes."""


class Splitter(Protocol):
    """The best splits of a budget over the policies of one plan.

    Attributes:
        exact: Whether its totals are optimal; otherwise they are only attainable.
    """

    exact: bool

    def totals(self, budgets: IntArray) -> FloatArray:
        """Best Σ g_u for each of the given whole budgets."""
        ...

    def cheapest(self, needed: float, budget: int) -> tuple[float, dict[int, float]]:
        """Budget units and episodes by policy of the cheapest split that reaches a total."""
        ...


class Split:
    """All best splits of budgets 0 ... B into whole episodes.

    Args:
        tables: g_u(0), g_u(1), ... by policy, in the order in which ties are broken.
        costs: Budget units per episode.
        budget: B.
        deadline: When to give up.

    Raises:
        Late: The deadline has passed.
    """

    exact = True

    def __init__(
        self,
        tables: Mapping[int, FloatArray],
        costs: Mapping[int, int],
        budget: int,
        deadline: float | None = None,
    ) -> None:
        self._policies = list(tables)
        self._unit = math.gcd(*costs.values()) or 1
        self._tables = list(tables.values())
        self._costs = [costs[u] // self._unit for u in self._policies]
        # Best totals of the policies from i on, for each number of budget units.
        self._rest: list[FloatArray] = [np.zeros(budget // self._unit + 1)]
        concave = True
        for table, cost in zip(reversed(self._tables), reversed(self._costs), strict=True):
            check(deadline)
            concave = concave and cost == 1 and is_concave(table)
            rest = self._rest[-1]
            self._rest.append(
                _merge(table, rest) if concave else convolve(table, cost, rest, deadline)
            )
        self._rest[-1] = np.maximum.accumulate(self._rest[-1])  # it already is, up to rounding
        self._rest.reverse()
        self._known: dict[tuple[float, int], list[int]] = {}

    def totals(self, budgets: IntArray) -> FloatArray:
        """Best Σ g_u for each of the given whole budgets."""
        return self._rest[0][np.minimum(budgets // self._unit, len(self._rest[0]) - 1)]

    def cheapest(self, needed: float, budget: int) -> tuple[float, dict[int, float]]:
        """Budget units and episodes by policy of the cheapest split that reaches a total.

        Among several, the split with most episodes for earlier policies is taken. If rounding puts
        the total out of reach within ``budget``, the best split is taken.
        """
        within = self._rest[0][: budget // self._unit + 1]  # nondecreasing
        budget = int(np.searchsorted(within, min(needed, within[-1]))) * self._unit
        if (needed, budget) not in self._known:
            self._known[needed, budget] = self._shares(needed, budget)
        shares = self._known[needed, budget]
        spent = sum(cost * k for cost, k in zip(self._costs, shares, strict=True)) * self._unit
        return spent, {u: k for u, k in zip(self._policies, shares, strict=True) if k}

    def _shares(self, needed: float, budget: int) -> list[int]:
        budget //= self._unit
        shares = []
        for i, (table, cost) in enumerate(zip(self._tables, self._costs, strict=True)):
            most = min(len(table) - 1, budget // cost)
            totals = table[: most + 1] + self._rest[i + 1][budget - cost * np.arange(most + 1)]
            enough = np.flatnonzero(totals >= min(needed, totals.max()))
            share = int(enough[-1]) if totals.max() > -np.inf else 0
            shares.append(share)
            budget -= cost * share
            needed -= table[share]
        return shares


def _merge(table: FloatArray, rest: FloatArray) -> FloatArray:
    """(max, +) convolution of two concave tables: take the largest gains first."""
    gains = np.concatenate([np.diff(table), np.diff(rest)])
    best = -np.sort(-gains)[: len(rest) - 1]
    totals: FloatArray = np.append(0.0, np.cumsum(best)) + (table[0] + rest[0])
    return totals


class PricedSplit:
    """Good splits, found at once: each policy buys the episodes that are worth a price per unit.

    Every price gives one split that is best for the budget it spends. Between two such budgets the
    cheaper split is taken.

    Args:
        tables: g_u(0), g_u(1), ... by policy.
        costs: Budget units per episode.
        budget: B; prices are chosen for it.
    """

    exact = False

    def __init__(
        self, tables: Mapping[int, FloatArray], costs: Mapping[int, int], budget: int
    ) -> None:
        self._tables, self._costs = tables, costs
        points = [self._point(0.0), self._point(math.inf)]
        prices = np.geomspace(1e-15, 1e3, PRICES)
        for _ in range(2):
            tried = [self._point(float(price)) for price in prices]
            points += tried
            affordable = int(np.argmax([spent <= budget for spent, _, _ in tried]))
            prices = np.geomspace(prices[max(affordable - 1, 0)], prices[affordable], PRICES)
        self._points = sorted(points, key=lambda point: (point[0], -point[1]))
        self._spent = np.array([spent for spent, _, _ in self._points])
        self._best = np.maximum.accumulate([total for _, total, _ in self._points])

    def totals(self, budgets: IntArray) -> FloatArray:
        """Σ g_u of a good split of each of the given whole budgets."""
        place = np.searchsorted(self._spent, budgets, side="right") - 1
        return np.where(place >= 0, self._best[np.maximum(place, 0)], -np.inf)

    def cheapest(self, needed: float, budget: int) -> tuple[float, dict[int, float]]:
        """Budget units and episodes by policy of the cheapest split that reaches a total."""
        enough = min(needed, float(self.totals(np.array([budget]))[0]))
        spent, _, shares = next(point for point in self._points if point[1] >= enough)
        return spent, {u: b for u, b in shares.items() if b}

    def _point(self, price: float) -> tuple[int, float, dict[int, int]]:
        """Units, total and episodes by policy of the split at a price."""
        shares = {}
        for u, table in self._tables.items():
            worth = table if price == 0 else table[:1]
            if 0 < price < math.inf:
                worth = table - price * self._costs[u] * np.arange(len(table))
            shares[u] = int(np.argmax(worth))
        spent = sum(self._costs[u] * b for u, b in shares.items())
        return spent, sum(float(self._tables[u][b]) for u, b in shares.items()), shares
