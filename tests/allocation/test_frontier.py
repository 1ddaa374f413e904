"""The frontier: every budget at once, and its switches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from random_tasks import random_task
from small_problems import needs_scip

from deliberate_practice.allocation import frontier as frontier_module, plans
from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.corner_bound import corner_bound
from deliberate_practice.allocation.frontier import Frontier, frontier
from deliberate_practice.allocation.local_search import local_search
from deliberate_practice.allocation.problem import Problem, build_problem
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.curves import Exponential, PiecewiseLinear, Table
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill


def test_cleanup_switches_where_the_plans_cross() -> None:
    found = frontier(load_task("cleanup"), 300)
    assert [(s.budget, s.previous_goal, s.goal) for s in found.switches] == [
        (117, "top", "middle"),
        (166, "middle", "bottom"),
    ]
    assert found.values == tuple(sorted(found.values))
    assert found.bounds == pytest.approx(found.values, rel=1e-10)
    assert all(b >= v for b, v in zip(found.bounds, found.values, strict=True))
    assert found.marginal[:-1] == pytest.approx(np.diff(found.values))
    assert found.marginal[-1] == 0


@pytest.mark.parametrize("name", ["counterexample", "breakfast", "cleanup"])
def test_every_point_is_the_allocation_for_its_budget(name: str) -> None:
    task = load_task(name)
    found = frontier(task, 70)
    for budget in (0, 1, 2, 7, 30, 31, 60, 70):
        alone = allocate(task, budget)
        assert found.values[budget] == pytest.approx(alone.value, rel=1e-12)
        assert found.plans[budget] == alone.plan
        assert dict(found.allocations[budget]) == dict(alone.allocation)


def _general(count: int, budget: int, seed: int) -> Iterator[tuple[Task, Frontier]]:
    """Random general tasks with their frontiers."""
    rng = np.random.default_rng(seed)
    while count:
        task = random_task(rng, product_form=False)
        found = frontier(task, budget)
        if found.solver != "plans":
            count -= 1
            yield task, found


def test_general_tasks_have_a_frontier_with_honest_bounds() -> None:
    for _, found in _general(3, budget=4, seed=5):
        assert found.values == tuple(sorted(found.values))
        assert all(b >= v for b, v in zip(found.bounds, found.values, strict=True))


def test_stopped_early_the_bounds_hold() -> None:
    task = load_task("cleanup-multi")
    stopped = frontier(task, 500, time_limit=1e-9)
    whole = frontier(task, 500)
    assert (np.array(stopped.bounds) >= np.array(whole.values) * (1 - 1e-9)).all()
    assert (np.array(stopped.values) <= np.array(whole.values) * (1 + 1e-9)).all()


def test_a_limit_leaves_answers_from_everywhere_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = load_task("cleanup")
    whole = frontier(task, 300)
    looks = iter(range(1000))
    monkeypatch.setattr(plans, "late", lambda deadline: next(looks) > 20)
    monkeypatch.setattr(frontier_module, "late", lambda deadline: True)
    stopped = frontier(task, 300, time_limit=60)
    assert "the time limit was over" in stopped.notes[0]
    values, bounds = np.array(stopped.values), np.array(stopped.bounds)
    assert (values <= np.array(whole.values) * (1 + 1e-9)).all()
    assert (bounds >= np.array(whole.values)).all()
    assert len(set(stopped.values)) > 15
    assert values[-1] == pytest.approx(whole.values[256])  # the last that was looked at


def test_a_solver_may_be_named() -> None:
    assert frontier(load_task("breakfast"), 5, solver="plans").solver == "plans"
    assert frontier(load_task("breakfast"), 5, solver="local").solver == "local"
    with pytest.raises(ArgumentError, match="needs decision rules that are plans"):
        frontier(_laundry(), 5, solver="plans")


def test_general_tasks_switch_where_another_goal_takes_over() -> None:
    found = frontier(_laundry(), 60, solver="local")
    assert [(s.budget, s.previous_goal, s.goal) for s in found.switches] == [(25, "folded", "hung")]
    assert found.values[25] == pytest.approx(0.871393, abs=1e-6)
    assert found.values[29] == pytest.approx(0.985236, abs=1e-6)
    assert dict(found.allocations[29]) == {"FetchHanger": 5, "Hang": 12}


@needs_scip
@pytest.mark.slow
def test_certificates_prove_more_than_local_search_and_agree_with_a_solver() -> None:
    certified, proven = frontier(_laundry(), 12), frontier(_laundry(), 12, solver="scip")
    alone = frontier(_laundry(), 12, solver="local")
    assert (proven.solver, proven.proven) == ("scip", True)
    assert (alone.solver, alone.proven) == ("local", False)
    assert certified.solver in ("plans", "supersolution")
    assert certified.values == pytest.approx(proven.values, rel=1e-6)
    pairs = zip(alone.values, certified.values, certified.bounds, alone.bounds, strict=True)
    assert all(a <= v * (1 + 1e-9) and v <= b <= c for a, v, b, c in pairs)


def test_no_budget_of_a_general_task_is_worth_less_than_local_search_finds() -> None:
    for task, found in _general(4, budget=12, seed=11):
        for budget in (3, 5, 8, 11):
            problem = build_problem(task, budget)
            alone = problem.solve(local_search(problem)).value
            assert found.values[budget] >= alone * (1 - 1e-8)
            shares = [found.allocations[budget].get(p.name, 0) for p in problem.policies]
            assert problem.costs @ np.array(shares) <= budget
            assert problem.solve(shares).value == pytest.approx(found.values[budget])


def test_a_general_task_stops_at_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    solve = Mock(side_effect=Problem.solve)
    monkeypatch.setattr(Problem, "solve", lambda self, b, deadline=None: solve(self, b, deadline))
    bound = Mock(side_effect=corner_bound)
    monkeypatch.setattr(frontier_module, "corner_bound", bound)
    found = frontier(_laundry(), 500, time_limit=1e-9)
    assert len(found.budgets) == 501
    assert solve.call_count < 10
    assert bound.call_count == 1
    assert min(found.bounds) >= max(found.values)


def test_proven_where_every_bound_is_the_value() -> None:
    assert frontier(load_task("breakfast"), 5).proven


def _laundry() -> Task:
    """A shirt to fold, which soon pays a little, or to hang, which needs two skills to be learned.

    Laying it down may drop it into the basket, so the task is not of product form.
    """
    return Task(
        "laundry",
        {"shirt": ["basket", "hand", "table", "folded", "hanger"], "hanger": ["rail", "ready"]},
        [Goal("folded", 1.0, {"shirt": "folded"}), Goal("hung", 2.5, {"shirt": "hanger"})],
        [
            Skill(
                "Grasp",
                {"shirt": "basket"},
                {"shirt": "hand"},
                0.5,
                "stay",
                Exponential(rate=0.08, ceiling=0.95),
            ),
            Skill("Lay", {"shirt": "hand"}, {"shirt": "table"}, 0.9, {"shirt": "basket"}),
            Skill(
                "Fold",
                {"shirt": "table"},
                {"shirt": "folded"},
                0.2,
                curve=PiecewiseLinear(rate=0.03, ceiling=0.9),
            ),
            Skill(
                "FetchHanger",
                {"hanger": "rail"},
                {"hanger": "ready"},
                curve=Table([0.3, 0.35, 0.4, 0.5, 0.7, 0.9]),
            ),
            Skill(
                "Hang",
                {"shirt": ["hand", "table"], "hanger": "ready"},
                {"shirt": "hanger"},
                0.05,
                cost=2,
                step_reward=-0.01,
                curve=Exponential(rate=0.05),
            ),
        ],
        discount=0.98,
    )


@pytest.mark.slow
def test_budgets_that_are_proven_alone_are_proven_in_a_frontier() -> None:
    station = load_task(Path(__file__).parents[2] / "examples" / "coffee_station.toml")
    found = frontier(station, 20)
    assert found.proven
    assert not found.notes
    for budget in (13, 20):
        alone = allocate(station, budget)
        assert alone.status == "optimal"
        assert found.values[budget] == pytest.approx(alone.value, rel=1e-6)
