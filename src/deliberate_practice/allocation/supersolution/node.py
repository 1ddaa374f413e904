"""One node of the search: a box of splits with the actions that may be used, and its bound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.supersolution.actions import Actions, actions_of
from deliberate_practice.allocation.supersolution.anchor import Anchor, anchor_at
from deliberate_practice.allocation.supersolution.interval import interval_values
from deliberate_practice.allocation.supersolution.master import largest_sum
from deliberate_practice.allocation.supersolution.scales import find_scales
from deliberate_practice.allocation.supersolution.shape import Box, Shape
from deliberate_practice.allocation.supersolution.shapes import price_shape, tangent_shape
from deliberate_practice.allocation.supersolution.sweep import Sweep
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray

ROUNDING = 1e-12
FACTORS = (1.0,)


@dataclass(frozen=True, eq=False)
class Node:
    """Splits low <= b <= high within the budget, decided by the kept actions.

    Attributes:
        low, high: Episodes, shape (policies,).
        keep: Actions of the task that may be used, shape (A,).
        upper, lower: Values of states that hold on the box, shape (N,).
        split: A split of the box within the budget, shape (policies,).
        value: Its value with the kept actions.
        bound: Upper bound on the value of all splits of the box.
    """

    low: IntArray
    high: IntArray
    keep: BoolArray
    upper: FloatArray
    lower: FloatArray
    split: IntArray
    value: float = 0.0
    bound: float = math.inf
    scores: FloatArray = field(default_factory=lambda: np.zeros(0))
    adversary: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


class Bounder:
    """Bounds of nodes of one problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.actions = actions_of(problem.ground)
        self.starts = np.flatnonzero(problem.ground.start)
        self.weights = problem.ground.start[self.starts]
        self.evaluations = 0

    def root(self, split: IntArray, upper: FloatArray) -> Node:
        """The box of all splits."""
        ground = self.problem.ground
        high = np.array([len(table) - 1 for table in self.problem.tables])
        return Node(
            low=np.zeros_like(high),
            high=high,
            keep=np.ones(len(ground.action_state), dtype=np.bool_),
            upper=upper,
            lower=np.where(ground.goal >= 0, ground.reward, 0.0),
            split=np.minimum(split, high),
        )

    def box(self, node: Node) -> Box:
        """The competences of a node."""
        tables = tuple(
            table[low : high + 1]
            for table, low, high in zip(self.problem.tables, node.low, node.high, strict=True)
        )
        return Box(node.low, node.high, tables)

    def tightened(self, node: Node) -> Node | None:
        """The node without episodes that the lower ends of other policies leave no budget for."""
        left = self.problem.budget - int(self.problem.costs @ node.low)
        if left < 0:
            return None
        high = np.minimum(node.high, node.low + left // self.problem.costs)
        split = np.clip(node.split, node.low, high)
        while self.problem.costs @ split > self.problem.budget:
            over = self.problem.costs * (split - node.low)
            split[int(np.argmax(over))] -= 1
        return replace(node, high=high, split=split)

    def evaluate(self, node: Node, target: float) -> Node | None:
        """The node with its bound; None if no split of it is worth more than the target."""
        tight = self.tightened(node)
        if tight is None:
            return None
        node, box = tight, self.box(tight)
        actions = self.actions.only(node.keep)
        upper, lower, kept = interval_values(
            actions, box, self.starts, node.upper, node.lower
        )
        keep = node.keep.copy()
        keep[np.flatnonzero(keep)[~kept]] = False
        node = replace(node, keep=keep, upper=upper, lower=lower)
        bound = min(node.bound, math.fsum(self.weights * upper[self.starts]) * (1 + ROUNDING))
        if bound <= target:
            return None
        actions = actions.only(kept)
        anchor, split, adversary = self._anchor(actions, box, node)
        value = float(self.weights @ anchor.values[self.starts])
        scores = self._scores(actions, box, anchor, upper)
        node = replace(node, split=split, value=value, scores=scores, adversary=adversary)
        if box.single:
            return replace(node, bound=bound)
        for shape in self._shapes(actions, box, anchor, split):
            other, levels = self.bound(actions, box, shape, anchor, split, upper)
            if other < bound:
                bound, node = other, replace(node, adversary=levels)
            if bound <= target:
                return replace(node, bound=bound)
        return replace(node, bound=bound)

    def _anchor(
        self, actions: Actions, box: Box, node: Node
    ) -> tuple[Anchor, IntArray, IntArray]:
        """A good split of the box: the given one, improved by its own elasticities."""
        split = node.split
        best = anchor_at(actions, self.problem.competence(split), node.lower)
        other = split
        for _ in range(3):
            mean = self.weights * (best.values + best.offsets)[self.starts]
            use = np.maximum(mean @ best.elasticity[self.starts], 0.0)
            shape = tangent_shape(actions, box, best)
            tables = [u * h for u, h in zip(use, shape.heights, strict=True)]
            left = self.problem.budget - int(self.problem.costs @ box.low)
            other = box.low + largest_sum(tables, self.problem.costs, left)[1]
            if np.array_equal(other, split):
                break
            again = anchor_at(actions, self.problem.competence(other), node.lower)
            if not self.weights @ again.values[self.starts] > self.weights @ best.values[
                self.starts
            ] * (1 + 1e-9):
                break
            best, split = again, other
        return best, split, other

    def _scores(
        self, actions: Actions, box: Box, anchor: Anchor, upper: FloatArray
    ) -> FloatArray:
        """How much the value may differ within the box by each policy."""
        p = np.array([table[-1] for table in box.tables])
        top = anchor_at(actions, p, np.zeros(len(upper)))
        spread = np.array([math.log(t[-1] / max(t[0], t[-1] * 1e-9, 1e-300)) if t[-1] > 0 else 0.0 for t in box.tables])
        use = np.abs(top.elasticity[self.starts]) + np.abs(anchor.elasticity[self.starts])
        return (self.weights @ use) * spread

    def _shapes(
        self, actions: Actions, box: Box, anchor: Anchor, split: IntArray
    ) -> Sequence[Shape]:
        costs = self.problem.costs
        yield tangent_shape(actions, box, anchor)
        if len(self.starts) == 1:
            for factor in FACTORS:
                yield price_shape(actions, box, anchor, split, costs, int(self.starts[0]), factor)

    def bound(
        self,
        actions: Actions,
        box: Box,
        shape: Shape,
        anchor: Anchor,
        split: IntArray,
        upper: FloatArray,
    ) -> tuple[float, IntArray]:
        """The bound of one shape, infinite if its test fails, and the adversary's levels."""
        self.evaluations += 1
        k = shape.offsets
        at = np.array([h[e] for h, e in zip(shape.heights, split - box.low, strict=True)])
        least = (anchor.values + k) * np.exp(-(shape.weights @ at))
        clamp = (upper + k) * (1 + ROUNDING)
        scales = find_scales(Sweep(actions, box, shape), least, clamp, k)
        if scales is None:
            return math.inf, split
        s = int(self.starts[0])
        tables = [eta * h for eta, h in zip(shape.weights[s], shape.heights, strict=True)]
        left = self.problem.budget - int(self.problem.costs @ box.low)
        top, levels = largest_sum(tables, self.problem.costs, left)
        bound = self.weights[0] * (scales.m[s] * math.exp(top) * (1 + 1e-11) - k[s])
        return bound + 1e-11 * k[s], box.low + levels
