"""The best plans of a product-form task, by the search that proves them optimal first.

Plan search comes first. It ends soon unless plans use the same policies again and again; if it has
not ended after some labels, the boxes of ``shared_policies`` are tried. If neither has ended then,
the search with the smaller bound goes on, and the other one after it. Each knows the best plan of
both, and the smaller bound counts. All limits are counts of work, so the answer is reproducible.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from deliberate_practice.allocation.fractions import Fractions
from deliberate_practice.allocation.plan_search import MAX_LABELS, PlanSearch, SearchResult
from deliberate_practice.allocation.prices import WholeEpisodes
from deliberate_practice.allocation.product_form import ProductForm
from deliberate_practice.allocation.sharing.shared_policies import SharedPolicies
from deliberate_practice.allocation.tolerances import TIE
from deliberate_practice.foundation.arrays import BoolArray
from deliberate_practice.foundation.deadline import Late, after_part, late

FIRST_LABELS = 2_000
"""Labels of plan search for one budget before boxes are tried, besides ``LABELS_PER_STATE``."""

FIRST_LABELS_EACH = 20_000
"""The same for several budgets, each of which needs boxes of its own."""

LABELS_PER_STATE = 2
"""Where plan search works well, it makes about one label per state."""

FIRST_WORK, MOST_WORK = 15_000_000, 60_000_000
"""Entries of boxes (see ``SharedPolicies.work``) in the first trial, and in all, for one budget."""

WORK_EACH = 3_000_000
"""The same for each of several budgets."""

MOST_BUDGETS = 200
"""With more open budgets than this, only plan search goes on."""

PART = 0.5
"""The part of the time left in which the boxes of several budgets are tried."""


def certified_plans(
    form: ProductForm,
    practice: WholeEpisodes,
    budgets: Sequence[int],
    *,
    gap: float = 0.0,
    deadline: float | None = None,
    max_labels: int = MAX_LABELS,
) -> SearchResult:
    """Find the best plan for each of the given budgets, with bounds.

    The arguments are those of ``search_plans``.

    Raises:
        Late: The deadline passed before the search could begin.
    """
    labels = PlanSearch(form, practice, np.asarray(budgets), deadline=deadline)
    first = FIRST_LABELS if len(budgets) == 1 else FIRST_LABELS_EACH
    first += LABELS_PER_STATE * len(form.goal_log)
    plans = labels.run(gap, min(first, max_labels))
    if plans.finished or not _open(plans, gap).any():
        return plans
    if isinstance(practice, Fractions) or not labels.completion.repeats:
        return labels.run(gap, max_labels)
    with suppress(Late):
        if len(budgets) == 1:
            return _by_both(labels, plans, gap, deadline, max_labels)
        if _open(plans).sum() <= MOST_BUDGETS:
            plans = _by_boxes(labels, plans, after_part(deadline, PART))
    return labels.run(gap, max_labels) if _open(plans).any() else plans


def _by_both(
    labels: PlanSearch,
    plans: SearchResult,
    gap: float,
    deadline: float | None,
    max_labels: int,
) -> SearchResult:
    """Try boxes, and let the more promising search go on first."""
    boxes = _boxes(labels, 0, deadline)
    by_labels = plans.log_bounds[0]
    plans = _continued(labels, boxes, 0, FIRST_WORK, gap)
    if _open(plans, gap).any() and by_labels <= labels.log_bounds[0]:
        plans = labels.run(gap, max_labels)
    if _open(plans, gap).any():
        plans = _continued(labels, boxes, 0, MOST_WORK, gap)
    return labels.run(gap, max_labels) if _open(plans, gap).any() else plans


def _by_boxes(labels: PlanSearch, plans: SearchResult, deadline: float | None) -> SearchResult:
    """Try boxes for each open budget, the largest first: its bound holds for the smaller ones."""
    for i in np.flatnonzero(_open(plans))[::-1].tolist():
        if late(deadline):
            break
        plans = _continued(labels, _boxes(labels, i, deadline), i, WORK_EACH, 0.0)
    return plans


def _boxes(labels: PlanSearch, i: int, deadline: float | None) -> SharedPolicies:
    """A search by boxes for one of the budgets."""
    return SharedPolicies(
        labels.form,
        labels.practice,
        int(labels.budgets[i]),
        log_value=float(labels.best[i]),
        deadline=deadline,
    )


def _continued(
    labels: PlanSearch, boxes: SharedPolicies, i: int, work: int, gap: float
) -> SearchResult:
    """Continue with boxes for one budget, and tell plan search what they prove."""
    boxes.keep(float(labels.best[i]))
    certificate = boxes.run(work // boxes.work, gap)
    for edges in certificate.plans:
        labels.offer(edges)
    upper = labels.log_bounds[: i + 1]
    np.minimum(upper, certificate.log_bound, out=upper)
    return labels.run(gap, 0)


def _open(plans: SearchResult, gap: float = 0.0) -> BoolArray:
    """The budgets whose best value is not yet proven."""
    return plans.log_bounds > plans.log_values + max(math.log1p(gap), 2 * TIE)
