"""The best completion of a plan from every state, at several prices for practice at once.

A policy that a plan uses N times contributes M_λ(N) to its bound, and M_λ is convex in N, because
practice is paid for once. So the charges for single uses must never exceed M_λ(N) in total. With K
the most uses on any way to a goal, two kinds of charges satisfy that:

* exact: a label is charged M_λ(n) for its own n uses, and each use ahead M_λ(K) - M_λ(K - 1), the
  least that any use adds; for K = 1 this is the full price, for unlimited K nothing;
* spread: every use, made or ahead, is charged M_λ(K) / K, its share of the chord.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from deliberate_practice.allocation.longest_paths import LongestPaths
from deliberate_practice.allocation.prices import WholeEpisodes
from deliberate_practice.allocation.product_form import ProductForm
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.foundation.deadline import check

COARSE, FINE = 12, 6
"""Prices on the first grid, and on the second one around the best price of the first."""

RANGE = 1e-4
"""The smallest price of the first grid, relative to the largest."""


DENSE = 100
"""With at most this many states, finding cycles is faster than importing a graph package."""


class Completion:
    """h(s): the best Σ charges + log R over all ways from s to a goal, one column per charge.

    Attributes:
        prices: The price λ of each column, shape (L,).
        logs: h(s), shape (N, L).
        repeats: Whether a plan can use some practised policy several times.
        shared: The same, but not in a cycle.

    Raises:
        Late: The deadline has passed; an incomplete computation gives no bound.
    """

    prices: FloatArray
    logs: FloatArray
    _spread: BoolArray
    _weights: FloatArray

    def __init__(
        self,
        form: ProductForm,
        practice: WholeEpisodes,
        budgets: IntArray,
        deadline: float | None = None,
    ) -> None:
        self._form, self._practice = form, practice
        self._paths = LongestPaths(form, deadline)
        self._uses = most_uses(form, deadline)
        grid = practice.steepest() * np.geomspace(RANGE, 1.0, COARSE)
        self.repeats = any(self._uses[u] > 1 for u in practice.kinds_by_policy)
        self.shared = any(1 < self._uses[u] < np.inf for u in practice.kinds_by_policy)
        spreads = (False, True) if self.shared else (False,)
        self._solve([(0.0, False), *((float(price), s) for s in spreads for price in grid)])
        if len(budgets) == 1 and grid[-1] > 0:
            # A single budget needs few columns: those around the least upper bound on all plans.
            fine: list[tuple[float, bool]] = [(0.0, False)]
            for s in spreads:
                near = self.prices[self._around(int(budgets[0]), s)]
                fine += [(float(price), s) for price in np.geomspace(near[0], near[-1], FINE)]
            self._solve(fine)
            kept = np.concatenate([[0], *(self._around(int(budgets[0]), s) for s in spreads)])
            self.prices, self._spread = self.prices[kept], self._spread[kept]
            self._weights = self._weights[:, kept]
            self.logs = np.ascontiguousarray(self.logs[:, kept])

    def gain(self, kind: int, before: Mapping[int, int]) -> FloatArray:
        """The charges of a label for one more use of a kind, given its policy's uses so far."""
        after = {**before, kind: before.get(kind, 0) + 1}
        added = self._practice.best(after, self.prices) - self._practice.best(before, self.prices)
        uses = self._uses[self._form.kinds[kind].policy]
        if uses < np.inf:
            added[self._spread] = self._chord(kind, uses)[self._spread]
        return added

    def sample_plans(self) -> set[tuple[int, ...]]:
        """The plans that are best in some column, as edges from the start to a goal."""
        columns = range(len(self.prices))
        plans = {self._paths.trace(self._weights[:, c], self.logs[:, c]) for c in columns}
        return plans - {()}

    def best_plan(self, logs_by_kind: FloatArray) -> tuple[int, ...]:
        """The plan with the largest value for fixed log φ of each kind, as edges."""
        return self._paths.trace(logs_by_kind, self._paths.sweep(logs_by_kind[:, None])[:, 0])

    def _around(self, budget: int, spread: bool) -> IntArray:
        """The column of one charge with the least upper bound on all plans, and its neighbours."""
        columns = 1 + np.flatnonzero(self._spread[1:] == spread)
        upper = self.logs[self._form.start] + self.prices * budget
        best = int(np.argmin(upper[columns]))
        return columns[max(best - 1, 0) : best + 2]

    def _solve(self, columns: list[tuple[float, bool]]) -> None:
        self.prices = np.array([price for price, _ in columns])
        self._spread = np.array([spread for _, spread in columns])
        kinds = range(len(self._form.kinds))
        self._weights = np.array([self._ahead(k) for k in kinds]).reshape(len(kinds), len(columns))
        self.logs = self._paths.sweep(self._weights)

    def _ahead(self, kind: int) -> FloatArray:
        """The charge for a use ahead, by column."""
        policy = self._form.kinds[kind].policy
        siblings = self._practice.kinds_by_policy.get(policy, [])
        if kind not in siblings:
            return np.full(len(self.prices), self._practice.fixed_logs[kind])
        uses = self._uses[policy]
        charge = np.full(len(self.prices), self._practice.ceiling(kind))
        if uses == 1 or (uses < np.inf and len(siblings) == 1):
            most, fewer = {kind: int(uses)}, {kind: int(uses) - 1} if uses > 1 else {}
            last = self._practice.best(most, self.prices) - self._practice.best(fewer, self.prices)
            charge = np.minimum(charge, last)
        if uses < np.inf:
            charge[self._spread] = self._chord(kind, uses)[self._spread]
        return charge

    def _chord(self, kind: int, uses: float) -> FloatArray:
        return self._practice.best({kind: 1}, self.prices / uses)


def most_uses(form: ProductForm, deadline: float | None = None) -> FloatArray:
    """The most uses of each policy on a path, inf if in a cycle, by index of the policy."""
    policy = np.array([kind.policy for kind in form.kinds], dtype=np.int64)[form.kind]
    uses = np.ones(int(policy.max(initial=0)) + 1)
    again = _recurring(form, policy, len(uses), deadline)
    if not again.any():
        return uses
    uses[policy[_in_circles(form)]] = np.inf
    for u in np.flatnonzero(again & np.isfinite(uses)):
        nothing = np.zeros(len(form.goal_log))
        uses[u] = _settled(nothing, form.source, form.target, policy == u, deadline).max()
    return uses


def _recurring(
    form: ProductForm, policy: IntArray, count: int, deadline: float | None
) -> BoolArray:
    """Which policies some path uses more than once."""
    recurs = np.zeros(count, dtype=np.bool_)
    by_target = np.argsort(form.target, kind="stable")
    source, target, policy = form.source[by_target], form.target[by_target], policy[by_target]
    for word in range(0, count, 64):  # one bit per policy: used on some way to the state
        inside = (policy >= word) & (policy < word + 64)
        shift = (policy - word).clip(0, 63).astype(np.uint64)
        bit = np.where(inside, np.uint64(1) << shift, np.uint64(0))
        nothing = np.zeros(len(form.goal_log), dtype=np.uint64)
        used = _settled(
            nothing, target, source, bit, deadline, best=np.bitwise_or, add=np.bitwise_or
        )
        recurs[policy[(used[source] & bit) != 0]] = True
    return recurs


def _settled(
    values: npt.NDArray[Any],
    here: IntArray,
    there: IntArray,
    weights: npt.NDArray[Any],
    deadline: float | None,
    *,
    best: np.ufunc = np.maximum,
    add: np.ufunc = np.add,
) -> npt.NDArray[Any]:
    """Repeat v(here) = best over its edges of weight + v(there), in place, until nothing changes.

    Args:
        values: v of each state to begin with.
        here: State of each edge whose value is updated, ascending.
        there: State at the other end of each edge.
        weights: Weight of each edge.
        deadline: When to give up.
        best: Chooses among several edges.
        add: Combines weight and value.
    """
    first = np.flatnonzero(np.diff(here, prepend=-1))
    while len(first):
        check(deadline)
        after = best.reduceat(add(weights, values[there]), first, axis=0)
        if np.array_equal(after, values[here[first]]):
            break
        values[here[first]] = after
    return values


def _in_circles(form: ProductForm) -> BoolArray:
    """Which edges lie in a cycle: their target leads back to their source."""
    states = len(form.goal_log)
    if states <= DENSE:
        ways = np.zeros((states, states), dtype=np.bool_)
        ways[form.source, form.target] = True
        for _ in range(states.bit_length()):  # each doubles the length of the paths
            ways |= ways @ ways
        circular: BoolArray = ways[form.target, form.source] | (form.target == form.source)
        return circular
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    entries = (np.ones(len(form.source)), (form.source, form.target))
    graph = sparse.csr_array(entries, shape=(states, states))
    _, component = connected_components(graph, directed=True, connection="strong")
    same: BoolArray = component[form.source] == component[form.target]
    return same
