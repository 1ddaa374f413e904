"""The plans of a task: the best plan and split for each budget, and the list of all plans.

In tasks of product form this solves the paper's problem (its equation "bilevel_obj") exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial

import numpy as np

from deliberate_practice.allocation.certified_plans import certified_plans
from deliberate_practice.allocation.fractions import Fractions
from deliberate_practice.allocation.plan import Plan, follow
from deliberate_practice.allocation.plan_search import (
    MAX_LABELS,
    NOTHING,
    Candidate,
    search_plans,
)
from deliberate_practice.allocation.prices import WholeEpisodes
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.product_form import ProductForm, product_form
from deliberate_practice.allocation.result import Prospect
from deliberate_practice.allocation.tolerances import ROUNDING, TIE
from deliberate_practice.foundation.deadline import late
from deliberate_practice.foundation.rounding import EPS
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.values import solve

ENUMERATED = 20_000
"""The most labels for enumerating the plans of a task."""


def best_plans(
    problem: Problem,
    form: ProductForm,
    budgets: Sequence[int],
    *,
    gap: float = 0.0,
    deadline: float | None = None,
    max_labels: int = MAX_LABELS,
) -> list[Prospect]:
    """Search all plans once, and find the best plan and split for each of the budgets.

    Ties: values within 1e-9 relative are equal; then less budget spent, then fewer skills, then
    more episodes for earlier policies, then earlier skills first, all in file order.

    Args:
        problem: The allocation problem for the largest of the budgets.
        form: Its graph of plans.
        budgets: Budgets, ascending.
        gap: Stop early at this relative gap (one budget only).
        deadline: When to stop early.
        max_labels: Stop early after this many labels of plan search.

    Raises:
        Late: The deadline passed before the search could begin.
    """
    practice = (Fractions if problem.continuous else WholeEpisodes)(problem, form)
    budgets = [min(budget, problem.useful_budget) for budget in budgets]
    found = certified_plans(
        form, practice, budgets, gap=gap, deadline=deadline, max_labels=max_labels
    )
    log_values = np.array([c.log_values(np.asarray(budgets)) for c in found.candidates])
    skills = {id(candidate): candidate.label.first_plan() for candidate in found.candidates}
    plan_of = cache(partial(follow, problem.ground, form))

    def answer(i: int) -> Prospect:
        best, log_bound = float(found.log_values[i]), float(found.log_bounds[i])
        if best == NOTHING:
            return Prospect(Plan((), None, 0.0, {}, form.gamma), {}, 0.0, math.exp(log_bound))
        equal = [
            c
            for c, log in zip(found.candidates, log_values[:, i], strict=True)
            if log >= best - TIE
        ]
        chosen, episodes = _preferred(equal, best, budgets[i], skills)
        indices = skills[id(chosen)]
        plan = plan_of(indices)
        value = plan.value(_competence(problem, episodes))
        # The tie rule may give up a billionth of the value to save budget; the bound does not.
        bound = max(value, math.exp(log_bound)) * (1 + len(indices) * EPS)
        split = {problem.policies[u].name: b for u, b in sorted(episodes.items())}
        return Prospect(plan, split, value, bound)

    answers: dict[int, Prospect] = {}
    for i in _coarse_first(len(budgets)):
        if answers and late(deadline):
            break
        answers[i] = answer(i)
    for i in range(len(budgets)):
        if i not in answers:  # too late: a smaller budget's answer is still affordable
            before = answers[i - 1]
            bound = max(before.value, math.exp(float(found.log_bounds[i])))
            answers[i] = replace(before, bound=bound)
    return [answers[i] for i in range(len(budgets))]


def _coarse_first(count: int) -> Iterator[int]:
    """0, 1, ..., count - 1 from coarse to fine, 0 first."""
    step = 1 << max(count - 1, 0).bit_length()
    yield 0
    while step > 1:
        yield from range(step // 2, count, step)
        step //= 2


@lru_cache(maxsize=16)
def all_plans(ground: GroundTask) -> tuple[Plan, ...] | None:
    """Every plan that could be best for some competences.

    Plans that use every kind of skill at least as often as another plan, and earn no more, are left
    out. The answer does not depend on curves, so a session enumerates once and only re-splits.

    Returns:
        The plans; None if the task is not of product form or has too many plans.
    """
    form = product_form(ground)
    if not isinstance(form, ProductForm):
        return None
    tables = tuple(
        np.array([0.4, 0.8]) if policy.practisable else np.array([policy.competence])
        for policy in ground.task.policies.values()
    )
    practice = WholeEpisodes(Problem(ground, 1, tables), form)
    found = search_plans(form, practice, [1], max_labels=ENUMERATED, every=True)
    if not found.finished:
        return None
    kept: list[Candidate] = []
    # The search compares labels at one state only; here plans with different ends are compared.
    for candidate in sorted(found.candidates, key=lambda c: (c.label.length, -c.log_rest)):
        if not any(_as_good(other, candidate) for other in kept):
            kept.append(candidate)
    plans = sorted(candidate.label.first_plan() for candidate in kept)
    return tuple(follow(ground, form, skills) for skills in plans)


def task_value(ground: GroundTask, competence: Mapping[str, float]) -> float:
    """J: the value of a task for the given competences of all policies."""
    plans = all_plans(ground)
    if plans is None:
        return solve(ground, np.array([competence[name] for name in ground.policy_names])).value
    return max((plan.value(competence) for plan in plans), default=0.0)


def _as_good(one: Candidate, other: Candidate) -> bool:
    """Whether a plan uses no kind more often than another and earns at least as much."""
    fewer = all(n <= other.uses.get(kind, 0) for kind, n in one.uses.items())
    return fewer and one.log_rest >= other.log_rest - ROUNDING


def _preferred(
    equal: list[Candidate], best: float, budget: int, plans: dict[int, tuple[int, ...]]
) -> tuple[Candidate, dict[int, float]]:
    """The candidate that the tie rule prefers among equal values, with its cheapest split."""
    options = [(c, *c.split.cheapest(best - TIE - c.log_rest, budget)) for c in equal]
    policies = sorted({u for _, _, episodes in options for u in episodes})

    def preference(option: tuple[Candidate, float, dict[int, float]]) -> tuple[object, ...]:
        candidate, spent, episodes = option
        shares = [-episodes.get(u, 0) for u in policies]
        return spent, candidate.label.length, shares, plans[id(candidate)]

    chosen, _, episodes = min(options, key=preference)
    return chosen, episodes


def _competence(problem: Problem, episodes: Mapping[int, float]) -> dict[str, float]:
    """Competence of each policy after the given episodes, by index of the policy."""
    shares = [episodes.get(u, 0) for u in range(len(problem.policies))]
    return dict(zip(problem.ground.policy_names, problem.competence(shares).tolist(), strict=True))
