"""The best plan and split for each budget, by plan search."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from deliberate_practice.allocation.fractions import Fractions
from deliberate_practice.allocation.plan_search import (
    MAX_LABELS,
    NOTHING,
    Candidate,
    search_plans,
)
from deliberate_practice.allocation.prices import WholeEpisodes
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.product_form import PlanProduct, ProductForm
from deliberate_practice.allocation.result import TIE
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.deadline import late
from deliberate_practice.foundation.rounding import EPS
from deliberate_practice.mdp.ground_task import GroundTask


@dataclass(frozen=True)
class BestPlan:
    """The best plan for one budget, with its certificate.

    Attributes:
        skills: Indices of the skills to execute.
        goal: Index of the goal it reaches; None if nothing can be earned.
        episodes: Episodes by index of the policy, those without any left out.
        spent: Budget units used.
        value: Value of the plan after this practice.
        bound: Nothing is worth more; rounded up, so that it is a little above a proven value.
    """

    skills: tuple[int, ...]
    goal: int | None
    episodes: dict[int, float]
    spent: float
    value: float
    bound: float


def best_plans(
    problem: Problem,
    form: ProductForm,
    budgets: Sequence[int],
    *,
    gap: float = 0.0,
    deadline: float | None = None,
    max_labels: int = MAX_LABELS,
) -> list[BestPlan]:
    """Search all plans once and answer for each of the budgets.

    Ties: values within 1e-9 relative are equal; then less budget spent, then fewer skills, then
    more episodes for earlier policies, then earlier skills first, all in file order.

    Args:
        problem: The allocation problem for the largest of the budgets.
        form: Its graph of plans.
        budgets: Budgets, ascending.
        gap: Stop early at this relative gap (one budget only).
        deadline: When to stop early.
        max_labels: Stop early after so many labels.

    Raises:
        Late: The deadline is over before the search could begin.
    """
    practice = (Fractions if problem.continuous else WholeEpisodes)(problem, form)
    budgets = [min(budget, problem.useful_budget) for budget in budgets]
    found = search_plans(form, practice, budgets, gap=gap, deadline=deadline, max_labels=max_labels)
    log_values = np.array([c.log_values(np.asarray(budgets)) for c in found.candidates])
    plans = {id(candidate): candidate.label.first_plan() for candidate in found.candidates}
    products: dict[tuple[int, ...], PlanProduct] = {}

    def answer(i: int) -> BestPlan:
        best, log_bound = float(found.log_values[i]), float(found.log_bounds[i])
        if best == NOTHING:
            return BestPlan((), None, {}, 0, 0.0, _exp(log_bound))
        equal = [
            c
            for c, log in zip(found.candidates, log_values[:, i], strict=True)
            if log >= best - TIE
        ]
        chosen, spent, episodes = _preferred(equal, best, budgets[i], plans)
        skills = plans[id(chosen)]
        if skills not in products:
            products[skills] = form.follow(skills)
        value = _value(problem, products[skills], form.start, episodes)
        # The tie rule may give up a billionth of the value to save budget; the bound does not.
        bound = max(value, _exp(log_bound)) * (1 + len(skills) * EPS)
        goal = int(problem.ground.goal[chosen.label.state])
        return BestPlan(skills, goal, episodes, spent, value, bound)

    answers: dict[int, BestPlan] = {}
    for i in _coarse_first(len(budgets)):
        if answers and late(deadline):
            break
        answers[i] = answer(i)
    for i in range(len(budgets)):
        if i not in answers:  # too late: what a smaller budget buys is there to be had
            before = answers[i - 1]
            bound = max(before.value, _exp(float(found.log_bounds[i])))
            answers[i] = replace(before, bound=bound)
    return [answers[i] for i in range(len(budgets))]


def _coarse_first(count: int) -> Iterator[int]:
    """0, 1, ..., count - 1 in an order that soon has some from everywhere, 0 first."""
    step = 1 << max(count - 1, 0).bit_length()
    yield 0
    while step > 1:
        yield from range(step // 2, count, step)
        step //= 2


def _exp(log: float) -> float:
    return math.exp(log) if log > NOTHING else 0.0


def all_plans(
    ground: GroundTask, form: ProductForm, max_labels: int = MAX_LABELS
) -> list[tuple[int, ...]] | None:
    """Every plan that could be best for some competences, as indices of skills.

    Plans that need no policy more often than another are left out. The answer does not depend on
    curves, so a session enumerates once and only splits anew.

    Args:
        ground: The task.
        form: Its graph of plans.
        max_labels: Give up beyond so many labels.

    Returns:
        The plans, or None if there are too many.
    """
    tables = tuple(
        np.array([0.4, 0.8]) if policy.practisable else np.array([policy.competence])
        for policy in ground.task.policies.values()
    )
    practice = WholeEpisodes(Problem(ground, 1, tables), form)
    found = search_plans(form, practice, [1], max_labels=max_labels, every=True)
    if not found.finished:
        return None
    kept: list[Candidate] = []
    # Labels are compared at one state only; plans also across the states in which they end.
    for candidate in sorted(found.candidates, key=lambda c: (c.label.length, -c.log_rest)):
        if not any(_as_good(other, candidate) for other in kept):
            kept.append(candidate)
    return sorted(candidate.label.first_plan() for candidate in kept)


def _as_good(one: Candidate, other: Candidate) -> bool:
    """Whether a plan uses no kind more often than another and earns at least as much."""
    fewer = all(n <= other.uses.get(kind, 0) for kind, n in one.uses.items())
    return fewer and one.log_rest >= other.log_rest - 1e-12


def _preferred(
    equal: list[Candidate], best: float, budget: int, plans: dict[int, tuple[int, ...]]
) -> tuple[Candidate, float, dict[int, float]]:
    """Of candidates with equal value the one that the tie rule prefers, with its cheapest split."""
    options = [(c, *c.split.cheapest(best - TIE - c.log_rest, budget)) for c in equal]
    policies = sorted({u for _, _, episodes in options for u in episodes})

    def preference(option: tuple[Candidate, float, dict[int, float]]) -> tuple[object, ...]:
        candidate, spent, episodes = option
        shares = [-episodes.get(u, 0) for u in policies]
        return spent, candidate.label.length, shares, plans[id(candidate)]

    return min(options, key=preference)


def _value(
    problem: Problem, product: PlanProduct, start: int, episodes: Mapping[int, float]
) -> float:
    """R Π φ, multiplied out along the plan."""
    shares: FloatArray = np.zeros(len(problem.policies))
    for u, b in episodes.items():
        shares[u] = b
    arriving = float(problem.ground.start[start]) * product.probability(problem.competence(shares))
    return arriving * float(problem.ground.reward[product.state])
