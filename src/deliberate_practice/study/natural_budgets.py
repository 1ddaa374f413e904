"""Budgets at which each goal is worth aiming for, read off the frontier of measured curves.

The frontier says from which budget on another goal is the best one. How sure that is follows from
the seeds of the measurement: they are drawn again with replacement, every curve is fitted anew, and
the frontier is computed anew. From the window of each goal, one budget follows by a fixed rule
(:func:`natural_budgets`). Such budgets are inputs of studies, chosen before any session is run.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from deliberate_practice.allocation.choice import quick_solver
from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.allocation.plans import best_plans
from deliberate_practice.allocation.problem import build_problem
from deliberate_practice.allocation.product_form import ProductForm, product_form
from deliberate_practice.foundation.checks import whole_number
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice.domain import with_curves
from deliberate_practice.study.aims import aims
from deliberate_practice.study.learning_curves import LearningCurve, refitted
from deliberate_practice.study.parallel import in_processes
from deliberate_practice.task.model import Task

MAX_BUDGET = 1_000
RESAMPLES = 200
MOST_RESAMPLES = 100_000
PART = 0.75
"""Where in its window the budget of a goal is."""
BEYOND = 1.5
"""The budget of the last goal, as a multiple of where its window begins."""
RESOLUTION = 100
"""Resamples do not see windows that are narrower than this part of the largest budget."""
ROUNDED = 10
"""Budgets are rounded to multiples of this, if that stays in the window."""

Goals = tuple[str | None, ...]
"""The best goal at every budget from 0 on."""


@dataclass(frozen=True)
class Window:
    """The budgets at which one goal is the best to aim for.

    Attributes:
        goal: Its name.
        first, last: The longest stretch of budgets with this goal; None if there is none. The last
            goal has no ``last``: its window is open.
        budget: The budget that the rule chooses for it; None where no other goal is ever better.
        share: Share of the resamples in which the goal has a window; None for a single seed.
        first_ci95: 95 % interval of ``first`` over the resamples that have a window.
        budget_share: Share of the resamples in which the goal is the best one at ``budget``.
    """

    goal: str
    first: int | None
    last: int | None
    budget: int | None
    share: float | None = None
    first_ci95: tuple[float, float] | None = None
    budget_share: float | None = None


@dataclass(frozen=True)
class NaturalBudgets:
    """The windows of a task's goals, those that come first before others.

    Attributes:
        task: Its name.
        windows: One for each goal; goals without a window come last.
        max_budget: The largest budget that was considered.
        resamples: How often seeds were drawn again; 0 for a single seed.
        pooled: Whether the skills of one verb share a curve.
    """

    task: str
    windows: tuple[Window, ...]
    max_budget: int
    resamples: int
    pooled: bool

    @property
    def budgets(self) -> tuple[int, ...]:
        """The chosen budgets, from low to high."""
        return tuple(w.budget for w in self.windows if w.budget is not None)

    def as_data(self) -> dict[str, object]:
        """For JSON."""
        windows = [vars(window) for window in self.windows]
        return {**vars(self), "windows": windows, "budgets": self.budgets}


def natural_budgets(
    task: Task,
    curves: Sequence[LearningCurve],
    *,
    pool: bool = False,
    max_budget: int = MAX_BUDGET,
    resamples: int = RESAMPLES,
    seed: int = 0,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> NaturalBudgets:
    """Where the frontier's goal switches, how sure that is, and a budget for each goal.

    The rule: three quarters into the goal's window, and for the last goal 1.5 times the budget
    where its window begins; rounded to 10 if the rounded budget is in the window too.

    Args:
        task: The task as its robot practises it; measured curves replace the stated ones.
        curves: The measured curve of every policy that can be practised.
        pool: Whether skills of one verb share a curve.
        max_budget: The largest budget to consider.
        resamples: How often to draw seeds again.
        seed: For the resamples.
        workers: Processes.
        progress: Called with (resamples done, all of them).

    Raises:
        ArgumentError: A policy was not measured.
    """
    whole_number("max_budget", max_budget, 1, MAX_BUDGET * 100)
    whole_number("resamples", resamples, 1, MOST_RESAMPLES)
    known = {curve.policy for curve in curves}
    missing = [p.name for p in task.policies.values() if p.practisable and p.name not in known]
    if missing:
        raise ArgumentError(
            f"curves: of {', '.join(missing)} nothing was measured; measure the rest with "
            f'--skills "{";".join(missing)}".'
        )
    curves = [curve for curve in curves if curve.policy in task.policies]
    grounded = ground(task)
    goals = _goals(grounded, curves, max_budget, 1, pool=pool)
    drawn: list[Goals] = []
    if min(len(curve.rates) for curve in curves) > 1:
        count = itertools.count(1)
        drawn = in_processes(
            partial(_resample, grounded, curves, max_budget, pool, seed),
            range(resamples),
            workers,
            lambda _: progress(next(count), resamples) if progress else None,
        )
    chosen = itertools.chain(goals, *drawn)
    windows = [_window(goal, goals, drawn) for goal in aims(task, chosen)]
    windows.sort(key=lambda window: max_budget + 1 if window.first is None else window.first)
    return NaturalBudgets(task.name, tuple(windows), max_budget, len(drawn), pool)


def _goals(
    grounded: GroundTask, curves: Sequence[LearningCurve], max_budget: int, step: int, *, pool: bool
) -> Goals:
    """The best goal at every budget, for the curves that fit the measurements best.

    Args:
        grounded: The task; with other curves its states stay the same.
        curves: What was measured.
        max_budget: The largest budget.
        step: Look at budgets in steps of this, and at those in between only where the goal differs.
        pool: Whether skills of one verb share a curve.
    """
    fitted = {curve.policy: curve.prior for curve in refitted(curves, pool=pool)}
    told = replace(grounded, task=with_curves(grounded.task, fitted))
    form = product_form(told)
    if not isinstance(form, ProductForm):
        return frontier(told, max_budget, solver=quick_solver(form)).goals
    problem = build_problem(told, max_budget)
    looked = sorted({*range(0, max_budget, step), max_budget})
    found = dict(zip(looked, best_plans(problem, form, looked), strict=True))
    between = [
        budget
        for one, two in itertools.pairwise(looked)
        if found[one].plan.goal != found[two].plan.goal
        for budget in range(one + 1, two)
    ]
    if between:
        found |= zip(between, best_plans(problem, form, between), strict=True)
    goals: list[str | None] = []
    for budget in range(max_budget + 1):
        goals.append(found[budget].plan.goal if budget in found else goals[-1])
    return tuple(goals)


def _resample(
    grounded: GroundTask,
    curves: Sequence[LearningCurve],
    max_budget: int,
    pool: bool,
    seed: int,
    number: int,
) -> Goals:
    """The same with every policy's seeds drawn again, with replacement."""
    rng = np.random.default_rng([seed, number])
    again = [
        replace(curve, rates=tuple(curve.rates[i] for i in rng.integers(n, size=n)))
        for curve in curves
        for n in [len(curve.rates)]
    ]
    return _goals(grounded, again, max_budget, max(1, max_budget // RESOLUTION), pool=pool)


def _window(goal: str, goals: Goals, drawn: Sequence[Goals]) -> Window:
    """The window of a goal, and what the resamples say of it."""
    firsts = [found[0] for again in drawn if (found := _longest(goal, again))]
    share, interval = len(firsts) / len(drawn) if drawn else None, None
    if firsts:
        low, high = np.quantile(firsts, (0.025, 0.975)).tolist()
        interval = (low, high)
    window, most = _longest(goal, goals), len(goals) - 1
    if window is None:
        return Window(goal, None, None, None, share, interval)
    first, last = window[0], None if window[1] == most else window[1]
    budget, agreeing = _budget(first, last), None
    if drawn and budget is not None:
        agreeing = sum(again[min(budget, most)] == goal for again in drawn) / len(drawn)
    return Window(goal, first, last, budget, share, interval, agreeing)


def _longest(goal: str, goals: Goals) -> tuple[int, int] | None:
    """The first and the last budget of the longest stretch with a goal."""
    stretches = [
        list(stretch)
        for one, stretch in itertools.groupby(range(len(goals)), goals.__getitem__)
        if one == goal
    ]
    longest = max(stretches, key=len, default=None)
    return (longest[0], longest[-1]) if longest else None


def _budget(first: int, last: int | None) -> int | None:
    """The budget of a window by the rule; an open one has no end, and a task's only one none."""
    if first == 0 and last is None:
        return None
    exact = BEYOND * first if last is None else first + PART * (last - first)
    rounded = ROUNDED * round(exact / ROUNDED)
    inside = first <= rounded and (last is None or rounded <= last)
    return rounded if inside else round(exact)
