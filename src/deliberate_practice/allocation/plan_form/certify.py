"""The best split of a task in plan form, with a bound: best-first branch and bound."""

from __future__ import annotations

import heapq
import math

import numpy as np

from deliberate_practice.allocation.plan_form.bound import evaluate
from deliberate_practice.allocation.plan_form.branching import children
from deliberate_practice.allocation.plan_form.build import build_model
from deliberate_practice.allocation.plan_form.exchange import exchange
from deliberate_practice.allocation.plan_form.form import PlanForm
from deliberate_practice.allocation.plan_form.model import FLOOR, Model
from deliberate_practice.allocation.plan_form.nodes import Nodes
from deliberate_practice.allocation.plan_form.plan_bounds import plan_bounds
from deliberate_practice.allocation.plan_form.plans import MOST_LABELS
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.result import Certificate, is_optimal
from deliberate_practice.allocation.tolerances import TIE
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.deadline import late

MOST_NODES = 100_000
"""The most nodes that are evaluated by default."""

BATCH = 16
"""Nodes that are divided at once."""

MOST_ROOTS = 300
"""With one start, the most plans that get their own nodes from the beginning."""

SEEDS = 6
"""Good splits of single plans from which the first exchanges start."""


def certify(
    problem: Problem,
    form: PlanForm,
    *,
    start: IntArray,
    gap: float,
    deadline: float | None,
    most_nodes: int = MOST_NODES,
    most_labels: int = MOST_LABELS,
) -> Certificate:
    """Bound the value of every split of a task in plan form.

    Args:
        problem: Task, budget and competence tables, in whole episodes.
        form: The graph of plans of its task.
        start: A split; the answer is not worse.
        gap: Relative gap at which to stop.
        deadline: When to stop with the bound so far, on the clock of ``time.monotonic``.
        most_nodes: The most nodes to evaluate.
        most_labels: The most labels in the enumeration of plans; with more the bound is infinite.
    """
    best = _Best(problem, np.asarray(start, dtype=np.int64))
    model = build_model(problem, form, most_labels)
    if model is None:
        return Certificate(best.episodes, math.inf, False)
    if not len(model.owner):
        return Certificate(best.episodes, max(best.value, 0.0), True)
    bound = max(_search(model, best, gap, deadline, most_nodes), best.value)
    return Certificate(best.episodes, bound, is_optimal(best.value, bound, gap))


class _Best:
    """The best split so far, by the value of the MDP."""

    def __init__(self, problem: Problem, start: IntArray) -> None:
        self._problem = problem
        self.episodes = start
        self.value = problem.solve(start).value
        self.plan_value = -math.inf

    def offer(self, model: Model, plan_value: float, split: IntArray) -> None:
        """Take a split of the model if its plans and its value are better."""
        if plan_value <= self.plan_value * (1 + 1e-12):
            return
        self.plan_value = plan_value
        episodes = np.zeros_like(self.episodes)
        episodes[model.policies] = split
        value = self._problem.solve(episodes).value
        if value > self.value:
            self.episodes, self.value = episodes, value


def _search(
    model: Model, best: _Best, gap: float, deadline: float | None, most_nodes: int
) -> float:
    """Divide the open node with the largest bound until all are near the best value."""
    bounds, top, split = plan_bounds(model)
    _first_splits(model, best, top, split)
    queue: list[tuple[float, int, Nodes]] = []
    done = 0.0  # the largest bound of a node that needs no division
    used = 0
    fresh = evaluate(model, bounds, _roots(model, best, top, split))
    while True:
        target = best.value * (1 + max(gap, TIE)) - model.tie_loss
        for k in range(len(fresh)):
            bound = float(fresh.bound[k])
            if bound <= target:
                done = max(done, bound)
            else:
                heapq.heappush(queue, (-bound, used + k, fresh.take(np.array([k]))))
        used += len(fresh)
        if not queue or -queue[0][0] <= target:
            break
        if used >= most_nodes or late(deadline):
            break
        parents = [heapq.heappop(queue)[2] for _ in range(min(BATCH, len(queue)))]
        batch = Nodes.joined(parents)
        _improve(model, best, batch)
        divided = children(model, bounds, batch)
        single = (batch.low == batch.high).all(axis=1)
        done = max(done, float(batch.bound[single].max(initial=0.0)))
        fresh = evaluate(model, bounds, divided) if len(divided) else divided
    return max(done, -queue[0][0] if queue else 0.0) + model.tie_loss


def _roots(model: Model, best: _Best, top: FloatArray, split: IntArray) -> Nodes:
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


def _first_splits(model: Model, best: _Best, top: FloatArray, split: IntArray) -> None:
    """Improve the given split, and the splits of the most promising plans."""
    promising = np.argsort(-(top + np.log(model.weight)), kind="stable")
    starts = [np.minimum(best.episodes[model.policies], model.most), *split[promising[:SEEDS]]]
    distinct = {b.tobytes(): b for b in starts}.values()
    for b in distinct:
        best.offer(model, *exchange(model, b))


def _improve(model: Model, best: _Best, nodes: Nodes) -> None:
    """Exchange episodes from the best maximiser of some nodes."""
    worth = model.worth(nodes.point)
    k = int(np.argmax(worth))
    if worth[k] > best.plan_value:
        best.offer(model, *exchange(model, nodes.point[k], (4, 2, 1)))
