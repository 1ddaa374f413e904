"""Certify a split of any discounted task: branch and bound on boxes of splits."""

from __future__ import annotations

import heapq
import itertools
import math
from dataclasses import replace

import numpy as np

from deliberate_practice.allocation.corner_bound import corner_bound
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.result import Certificate
from deliberate_practice.allocation.supersolution.climb import climb
from deliberate_practice.allocation.supersolution.node import Node
from deliberate_practice.allocation.supersolution.node_bound import NodeBounds
from deliberate_practice.allocation.tolerances import TIE
from deliberate_practice.foundation.arrays import IntArray
from deliberate_practice.foundation.deadline import late, with_grace

MOST_NODES = 20_000
"""Nodes that are divided before the search stops with the bound so far."""

EVALUATIONS = 150
"""Splits that the first climb evaluates."""

MOST_ENTRIES = 40_000_000
"""Numbers that all nodes together may hold, about 300 MB; large tasks get fewer nodes."""

OUTCOMES = 0.75
"""Part of the gap from which on the error of a start's chord is divided first."""


def certify(
    problem: Problem,
    *,
    start: IntArray,
    gap: float,
    deadline: float | None,
    most_nodes: int = MOST_NODES,
) -> Certificate:
    """Improve a split, and bound the value of every split.

    With discount 1 the supersolution proves nothing, so the bound is the corner bound.

    Args:
        problem: Task, budget and competence tables, in whole episodes.
        start: A split within the budget; the answer is never worse.
        gap: Relative gap (bound - value) / value at which the search may stop.
        deadline: When to stop with the bound so far, on the clock of ``time.monotonic``.
        most_nodes: The most nodes to divide.
    """
    search = _Search(problem, np.asarray(start, dtype=np.int64), gap, deadline)
    if problem.ground.task.discount >= 1 or problem.continuous:
        bound = max(corner_bound(problem, with_grace(deadline)), search.value)
        return Certificate(search.best, bound, bound <= search.target)
    return search.run(most_nodes)


class _Search:
    """The open nodes, the best split, and the largest bound of what was closed."""

    def __init__(
        self, problem: Problem, start: IntArray, gap: float, deadline: float | None
    ) -> None:
        self.problem, self.gap, self.deadline = problem, gap, deadline
        self.best, self.value = start, problem.solve(start, deadline).value
        self._bounds: NodeBounds | None = None
        self._open: list[tuple[float, int, Node]] = []
        self._order = itertools.count()
        self._closed = 0.0
        self._high = np.array([len(table) - 1 for table in problem.tables])

    @property
    def target(self) -> float:
        """Nodes with a bound up to this need no further work."""
        return self.value * (1 + self.gap)

    def run(self, most_nodes: int) -> Certificate:
        """Divide the node with the largest bound until all are closed or a limit is reached."""
        self._bounds = bounds = NodeBounds(self.problem)
        root = bounds.root(self.best, self.deadline)
        self._improve(root, np.minimum(self.best, self._high), EVALUATIONS)
        self._improve(root, self._even(), EVALUATIONS)
        if late(self.deadline):
            self._push(replace(root, bound=bounds.corner(root)))
        else:
            self._add(bounds.evaluate(root, self.target))
        ground = self.problem.ground
        most_nodes = min(most_nodes, MOST_ENTRIES // (2 * len(ground.start) + len(root.keep)))
        for _ in range(most_nodes):
            if not self._open or late(self.deadline) or -self._open[0][0] <= self.target:
                break
            _, _, node = heapq.heappop(self._open)
            children = self._children(node)
            for i, child in enumerate(children):
                if late(self.deadline):  # the parent's bound holds for all that is left
                    for other in children[i:]:
                        self._push(replace(other, bound=node.bound))
                    break
                self._add(bounds.evaluate(child, self.target))
        top = -self._open[0][0] if self._open else -math.inf
        bound = max(top, self._closed, self.value)
        return Certificate(self.best, bound, bound <= self.target)

    def _even(self) -> IntArray:
        """The budget in equal parts for all policies that can be practised."""
        even = np.zeros(len(self._high), dtype=np.int64)
        practised = self.problem.practised
        if len(practised):
            share = self.problem.budget // (len(practised) * self.problem.costs[practised])
            even[practised] = np.minimum(share, self._high[practised])
        return even

    def _improve(self, node: Node, split: IntArray, evaluations: int) -> None:
        """Climb from a split with the fast evaluation, and take the result if it is better."""
        assert self._bounds is not None
        bounds = self._bounds

        def value(other: IntArray) -> float:
            return -math.inf if late(self.deadline) else bounds.value(other, node)

        costs, budget = self.problem.costs, self.problem.budget
        self._offer(climb(split, self._high, costs, budget, value, evaluations))

    def _offer(self, split: IntArray) -> None:
        value = self.problem.solve(split, self.deadline).value
        if value > self.value * (1 + TIE):
            self.best, self.value = split, value

    def _add(self, node: Node) -> None:
        """Take the node's split if it is better, and keep the node if it must be divided."""
        if node.value > self.value * (1 + TIE):
            self._offer(node.split)
        if node.single or node.bound <= self.target:
            self._closed = max(self._closed, node.bound)
        else:
            self._push(node)

    def _push(self, node: Node) -> None:
        heapq.heappush(self._open, (-node.bound, next(self._order), node))

    def _children(self, node: Node) -> list[Node]:
        """Divide the range of one start's value, or the episodes of one policy."""
        outcome = node.outcome
        if outcome is not None and outcome.error > OUTCOMES * (node.bound - self.value):
            floor, ceiling = node.floor.copy(), node.ceiling.copy()
            floor[outcome.start] = max(floor[outcome.start], outcome.value)
            ceiling[outcome.start] = min(ceiling[outcome.start], outcome.value)
            return [replace(node, ceiling=ceiling), replace(node, floor=floor)]
        u, cut = self._cut(node)
        low, high = node.low.copy(), node.high.copy()
        high[u], low[u] = cut, cut + 1
        return [replace(node, high=high), replace(node, low=low)]

    def _cut(self, node: Node) -> tuple[int, int]:
        """The policy that matters most, and the last of its episodes in the lower half."""
        ends = zip(self.problem.tables, node.low, node.high, strict=True)
        rises = np.array([table[high] - table[low] for table, low, high in ends])
        scores = np.where(rises > 0, node.scores + 1e-9 * rises, -1.0)
        u = int(np.argmax(scores))
        low, high = int(node.low[u]), int(node.high[u])
        table = self.problem.tables[u]
        middle = int(np.searchsorted(table[low : high + 1], (table[low] + table[high]) / 2)) + low
        wanted = 0.5 * middle + 0.25 * (node.split[u] + node.adversary[u])
        return u, int(np.clip(round(wanted), low, high - 1))
