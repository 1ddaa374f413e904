"""The bound of a node: the corner bound of its box, then supersolutions anchored inside it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from deliberate_practice.allocation.corner_bound import upper_values
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.supersolution.actions import Actions, actions_of
from deliberate_practice.allocation.supersolution.anchor import Anchor, anchor_at, best_values
from deliberate_practice.allocation.supersolution.chords import Budgeted, budgeted_bound
from deliberate_practice.allocation.supersolution.interval import interval_values
from deliberate_practice.allocation.supersolution.master import largest_sum
from deliberate_practice.allocation.supersolution.node import Node
from deliberate_practice.allocation.supersolution.scales import find_scales
from deliberate_practice.allocation.supersolution.shape import Box, Shape
from deliberate_practice.allocation.supersolution.shapes import (
    log_table,
    price_shape,
    tangent_shape,
)
from deliberate_practice.allocation.supersolution.sweep import BoxRates, Sweep
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray

ROUNDING = 1e-12
"""Relative margin against rounding of single products."""

HOPELESS = 1.5
"""A price shape whose bound was above this multiple of the box's is left out for a while."""

RETRY = 0.8
"""What that multiple becomes in each generation, so that smaller boxes try again."""

MORE, LESS, LEAST = 2.5, 2.0, 0.02
"""Changes of a tangent shape's factor that worked, or did not; and its least value."""

IMPROVEMENTS = 3
"""Attempts to improve the split of a box by its own elasticities."""


@dataclass(frozen=True, eq=False)
class _Place:
    """The actions of a node over the states that they touch."""

    actions: Actions
    box: Box
    starts: IntArray
    upper: FloatArray
    lower: FloatArray

    @cached_property
    def rates(self) -> BoxRates:
        """The rates that all shapes share."""
        return BoxRates(self.actions, self.box)


class NodeBounds:
    """Bounds of the nodes of one problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._actions = actions_of(problem.ground)
        self._starts = np.flatnonzero(problem.ground.start)
        self._weights = problem.ground.start[self._starts]

    def root(self, split: IntArray, deadline: float | None) -> Node:
        """The node of all splits."""
        ground = self.problem.ground
        high = np.array([len(table) - 1 for table in self.problem.tables])
        split = np.minimum(split, high)
        return Node(
            low=np.zeros_like(high),
            high=high,
            floor=np.zeros(len(self._starts)),
            ceiling=np.full(len(self._starts), np.inf),
            keep=np.ones(len(ground.action_state), dtype=np.bool_),
            upper=upper_values(self.problem, deadline),
            lower=np.where(ground.goal >= 0, ground.reward, 0.0),
            split=split,
            adversary=split,
        )

    def corner(self, node: Node) -> float:
        """The bound that a node's upper values give without further work."""
        most = np.minimum(node.upper[self._starts], node.ceiling)
        return math.fsum(self._weights * most) * (1 + ROUNDING)

    def value(self, split: IntArray, node: Node) -> float:
        """The value of a split of a node, by the fast evaluation of anchors."""
        actions, states, starts = self._compact(node.keep)
        values, _ = best_values(actions, self.problem.competence(split), node.lower[states])
        return float(self._weights @ values[starts])

    def evaluate(self, node: Node, target: float) -> Node:
        """The node with its bound; more work is done only while the bound is above the target."""
        tight = self._tightened(node)
        if tight is None:
            return replace(node, bound=-math.inf)
        node, box = tight, self._box(tight)
        node = self._with_interval(node, box)
        actions, states, starts = self._compact(node.keep)
        if (node.upper[self._starts] < node.floor).any():
            return replace(node, bound=-math.inf)
        corner = self.corner(node)
        if box.single:
            corner = min(corner, self._point_bound(box))
        bound = min(node.bound, corner)
        place = _Place(actions, box, starts, node.upper[states], node.lower[states])
        if bound <= target:
            return replace(node, bound=bound)
        anchor, split, adversary = self._anchor(place, node.split)
        top = anchor_at(actions, np.array([table[-1] for table in box.tables]), place.lower)
        node = replace(
            node,
            split=split,
            adversary=adversary,
            value=float(self._weights @ anchor.values[starts]),
            scores=self._scores(place, anchor, top),
            bound=bound,
            single=box.single,
            outcome=None,
        )
        return node if box.single else self._by_shapes(node, place, anchor, top, target)

    def _tightened(self, node: Node) -> Node | None:
        """The node without episodes that the lower ends of other policies leave no budget for."""
        costs = self.problem.costs
        left = self.problem.budget - int(costs @ node.low)
        if left < 0:
            return None
        high = np.minimum(node.high, node.low + left // costs)
        split = np.clip(node.split, node.low, high)
        while costs @ split > self.problem.budget:
            split[int(np.argmax(costs * (split - node.low)))] -= 1
        return replace(node, high=high, split=split)

    def _box(self, node: Node) -> Box:
        ends = zip(self.problem.tables, node.low, node.high, strict=True)
        return Box(node.low, node.high, tuple(table[low : high + 1] for table, low, high in ends))

    def _with_interval(self, node: Node, box: Box) -> Node:
        """The node with tighter values, without actions that its splits do not need."""
        actions, states, starts = self._compact(node.keep)
        upper, lower, kept = interval_values(
            actions, box, starts, node.upper[states], node.lower[states]
        )
        keep, all_upper, all_lower = node.keep.copy(), node.upper.copy(), node.lower.copy()
        keep[np.flatnonzero(keep)[~kept]] = False
        all_upper[states], all_lower[states] = upper, lower
        return replace(node, keep=keep, upper=all_upper, lower=all_lower)

    def _compact(self, keep: BoolArray) -> tuple[Actions, IntArray, IntArray]:
        """The kept actions over the states that they touch, these states, and the starts."""
        actions = self._actions.only(keep)
        touched = np.zeros(len(actions.reward), dtype=np.bool_)
        touched[self._starts] = touched[actions.state] = True
        touched[actions.target[actions.win + actions.fail > 0]] = True
        states = np.flatnonzero(touched)
        return actions.among(states), states, np.searchsorted(states, self._starts)

    def _point_bound(self, box: Box) -> float:
        """The value at fixed competences, rounded up."""
        upper = upper_values(replace(self.problem, tables=box.tables))
        return math.fsum(self._weights * upper[self._starts]) * (1 + ROUNDING)

    def _anchor(self, place: _Place, split: IntArray) -> tuple[Anchor, IntArray, IntArray]:
        """A good split of the box: the given one, improved by its own elasticities."""
        starts = place.starts
        best = anchor_at(place.actions, self.problem.competence(split), place.lower)
        other = split
        for _ in range(IMPROVEMENTS):
            other = self._best_response(place, best)
            if np.array_equal(other, split):
                break
            again = anchor_at(place.actions, self.problem.competence(other), place.lower)
            gained = self._weights @ (again.values - best.values)[starts]
            if gained <= 1e-9 * (self._weights @ best.values[starts]):
                break
            best, split = again, other
        return best, split, other

    def _best_response(self, place: _Place, anchor: Anchor) -> IntArray:
        """The best split of the box if the elasticities of an anchor held everywhere."""
        size = self._weights * (anchor.values + anchor.offsets)[place.starts]
        use = np.maximum(size @ anchor.elasticity[place.starts], 0.0)
        logs = [log_table(table) for table in place.box.tables]
        tables = [u * (log - log[0]) for u, log in zip(use, logs, strict=True)]
        left = self.problem.budget - int(self.problem.costs @ place.box.low)
        return place.box.low + largest_sum(tables, self.problem.costs, left)[1]

    def _scores(self, place: _Place, anchor: Anchor, top: Anchor) -> FloatArray:
        """Elasticity at the anchor and at the upper corner, times the range of log p."""
        logs = [log_table(table) for table in place.box.tables]
        use = np.abs(top.elasticity[place.starts]) + np.abs(anchor.elasticity[place.starts])
        scores: FloatArray = (self._weights @ use) * np.array([log[-1] - log[0] for log in logs])
        return scores

    def _by_shapes(
        self, node: Node, place: _Place, anchor: Anchor, top: Anchor, target: float
    ) -> Node:
        """The node with the best bound of all shapes that may help."""
        corner, factor = node.bound, node.factor
        actions, box = place.actions, place.box

        def tangent(node: Node, factor: float) -> Node:
            return self._with_shape(
                node, place, tangent_shape(actions, box, anchor, top, factor), anchor
            )

        tried = tangent(node, factor)
        better = tried.bound < corner
        node = replace(tried, factor=factor if better else max(factor / LESS, LEAST))
        if node.bound > target and factor < 1.0:
            other = min(1.0, factor * MORE) if better else node.factor
            tried = tangent(node, other)
            if tried.bound < node.bound:
                node = replace(tried, factor=other)
        if node.bound > target and node.priced < HOPELESS:
            start = int(place.starts[np.argmax(self._weights)])
            shape = price_shape(actions, box, anchor, node.split, self.problem.costs, start)
            found = self._shape_bound(node, place, shape, anchor)
            node = self._taken(replace(node, priced=min(found.bound / corner, 10.0)), found)
        else:
            node = replace(node, priced=node.priced * RETRY)
        return node

    def _with_shape(self, node: Node, place: _Place, shape: Shape, anchor: Anchor) -> Node:
        return self._taken(node, self._shape_bound(node, place, shape, anchor))

    def _taken(self, node: Node, found: Budgeted) -> Node:
        """The node with a bound if it is better."""
        if found.bound >= node.bound:
            return node
        adversary = node.low + found.episodes
        return replace(node, bound=found.bound, adversary=adversary, outcome=found.outcome)

    def _shape_bound(self, node: Node, place: _Place, shape: Shape, anchor: Anchor) -> Budgeted:
        """The bound of one shape; infinite if its test fails."""
        box, k = place.box, shape.offsets
        at = np.array([h[e] for h, e in zip(shape.heights, node.split - box.low, strict=True)])
        least = (anchor.values + k) * np.exp(-(shape.weights @ at))
        clamp = (place.upper + k) * (1 + ROUNDING)
        left = self.problem.budget - int(self.problem.costs @ box.low)
        most = self._useful(node, place, shape, left)
        scales = find_scales(Sweep(place.rates, shape), least, clamp, k, most)
        if scales is None:
            return Budgeted(math.inf, node.split - box.low, None)
        ceiling = np.minimum(node.ceiling, place.upper[place.starts])
        return budgeted_bound(
            shape,
            scales.m,
            place.starts,
            self._weights,
            node.floor,
            ceiling,
            self.problem.costs,
            left,
        )

    def _useful(self, node: Node, place: _Place, shape: Shape, left: int) -> FloatArray | None:
        """Scales above which a shape does not improve the bound; None with several starts."""
        if len(place.starts) > 1:
            return None
        s = int(place.starts[0])
        tables = [eta * h for eta, h in zip(shape.weights[s], shape.heights, strict=True)]
        top, _ = largest_sum(tables, self.problem.costs, left)
        most = np.full(len(place.upper), np.inf)
        most[s] = (node.bound / self._weights[0] + shape.offsets[s]) * math.exp(-top)
        return most
