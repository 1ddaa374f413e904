"""Proven splits of all budgets, against every split of each of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from counts import count
from random_plan_tasks import all_splits, random_plan_task

from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.allocation.local_search import trim
from deliberate_practice.allocation.plan_form import budgets
from deliberate_practice.allocation.plan_form.budgets import certify_budgets
from deliberate_practice.allocation.plan_form.search import Limits
from deliberate_practice.foundation.deadline import deadline_in
from deliberate_practice.practice.domain import load_task

EXAMPLES = Path(__file__).parents[3] / "examples"
LIMITS = Limits(1e-6, 4000)


@pytest.mark.parametrize("most_leaves", [0, 3, 48])
def test_every_budget_is_proven(most_leaves: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search of a budget begins with the nodes of a larger one, or anew."""
    monkeypatch.setattr(budgets, "MOST_LEAVES", most_leaves)
    rng = np.random.default_rng([12, most_leaves])
    rest = 0
    for _ in range(count(150)):
        problem, form = random_plan_task(rng)
        splits = all_splits(problem)
        cost = splits @ problem.costs
        values = np.array([problem.solve(split).value for split in splits])
        found = certify_budgets(problem, form, LIMITS)
        if not found:
            # A value that is left where a reward and its costs cancel has no proof to six digits.
            worth = [values[cost <= budget].max() for budget in range(problem.budget + 1)]
            assert any(0 < value < 1e-9 for value in worth)
            rest += 1
            continue
        assert len(found) == problem.budget + 1
        for budget, certificate in enumerate(found):
            best = values[cost <= budget].max()
            assert certificate.episodes @ problem.costs <= budget
            assert certificate.bound >= best * (1 - 1e-12)
            assert problem.solve(certificate.episodes).value >= best * (1 - 1e-6)
            assert certificate.bound <= best * (1 + 1e-6) + 1e-12
    assert rest <= count(150) // 100


def test_without_a_proof_of_every_budget_there_is_none() -> None:
    rng = np.random.default_rng(13)
    problem, form = random_plan_task(rng)
    assert certify_budgets(problem, form, LIMITS._replace(deadline=deadline_in(0.0))) == []


def test_trimming_by_single_episodes_is_enough_where_practice_never_harms() -> None:
    rng = np.random.default_rng(14)
    for _ in range(count(300)):
        problem, _ = random_plan_task(rng)
        splits = all_splits(problem)
        split = splits[int(rng.integers(len(splits)))]
        assert (trim(problem, split, rising=True) == trim(problem, split)).all()


def test_the_frontier_of_two_tasks_is_proven_and_equals_that_of_local_search() -> None:
    task = load_task(str(EXAMPLES / "two_tasks.toml"))
    proven, searched = frontier(task, 40), frontier(task, 40, solver="local")
    assert proven.proven
    assert proven.values == pytest.approx(searched.values, rel=1e-9)
    assert (proven.goals, proven.plans) == (searched.goals, searched.plans)
    assert proven.allocations == searched.allocations
