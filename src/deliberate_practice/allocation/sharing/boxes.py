"""Upper bounds on all plans and splits in a box of episodes and uses.

With the charges w of ``priced_uses``, for every price λ >= 0,

    log V <= λ B + Σ_u (M_u(a) - Σ_k a_k w_k) + longest path with weight w_k for each use of kind k

holds for every plan with uses in [a, c] and every split in [l, h] within the budget B. Proof: a
split within the budget has Σ_k n_k log φ_k(b) <= λ B + Σ_u M_u(n), and M_u lies below its affine
function. These add up to one weight for each skill of the plan, and the longest path is at least as
long as the plan. Uses outside the interval need not be excluded: the bound may only be larger.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.longest_paths import LongestPaths
from deliberate_practice.allocation.max_plus import ROUNDING as CONCAVE
from deliberate_practice.allocation.prices import WholeEpisodes
from deliberate_practice.allocation.product_form import ProductForm
from deliberate_practice.allocation.sharing.priced_uses import Boxes, Charges, PricedUses
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.foundation.rounding import EPS

TINY = 1e-12
"""A smaller excess of charges over M is rounding."""


class Halves(NamedTuple):
    """Two ways to split each of n boxes in two: by uses, and by episodes.

    Attributes:
        boxes: First and second halves by uses, first and second halves by episodes, 4 n rows.
        possible: Whether a box can be split in each way, shape (2, n).
        weights: The weight of each kind in the bound of each box.
    """

    boxes: Boxes
    possible: BoolArray
    weights: FloatArray


class BoxBounds:
    """Bounds of boxes for one task and budget.

    Args:
        form: The graph of plans.
        practice: The effect of practice in whole episodes.
        paths: Longest paths of the graph.
        budget: Budget units, at most those ``practice`` was made for.
    """

    def __init__(
        self, form: ProductForm, practice: WholeEpisodes, paths: LongestPaths, budget: int
    ) -> None:
        self._form, self._paths, self._budget = form, paths, budget
        self._priced = PricedUses(practice)
        self._kinds = np.array(practice.practised_kinds, dtype=np.int64)
        self._fixed = np.array(practice.fixed_logs)
        self._costs = np.array([policy.cost for policy in self._priced.policies])

    @property
    def work(self) -> int:
        """Entries that one bound takes at one price: edges, and tables that are scanned."""
        return len(self._form.source) + self._priced.scanned

    def root(self) -> Boxes:
        """The box of all splits and all uses."""
        whole = np.array([[policy.tables.shape[1] - 1 for policy in self._priced.policies]])
        most = self._paths.most_uses()[None, self._kinds]
        return self.tightened(Boxes(np.zeros_like(whole), whole, np.zeros_like(most), most))

    def tightened(self, boxes: Boxes) -> Boxes:
        """The boxes without what the budget and the length of plans exclude."""
        spent, made = boxes.low * self._costs, boxes.least
        left = self._budget - spent.sum(axis=1, keepdims=True)
        steps = self._paths.length - made.sum(axis=1, keepdims=True)
        return boxes._replace(
            high=np.minimum(boxes.high, (left + spent) // self._costs),
            most=np.minimum(boxes.most, steps + made),
        )

    def bounds(self, boxes: Boxes, prices: FloatArray) -> tuple[FloatArray, FloatArray]:
        """log of the least upper bound of each box, -inf if it is empty, and its best price.

        Price 0 is tried too: it is best where the budget suffices for everything in the box.

        Args:
            boxes: n boxes.
            prices: Positive prices to try for each of them, shape (n, P).
        """
        upper, price = np.full(len(prices), -np.inf), prices[:, 0].copy()
        full = (boxes.low <= boxes.high).all(axis=1) & (boxes.least <= boxes.most).all(axis=1)
        rows = np.flatnonzero(full)
        tried = np.pad(prices[rows], ((0, 0), (1, 0)))
        columns = np.repeat(rows, tried.shape[1])
        by_price = self._relaxed(boxes.take(columns), tried.ravel())[0].reshape(tried.shape)
        best = 1 + by_price[:, 1:].argmin(axis=1)
        upper[rows], price[rows] = by_price.min(axis=1), tried[np.arange(len(rows)), best]
        return upper, price

    def halves(self, boxes: Boxes, prices: FloatArray) -> Halves:
        """Split each box where its bound at the given price, one per box, is loosest."""
        _, charges, logs = self._relaxed(boxes, prices)
        weights = self._weights(charges)
        uses = self._paths.uses(weights, logs)[self._kinds]
        policy, kind = self._loosest(boxes, prices, charges, uses)
        rows = np.arange(len(prices))

        least, most = boxes.least[rows, kind], boxes.most[rows, kind]
        fewer, more = boxes.most.copy(), boxes.least.copy()
        fewer[rows, kind] = np.minimum(np.maximum(uses[kind, rows], least), most - 1)
        more[rows, kind] = fewer[rows, kind] + 1

        low, high = boxes.low[rows, policy], boxes.high[rows, policy]
        below, above = boxes.high.copy(), boxes.low.copy()
        below[rows, policy] = np.minimum((low + charges.demand[policy, rows]) // 2, high - 1)
        above[rows, policy] = below[rows, policy] + 1

        parts = (
            boxes._replace(most=fewer),
            boxes._replace(least=more),
            boxes._replace(high=below),
            boxes._replace(low=above),
        )
        halves = Boxes(*(np.concatenate(part) for part in zip(*parts, strict=True)))
        return Halves(self.tightened(halves), np.stack([least < most, low < high]), weights)

    def _loosest(
        self, boxes: Boxes, prices: FloatArray, charges: Charges, uses: IntArray
    ) -> tuple[IntArray, IntArray]:
        """The policy of each box whose charges exceed M most, and its kind with most freedom.

        With a single split the charges are exact. If none exceeds M, the longest path shows no
        reason to split, and the policy with most freedom is taken.
        """
        free, width = (boxes.high - boxes.low).T, (boxes.most - boxes.least).T
        excess = self._priced.excess(boxes, prices, charges.weights, uses)
        excess[free == 0] = 0.0
        policy = np.where((excess > TINY).any(axis=0), excess.argmax(axis=0), free.argmax(axis=0))
        mine = self._priced.owner[:, None] == policy
        return policy, np.where(mine, width, -1).argmax(axis=0)

    def _relaxed(self, boxes: Boxes, prices: FloatArray) -> tuple[FloatArray, Charges, FloatArray]:
        """The bound of each box at one price, rounded outward; its charges and longest paths."""
        charges = self._priced.charges(boxes, prices)
        logs = self._paths.sweep(self._weights(charges))
        paths, paid = logs[self._form.start], prices * self._budget
        terms = 4 * (len(self._kinds) + self._paths.length + 2)
        with np.errstate(invalid="ignore"):  # a box in which some kind must work, and never does
            upper = self._form.start_log + paid + charges.constant + paths
            size = abs(self._form.start_log) + paid + charges.size + np.abs(paths)
            upper += terms * EPS * size + CONCAVE * boxes.most.sum(axis=1)
        return np.where(np.isnan(upper), -np.inf, upper), charges, logs

    def _weights(self, charges: Charges) -> FloatArray:
        """The weights of all kinds: charges, or log φ of those that are not practised."""
        weights = np.repeat(self._fixed[:, None], charges.weights.shape[1], axis=1)
        weights[self._kinds] = charges.weights
        return weights
