"""The best split of a task in plan form, with a bound: best-first branch and bound."""

from __future__ import annotations

import heapq
import math

import numpy as np

from deliberate_practice.allocation.plan_form.bound import Nodes, evaluate
from deliberate_practice.allocation.plan_form.branching import children
from deliberate_practice.allocation.plan_form.build import build_model
from deliberate_practice.allocation.plan_form.exchange import exchange
from deliberate_practice.allocation.plan_form.form import PlanForm
from deliberate_practice.allocation.plan_form.model import FLOOR, Model
from deliberate_practice.allocation.plan_form.plan_bounds import PlanBounds, plan_bounds
from deliberate_practice.allocation.plan_form.plans import MOST_LABELS
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.result import Certificate, is_optimal
from deliberate_practice.allocation.tolerances import TIE
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.deadline import Late, after_part, late

TOO_MANY = "there are too many plans to bound each of them"
TOO_LATE = "the time limit was too short to find and bound all plans"
"""Why plans give no bound."""

MOST_NODES = 100_000
"""The most nodes that are evaluated by default."""

BATCH = 16
"""Nodes that are divided at once."""

MOST_ROOTS = 300
"""With one start, the most plans that get their own nodes from the beginning."""

LABELS_PER_STATE = 8
"""In a large task, labels that are made for each state."""

PREPARING = 0.5
"""The part of the time in which all plans must be known and bounded."""

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
    most_labels: int | None = None,
) -> Certificate:
    """Bound the value of every split of a task in plan form.

    Args:
        problem: Task, budget and competence tables, in whole episodes.
        form: The graph of plans of its task.
        start: A split; the answer is not worse.
        gap: Relative gap at which to stop.
        deadline: When to stop with the bound so far, on the clock of ``time.monotonic``.
        most_nodes: The most nodes to evaluate.
        most_labels: The most labels in the enumeration of plans; by default ``MOST_LABELS``, or
            ``LABELS_PER_STATE`` for each state of a large task.

    Returns:
        The certificate. If there are too many plans to know them all, or too many for the time
        until the deadline, its bound is infinite, and its note has the reason.
    """
    begin = np.asarray(start, dtype=np.int64)
    if most_labels is None:
        most_labels = max(MOST_LABELS, LABELS_PER_STATE * len(form.reward))
    prepared_by = after_part(deadline, PREPARING)
    try:
        model = build_model(problem, form, most_labels, prepared_by)
        if model is None:
            return Certificate(begin, math.inf, False, TOO_MANY)
        bounds = plan_bounds(model, prepared_by) if len(model.owner) else None
    except Late:
        return Certificate(begin, math.inf, False, TOO_LATE)
    best = _Best(problem, begin, deadline)
    if bounds is None:
        return Certificate(best.episodes, max(best.value, 0.0), True)
    bound = max(_search(model, bounds, best, gap, deadline, most_nodes), best.value)
    return Certificate(best.episodes, bound, is_optimal(best.value, bound, gap))


class _Best:
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


def _search(
    model: Model,
    bounded: tuple[PlanBounds, FloatArray, IntArray],
    best: _Best,
    gap: float,
    deadline: float | None,
    most_nodes: int,
) -> float:
    """Divide the open node with the largest bound until all are near the best value."""
    bounds, top, split = bounded
    _first_splits(model, best, top, split, deadline)
    queue: list[tuple[float, int, Nodes]] = []
    done = 0.0  # the largest bound of a node that needs no division
    used = 0
    fresh = evaluate(model, bounds, _roots(model, top, split))
    while True:
        used += len(fresh)
        target = best.value * (1 + max(gap, TIE)) - model.tie_loss
        for k in range(len(fresh)):
            bound = float(fresh.bound[k])
            if bound <= target:
                done = max(done, bound)
            else:
                heapq.heappush(queue, (-bound, used + k, fresh.take(np.array([k]))))
        if not queue or -queue[0][0] <= target:
            break
        if used >= most_nodes or late(deadline):
            break
        parents = [heapq.heappop(queue)[2] for _ in range(min(BATCH, len(queue)))]
        batch = _merged(parents)
        _improve(model, best, batch)
        divided = children(model, bounds, batch)
        single = (batch.low == batch.high).all(axis=1)
        done = max(done, float(batch.bound[single].max(initial=0.0)))
        fresh = evaluate(model, bounds, divided) if len(divided) else divided
    return max(done, -queue[0][0] if queue else 0.0) + model.tie_loss


def _roots(model: Model, top: FloatArray, split: IntArray) -> Nodes:
    """One node with all plans; with one start and not too many plans, a node for each plan."""
    plans, policies = len(model.owner), len(model.policies)
    alone = len(model.first_plan) == 1 and plans <= MOST_ROOTS
    count = plans if alone else 1
    ceiling = np.minimum(model.most, model.budget // model.cost)
    return Nodes(
        alive=np.eye(plans, dtype=np.bool_) if alone else np.ones((1, plans), dtype=np.bool_),
        low=np.zeros((count, policies), dtype=np.int64),
        high=np.repeat(ceiling[None], count, axis=0),
        x=np.full((count, plans), FLOOR - 1.0),
        y=np.repeat(top[None], count, axis=0),
        point=split if alone else split[[np.argmax(top + np.log(model.weight))]],
        bound=np.full(count, np.inf),
        decided=np.zeros((count, len(model.orders.parts) if model.orders else 0), dtype=np.int64),
    )


def _first_splits(
    model: Model, best: _Best, top: FloatArray, split: IntArray, deadline: float | None
) -> None:
    """Improve the given split, and the splits of the most promising plans."""
    promising = np.argsort(-(top + np.log(model.weight)), kind="stable")
    starts = [np.minimum(best.episodes[model.policies], model.most), *split[promising[:SEEDS]]]
    distinct = {b.tobytes(): b for b in starts}.values()
    for b in distinct:
        if late(deadline):
            return
        best.offer(model, *exchange(model, b))


def _improve(model: Model, best: _Best, nodes: Nodes) -> None:
    """Exchange episodes from the best maximiser of some nodes."""
    worth = model.worth(nodes.point)
    k = int(np.argmax(worth))
    if worth[k] > best.plan_value:
        best.offer(model, *exchange(model, nodes.point[k], (4, 2, 1)))


def _merged(parts: list[Nodes]) -> Nodes:
    return Nodes(
        *(np.concatenate([getattr(p, name) for p in parts]) for name in Nodes.__dataclass_fields__)
    )
