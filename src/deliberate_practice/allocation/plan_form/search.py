"""Best-first branch and bound over plans and splits."""

from __future__ import annotations

import heapq
import math
from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.plan_form.bound import evaluate
from deliberate_practice.allocation.plan_form.branching import children
from deliberate_practice.allocation.plan_form.exchange import exchange
from deliberate_practice.allocation.plan_form.model import FLOOR, Model
from deliberate_practice.allocation.plan_form.nodes import Nodes
from deliberate_practice.allocation.plan_form.plan_bounds import PlanBounds
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.tolerances import TIE
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.deadline import late

BATCH = 16
"""Nodes that are divided at once."""

MOST_ROOTS = 300
"""With one start, the most plans that get their own nodes from the beginning."""

SEEDS = 6
"""Good splits of single plans from which the first exchanges start."""


class Limits(NamedTuple):
    """When a search stops.

    Attributes:
        gap: Relative gap that is enough.
        most_nodes: The most nodes to evaluate.
        deadline: When to stop with the bound so far, on the clock of ``time.monotonic``.
    """

    gap: float
    most_nodes: int
    deadline: float | None = None

    def target(self, model: Model, best: Best) -> float:
        """The largest bound of a node that needs no division."""
        return best.value * (1 + max(self.gap, TIE)) - model.tie_loss


def search(
    model: Model,
    bounds: PlanBounds,
    roots: Nodes,
    best: Best,
    limits: Limits,
    leaves: list[Nodes] | None = None,
) -> float:
    """Divide the open node with the largest bound until all are near the best value.

    Args:
        model: The plans.
        bounds: Functions above each of them.
        roots: Nodes that contain every split with every plan that may be best for it.
        best: The best split so far, which may improve.
        limits: When to stop.
        leaves: Gets the nodes that are left at the end; together they contain all splits.

    Returns:
        An upper bound on the value of every split.
    """
    queue: list[tuple[float, int, Nodes]] = []
    done = 0.0  # the largest bound of a node that needs no division
    used = 0
    target = limits.target(model, best)
    fresh = evaluate(model, bounds, roots, target)
    while True:
        closed = fresh.bound <= target
        done = max(done, float(fresh.bound[closed].max(initial=0.0)))
        if leaves is not None:
            leaves.append(fresh.take(closed & (fresh.bound > -np.inf)))
        for k in np.flatnonzero(~closed).tolist():
            heapq.heappush(queue, (-float(fresh.bound[k]), used + k, fresh.take(np.array([k]))))
        used += len(fresh)
        if not queue or -queue[0][0] <= target:
            break
        if used >= limits.most_nodes or late(limits.deadline):
            break
        parents = [heapq.heappop(queue)[2] for _ in range(min(BATCH, len(queue)))]
        batch = Nodes.joined(parents)
        _improve(model, best, batch)
        divided = children(model, bounds, batch)
        single = (batch.low == batch.high).all(axis=1)
        done = max(done, float(batch.bound[single].max(initial=0.0)))
        if leaves is not None:
            leaves.append(batch.take(single))
        target = limits.target(model, best)
        fresh = evaluate(model, bounds, divided, target) if len(divided) else divided
    if leaves is not None:
        leaves += [node for _, _, node in queue]
    return max(done, -queue[0][0] if queue else 0.0) + model.tie_loss


class Best:
    """The best split so far, by the value of the MDP."""

    def __init__(self, problem: Problem, start: IntArray, deadline: float | None) -> None:
        self._problem = problem
        self._deadline = deadline
        self.episodes = start
        self.value = problem.solve(start, deadline).value
        self.plan_value = -math.inf

    def offer(self, model: Model, plan_value: float, split: IntArray) -> None:
        """Take a split of the model if its plans and its value are better."""
        if plan_value <= self.plan_value * (1 + 1e-12):
            return
        self.plan_value = plan_value
        episodes = np.zeros_like(self.episodes)
        episodes[model.policies] = split
        value = self._problem.solve(episodes, self._deadline).value
        if value > self.value:
            self.episodes, self.value = episodes, value


def whole(model: Model, best: Best, top: FloatArray, split: IntArray) -> Nodes:
    """One node with all plans; with one start and not too many plans, a node for each plan."""
    plans, policies = len(model.owner), len(model.policies)
    alone = len(model.first_plan) == 1 and plans <= MOST_ROOTS
    count = plans if alone else 1
    ceiling = np.minimum(model.most, model.budget // model.cost)
    point = split[[np.argmax(top + np.log(model.weight))]]
    if model.sequences is not None:
        point = np.minimum(best.episodes[model.policies], ceiling)[None]
    return Nodes.begin(
        model,
        np.eye(plans, dtype=np.bool_) if alone else np.ones((1, plans), dtype=np.bool_),
        (np.zeros((count, policies), dtype=np.int64), np.repeat(ceiling[None], count, axis=0)),
        (np.full((count, plans), FLOOR - 1.0), np.repeat(top[None], count, axis=0)),
        split if alone else point,
    )


def first_splits(
    model: Model,
    best: Best,
    top: FloatArray,
    split: IntArray,
    deadline: float | None,
    seeds: int = SEEDS,
) -> None:
    """Improve the best split so far, and the splits of the most promising plans.

    Args:
        model: The plans.
        best: The best split so far.
        top: Upper bound of each T_j.
        split: A good split for each plan.
        deadline: When to stop.
        seeds: Number of plans whose splits are tried.
    """
    promising = np.argsort(-(top + np.log(model.weight)), kind="stable")
    starts = [np.minimum(best.episodes[model.policies], model.most), *split[promising[:seeds]]]
    distinct = {b.tobytes(): b for b in starts}.values()
    for b in distinct:
        if late(deadline):
            return
        best.offer(model, *exchange(model, b))


def _improve(model: Model, best: Best, nodes: Nodes) -> None:
    """Exchange episodes from the best maximiser of some nodes."""
    worth = model.worth(nodes.point)
    k = int(np.argmax(worth))
    if worth[k] > best.plan_value:
        best.offer(model, *exchange(model, nodes.point[k], (4, 2, 1)))
