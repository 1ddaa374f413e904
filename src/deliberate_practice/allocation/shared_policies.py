"""Certificates for product-form tasks whose plans share few policies.

A plan that uses a policy many times pays for its practice once. So what one use costs depends on
all others, and the labels of plan search cannot be bounded well. This search divides the problem
differently: a node is a box of episodes and uses of each policy, with the bound of ``boxes``.

The boxes with the largest bounds are split in two, at the uses on their longest paths or at the
episodes of one policy; whichever leaves less above the best plan found. A box with a single split
has an exact bound, so the search ends. Good plans come from ``alternation``, which begins with
random plans and with the uses of the best boxes. Work is counted in boxes, never in seconds, so
that an answer is reproducible.
"""

from __future__ import annotations

import heapq
import math
from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.alternation import Alternation, Edges
from deliberate_practice.allocation.boxes import BoxBounds
from deliberate_practice.allocation.longest_paths import LongestPaths
from deliberate_practice.allocation.priced_uses import Boxes
from deliberate_practice.allocation.prices import WholeEpisodes
from deliberate_practice.allocation.product_form import ProductForm
from deliberate_practice.allocation.tolerances import TIE
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.deadline import Late, late, with_grace

MAX_BOXES = 200_000
"""The most boxes that a search creates before it stops with its current bound."""

BATCH = 128
"""The most boxes that are split at once."""

CELLS = 4_000_000
"""The most entries (edges times columns) of one sweep."""

FIRST_PRICES = 60
"""Prices of the first box."""

RANGE = 1e-4
"""The smallest of them, relative to the largest gain of one use."""

FACTORS = np.array([0.8, 1.0, 1.25])
"""Prices of other boxes, relative to the best price of the box they are part of."""

SAMPLES = 30
"""Random plans from which the search for a good plan begins."""

IMPROVED = 3
"""Boxes of each batch from which good plans are sought."""


class Certificate(NamedTuple):
    """The result of a search.

    Attributes:
        plans: Plans as edges of the graph, each better than those before it and the given value.
        log_bound: log of an upper bound on the value of every plan and split.
        finished: Whether the best plan, found or given, is proven optimal within the gap.
        boxes: How many boxes were created.
    """

    plans: list[Edges]
    log_bound: float
    finished: bool
    boxes: int


class SharedPolicies:
    """A search that can be continued.

    Args:
        form: The graph of plans.
        practice: The effect of practice in whole episodes.
        budget: Budget units, at most those ``practice`` was made for.
        log_value: log of the value of the best plan known.
        deadline: When to stop.
        seed: Seed of the random plans.

    Raises:
        Late: The deadline passed before there was a bound.
    """

    def __init__(
        self,
        form: ProductForm,
        practice: WholeEpisodes,
        budget: int,
        *,
        log_value: float,
        deadline: float | None = None,
        seed: int = 0,
    ) -> None:
        self._deadline = deadline
        paths = LongestPaths(form, with_grace(deadline))
        self._boxes = BoxBounds(form, practice, paths, budget)
        self._good = Alternation(form, practice, paths, budget, log_value)
        self._batch = max(1, min(BATCH, CELLS // (4 * (len(FACTORS) + 1) * len(form.source))))
        self._open: list[tuple[float, int, Boxes, float]] = []
        self._made = 0
        self._closed = -math.inf  # the largest bound of a box that cannot be split
        root = self._boxes.root()
        prices = practice.steepest() * np.geomspace(RANGE, max(root.most.max(), 1), FIRST_PRICES)
        rng = np.random.default_rng(seed)
        for weights in -rng.exponential(size=(SAMPLES, len(form.kinds))):
            if not late(deadline):
                self._good.improve(weights)
        import os
        self.floor = self._good.price * float(os.environ.get("FLOOR", "0.5"))
        u, pr = self._boxes.bounds(root, prices[None])
        self._push(root, u, np.maximum(pr, self.floor))

    def run(self, max_boxes: int = MAX_BOXES, gap: float = 0.0) -> Certificate:
        """Search until the gap is closed, or this many boxes were made, or the time is over."""
        close = max(math.log1p(gap), TIE)
        while self._open and self._made < max_boxes and not late(self._deadline):
            if -self._open[0][0] <= self._good.log_value + close:
                break
            best = [heapq.heappop(self._open) for _ in self._open[: self._batch]]
            try:
                self._split(best)
            except Late:
                self._open += best
                heapq.heapify(self._open)
        bound = max(self._good.log_value, self._closed, -self._open[0][0] if self._open else -math.inf)
        finished = bound <= self._good.log_value + close
        return Certificate(self._good.plans, bound, finished, self._made)

    def _split(self, nodes: list[tuple[float, int, Boxes, float]]) -> None:
        """Replace each box by two halves, in the better of two ways."""
        boxes = Boxes(*(np.stack(rows) for rows in zip(*(box for *_, box, _ in nodes), strict=True)))
        upper, prices = -np.array([node[0] for node in nodes]), np.array([node[3] for node in nodes])
        halves = self._boxes.halves(boxes, prices)
        for weights in halves.weights.T[:IMPROVED]:
            self._good.improve(weights)
        bounds, paid = self._boxes.bounds(halves.boxes, np.tile(prices, 4)[:, None] * FACTORS)
        bounds = np.minimum(bounds, np.tile(upper, 4))
        left = np.maximum(bounds - self._good.log_value, 0.0).reshape(2, 2, -1).sum(axis=1)
        left[~halves.possible] = math.inf
        way, column = left.argmin(axis=0), np.arange(len(nodes))
        stuck = left[way, column] == math.inf
        self._closed = max(self._closed, upper[stuck].max(initial=-math.inf))
        first = (2 * len(nodes) * way + column)[~stuck]
        chosen = np.concatenate([first, first + len(nodes)])
        self._push(halves.boxes.take(chosen), bounds[chosen], np.maximum(paid[chosen], self.floor))

    def _push(self, boxes: Boxes, bounds: FloatArray, prices: FloatArray) -> None:
        """Open the boxes that may contain a better plan."""
        for i in np.flatnonzero(bounds > self._good.log_value).tolist():
            box = Boxes(*(part[i] for part in boxes))
            heapq.heappush(self._open, (-float(bounds[i]), self._made + i, box, float(prices[i])))
        self._made += len(bounds)
