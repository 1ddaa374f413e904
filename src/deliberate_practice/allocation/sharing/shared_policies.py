"""Certificates for product-form tasks whose plans share few policies.

A plan that uses a policy many times pays for its practice once. So what one use costs depends on
all others, and the labels of plan search cannot be bounded well. This search divides the problem
differently: a node is a box of episodes and uses of each policy, with the bound of ``boxes``.

The boxes with the largest bounds are split in two, at the uses on their longest paths or at the
episodes of one policy; whichever leaves less above the best plan found. A box with a single split
has an exact bound, so the search ends. Good plans come from ``alternation``, which begins with
random plans and with the longest paths of the best boxes. Work is counted in boxes, never in
seconds, so that an answer is reproducible.
"""

from __future__ import annotations

import heapq
import math
from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.longest_paths import LongestPaths
from deliberate_practice.allocation.prices import WholeEpisodes
from deliberate_practice.allocation.product_form import ProductForm
from deliberate_practice.allocation.sharing.alternation import Alternation, Edges
from deliberate_practice.allocation.sharing.boxes import BoxBounds
from deliberate_practice.allocation.sharing.priced_uses import Boxes
from deliberate_practice.allocation.tolerances import TIE
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.deadline import Late, late, with_grace

BATCH = 128
"""The most boxes that are split at once."""

CELLS = 4_000_000
"""The most entries of one batch."""

FIRST_PRICES = 60
"""Prices of the first box."""

RANGE = 1e-4
"""The smallest of them, relative to the largest gain of one use."""

FACTORS = np.array([0.8, 1.0, 1.25])
"""Prices of other boxes, relative to the best price of the box they are part of."""

FLOOR = 0.5
"""The least price of a box, relative to the marginal value of budget for the best plan. Where all
policies look cheap, a lower price gives the same bound, but shows no reason to split."""

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


class Node(NamedTuple):
    """An open box; the node with the largest bound is the smallest.

    Attributes:
        negative: The bound with the opposite sign.
        serial: Nodes are numbered, so that equal bounds are no tie.
        boxes: The boxes that were created together with this one.
        row: Its row among them.
        price: Its best price.
    """

    negative: float
    serial: int
    boxes: Boxes
    row: int
    price: float


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
        self._good = Alternation(form, practice, paths, budget, log_value, deadline)
        self._batch = max(1, min(BATCH, CELLS // (4 * (len(FACTORS) + 1) * self._boxes.work)))
        self._open: list[Node] = []
        self._made = 0
        self._closed = -math.inf  # the largest bound of a box with a single split
        rng = np.random.default_rng(seed)
        for weights in -rng.exponential(size=(SAMPLES, len(form.kinds))):
            self._good.improve(weights)
        root = self._boxes.root()
        prices = practice.steepest() * np.geomspace(RANGE, max(root.most.max(), 1), FIRST_PRICES)
        self._push(root, *self._boxes.bounds(root, prices[None]))

    def run(self, max_boxes: int, gap: float = 0.0) -> Certificate:
        """Search until the gap is closed, or this many boxes were made, or the time is over."""
        close = max(math.log1p(gap), TIE)
        while self._bound > self._good.log_value + close and self._open:
            if self._made >= max_boxes or late(self._deadline):
                break
            best = [heapq.heappop(self._open) for _ in self._open[: self._batch]]
            try:
                self._split(best)
            except Late:
                self._open = best + self._open
                heapq.heapify(self._open)
        finished = self._bound <= self._good.log_value + close
        return Certificate(self._good.plans, self._bound, finished, self._made)

    def keep(self, log_value: float) -> None:
        """Seek only plans that are better than a value found elsewhere."""
        self._good.log_value = max(self._good.log_value, log_value)

    @property
    def work(self) -> int:
        """Entries that one box takes at one price."""
        return self._boxes.work

    @property
    def _bound(self) -> float:
        open_bound = -self._open[0].negative if self._open else -math.inf
        return max(self._good.log_value, self._closed, open_bound)

    def _split(self, nodes: list[Node]) -> None:
        """Replace each box by two halves, in the better of two ways."""
        rows = zip(*(node.boxes.take(node.row) for node in nodes), strict=True)
        boxes = Boxes(*(np.stack(row) for row in rows))
        upper = np.array([-node.negative for node in nodes])
        prices = np.array([node.price for node in nodes])
        halves = self._boxes.halves(boxes, prices)
        single = ~halves.possible.any(axis=0)  # a single split, so the longest path is best for it
        self._closed = max(self._closed, float(upper[single].max(initial=-math.inf)))
        for column in np.flatnonzero(single | (np.arange(len(nodes)) < IMPROVED)):
            self._good.improve(halves.weights[:, column])
        bounds, prices = self._boxes.bounds(halves.boxes, np.tile(prices, 4)[:, None] * FACTORS)
        bounds = np.minimum(bounds, np.tile(upper, 4))
        left = np.maximum(bounds - self._good.log_value, 0.0).reshape(2, 2, -1).sum(axis=1)
        left[~halves.possible] = math.inf
        first = (2 * len(nodes) * left.argmin(axis=0) + np.arange(len(nodes)))[~single]
        chosen = np.concatenate([first, first + len(nodes)])
        self._push(halves.boxes.take(chosen), bounds[chosen], prices[chosen])

    def _push(self, boxes: Boxes, bounds: FloatArray, prices: FloatArray) -> None:
        """Open the boxes that may contain a better plan."""
        rows = np.flatnonzero(bounds > self._good.log_value)
        kept = boxes.take(rows)
        prices = np.maximum(prices, FLOOR * self._good.price)
        for i, row in enumerate(rows.tolist()):
            node = Node(-float(bounds[row]), self._made + row, kept, i, float(prices[row]))
            heapq.heappush(self._open, node)
        self._made += len(bounds)
