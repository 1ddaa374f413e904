"""Certificates against every split, and on variants of Cleanup-Multi."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from counts import count
from families import variant, with_starts, with_step_cost, with_tasks
from random_errands import random_errands
from random_plan_tasks import all_splits, random_plan_task

from deliberate_practice.allocation.plan_form.certify import TOO_LATE, certify
from deliberate_practice.allocation.plan_form.form import PlanForm, plan_form
from deliberate_practice.allocation.plan_form.orders import find_orders
from deliberate_practice.allocation.plan_form.plans import all_plans
from deliberate_practice.allocation.problem import Problem, build_problem
from deliberate_practice.allocation.result import is_optimal
from deliberate_practice.foundation.deadline import Late, deadline_in
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.task.model import Task


@pytest.mark.parametrize("part", range(4))
def test_certificates_bound_every_split(part: int) -> None:
    rng = np.random.default_rng([8, part])
    for _ in range(count(300)):
        problem, form = random_plan_task(rng)
        start = np.zeros(len(problem.tables), dtype=np.int64)
        best = max(problem.solve(split).value for split in all_splits(problem))
        answer = certify(problem, form, start=start, gap=1e-6, deadline=None, most_nodes=4000)
        value = problem.solve(answer.episodes).value
        assert answer.bound >= best
        assert answer.finished
        assert value >= best * (1 - 1e-6)
        assert answer.episodes @ problem.costs <= problem.budget


@pytest.mark.parametrize("part", range(2))
def test_certificates_of_errands_bound_every_split(part: int) -> None:
    rng = np.random.default_rng([11, part])
    for _ in range(count(400)):
        problem, form = random_errands(rng)
        start = np.zeros(len(problem.tables), dtype=np.int64)
        best = max(problem.solve(split).value for split in all_splits(problem))
        answer = certify(problem, form, start=start, gap=1e-6, deadline=None, most_nodes=4000)
        value = problem.solve(answer.episodes).value
        assert answer.bound >= best
        assert answer.bound <= value * (1 + 1e-6) + 1e-9  # 1e-9: equal orders were left out
        assert answer.episodes @ problem.costs <= problem.budget


@pytest.mark.parametrize("make", [random_plan_task, random_errands])
def test_limits_leave_a_valid_bound(make: Callable[..., tuple[Problem, PlanForm]]) -> None:
    rng = np.random.default_rng(9)
    for _ in range(count(100)):
        problem, form = make(rng)
        splits = all_splits(problem)
        start = splits[int(rng.integers(len(splits)))]
        best = max(problem.solve(split).value for split in splits)
        for limit in ({"most_nodes": 1}, {"deadline": deadline_in(0.0)}):
            answer = certify(problem, form, start=start, **{"gap": 0.0, "deadline": None, **limit})  # type: ignore[arg-type] # limits of two types
            assert answer.bound >= best
            value = problem.solve(answer.episodes).value
            assert value >= problem.solve(start).value
            assert answer.finished == is_optimal(value, answer.bound, 0.0)


def test_late_plans_have_no_bound_and_the_reason_is_noted() -> None:
    problem, form = _cleanup(with_step_cost(with_starts(variant("b", 0, 0.99))), 100)
    start = np.full(len(problem.tables), 1)
    answer = certify(problem, form, start=start, gap=0.01, deadline=deadline_in(0.0))
    assert answer.bound == math.inf
    assert (answer.episodes == start).all()
    assert answer.note == TOO_LATE
    for step in (
        lambda: all_plans(form, {}, deadline=deadline_in(0.0)),
        lambda: find_orders([(0, (1, 2)), (0, (2, 1))], deadline_in(0.0)),
        lambda: plan_form(problem.ground, deadline_in(0.0)),
    ):
        with pytest.raises(Late):
            step()


def test_large_tasks_may_have_more_labels() -> None:
    """Each of 27,503 states has a label."""
    problem, form = _cleanup(variant("a", 0, 0.99, objects=8), 800)
    start = np.zeros(len(problem.tables), dtype=np.int64)
    assert certify(problem, form, start=start, gap=0.01, deadline=None).finished


def test_too_many_plans_have_no_bound() -> None:
    problem, form = _cleanup(with_starts(variant("b", 0, 0.99)), 100)
    assert all_plans(form, {}, most_labels=10) is None
    start = np.zeros(len(problem.tables), dtype=np.int64)
    answer = certify(problem, form, start=start, gap=0.01, deadline=None, most_labels=10)
    assert answer.bound == math.inf
    assert not answer.finished


def _cleanup(task: Task, budget: int) -> tuple[Problem, PlanForm]:
    grounded = ground(task)
    form = plan_form(grounded)
    assert isinstance(form, PlanForm)
    return build_problem(grounded, budget), form


@pytest.mark.parametrize("letter", ["a", "b", "c"])
@pytest.mark.parametrize(
    ("family", "gap", "nodes"),
    [
        ("start", 1e-3, 100),
        ("starts", 1e-2, 1000),
        ("tasks", 1e-2, 100),
        ("costs", 2e-3, 200),
        ("starts-costs", 1e-2, 200),
    ],
)
def test_families_of_cleanup_multi_are_closed(
    letter: str, family: str, gap: float, nodes: int
) -> None:
    task = variant(letter, 0, 0.99)
    for change, make in (
        ("starts", with_starts),
        ("tasks", with_tasks),
        ("costs", with_step_cost),
    ):
        if change in family.split("-"):
            task = make(task)
    problem, form = _cleanup(task, 100)
    start = np.zeros(len(problem.tables), dtype=np.int64)
    answer = certify(problem, form, start=start, gap=gap, deadline=None, most_nodes=nodes)
    assert answer.finished
    assert answer.bound <= problem.solve(answer.episodes).value * (1 + gap)


def test_the_answer_is_the_same_every_time() -> None:
    problem, form = _cleanup(with_starts(variant("b", 1, 0.99, objects=2)), 60)
    start = np.zeros(len(problem.tables), dtype=np.int64)
    one, other = (certify(problem, form, start=start, gap=1e-2, deadline=None) for _ in range(2))
    assert one.bound == other.bound
    assert (one.episodes == other.episodes).all()
