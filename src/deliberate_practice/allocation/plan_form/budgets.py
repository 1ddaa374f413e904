"""The best splits of all budgets of a task in plan form, with proofs.

A split within a budget is within every larger one too. So the nodes that are left when a budget is
proven contain all splits of the next smaller budget, and their search begins with them. Most of
them need no further division.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deliberate_practice.allocation.plan_form.build import build_model
from deliberate_practice.allocation.plan_form.certify import labels_for
from deliberate_practice.allocation.plan_form.form import PlanForm
from deliberate_practice.allocation.plan_form.model import Model
from deliberate_practice.allocation.plan_form.nodes import Nodes
from deliberate_practice.allocation.plan_form.plan_bounds import plan_bounds
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
from deliberate_practice.foundation.deadline import Late, check

FIRST_SEEDS, SEEDS = 6, 1
"""Plans whose splits are tried for the largest budget, and for each other one."""

MOST_LEAVES = 48
"""With more nodes than this a search begins anew."""


def certify_budgets(
    problem: Problem,
    form: PlanForm,
    limits: Limits,
    progress: Callable[[int], None] | None = None,
) -> list[Certificate]:
    """A proven split of each budget from 0 to that of a problem; none if one has a gap.

    Args:
        problem: Task, largest budget and competence tables, in whole episodes.
        form: The graph of plans of its task.
        limits: Gap and limits of each budget, and the deadline of all of them.
        progress: Called with the number of budgets that are done.
    """
    found: list[Certificate] = []
    try:
        model = build_model(problem, form, labels_for(form), limits.deadline)
        if model is None:
            return []
        episodes = np.zeros(len(problem.tables), dtype=np.int64)
        leaves: list[Nodes] = []
        for budget in reversed(range(problem.budget + 1)):
            check(limits.deadline)
            smaller = model.with_budget(budget)
            best = Best(problem, _affordable(smaller, episodes), limits.deadline)
            bound, leaves = _bounded(smaller, best, limits, leaves)
            found.append(Certificate(best.episodes, max(bound, best.value), True))
            if not is_optimal(best.value, found[-1].bound, limits.gap):
                return []
            episodes = best.episodes
            if progress:
                progress(len(found))
    except Late:
        return []
    return found[::-1]


def _bounded(
    model: Model, best: Best, limits: Limits, leaves: list[Nodes]
) -> tuple[float, list[Nodes]]:
    """An upper bound for the budget of a model, and the nodes that prove it."""
    if not len(model.owner):
        return 0.0, []
    bounds, top, split = plan_bounds(model, limits.deadline)
    first_splits(model, best, top, split, limits.deadline, SEEDS if leaves else FIRST_SEEDS)
    roots = Nodes.joined(leaves) if leaves else None
    if roots is None or not 0 < len(roots) <= MOST_LEAVES:
        roots = whole(model, best, top, split)
    left: list[Nodes] = []
    return search(model, bounds, roots, best, limits, left), left


def _affordable(model: Model, episodes: IntArray) -> IntArray:
    """A split without the episodes that cost least value, until it is within the budget."""
    split = np.minimum(episodes[model.policies], model.most)
    while (split @ model.cost) > model.budget:
        fewer = np.repeat(split[None], len(split), axis=0) - np.eye(len(split), dtype=np.int64)
        fewer = fewer[(fewer >= 0).all(axis=1)]
        split = fewer[int(np.argmax(model.worth(fewer)))]
    kept = np.zeros_like(episodes)
    kept[model.policies] = split
    return kept
