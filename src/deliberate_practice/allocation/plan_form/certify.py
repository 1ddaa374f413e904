"""The best split of a task in plan form, with a bound: best-first branch and bound."""

from __future__ import annotations

import math

import numpy as np

from deliberate_practice.allocation.plan_form.build import build_model
from deliberate_practice.allocation.plan_form.form import PlanForm
from deliberate_practice.allocation.plan_form.plan_bounds import plan_bounds
from deliberate_practice.allocation.plan_form.plans import MOST_LABELS
from deliberate_practice.allocation.plan_form.search import (
    Best,
    Limits,
    first_splits,
    search,
    whole,
)
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.result import Certificate, is_optimal
from deliberate_practice.foundation.arrays import IntArray
from deliberate_practice.foundation.deadline import Late, after_part

TOO_MANY = "there are too many plans to bound each of them"
TOO_LATE = "the time limit was too short to find and bound all plans"
"""Why plans give no bound."""

MOST_NODES = 100_000
"""The most nodes that are evaluated by default."""

LABELS_PER_STATE = 8
"""In a large task, labels that are made for each state."""

PREPARING = 0.5
"""The part of the time in which all plans must be known and bounded."""


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
    most_labels = labels_for(form) if most_labels is None else most_labels
    prepared_by = after_part(deadline, PREPARING)
    try:
        model = build_model(problem, form, most_labels, prepared_by)
        if model is None:
            return Certificate(begin, math.inf, False, TOO_MANY)
        bounds = plan_bounds(model, prepared_by) if len(model.owner) else None
    except Late:
        return Certificate(begin, math.inf, False, TOO_LATE)
    best = Best(problem, begin, deadline)
    if bounds is None:
        return Certificate(best.episodes, max(best.value, 0.0), True)
    functions, top, split = bounds
    first_splits(model, best, top, split, deadline)
    limits = Limits(gap, most_nodes, deadline)
    bound = max(search(model, functions, whole(model, best, top, split), best, limits), best.value)
    return Certificate(best.episodes, bound, is_optimal(best.value, bound, gap))


def labels_for(form: PlanForm) -> int:
    """The most labels in the enumeration of the plans of a task."""
    return max(MOST_LABELS, LABELS_PER_STATE * len(form.reward))
