from __future__ import annotations

import time

import numpy as np
import pytest
from counts import FULL
from discounted_problems import discounted_problem
from random_general_tasks import random_general_task
from small_problems import all_splits

from deliberate_practice.allocation.corner_bound import corner_bound
from deliberate_practice.allocation.problem import Problem, build_problem
from deliberate_practice.allocation.supersolution.certify import certify
from deliberate_practice.domains.cleanup.task import cleanup
from deliberate_practice.foundation.arrays import IntArray
from deliberate_practice.practice.domain import load_task

ENUMERATIONS = 300 if FULL else 12


@pytest.mark.parametrize("seed", range(ENUMERATIONS))
def test_the_answer_is_that_of_trying_every_split(seed: int) -> None:
    problem = discounted_problem(10_000 + seed, most=300)
    best = max(problem.solve(b).value for b in all_splits(problem))
    answer = certify(problem, start=_nothing(problem), gap=1e-6, deadline=None)
    value = problem.solve(answer.episodes).value
    assert answer.finished
    assert problem.costs @ answer.episodes <= problem.budget
    assert answer.bound >= best * (1 - 1e-12)
    assert value >= best * (1 - 1.1e-6)
    assert answer.bound <= value * (1 + 1e-6)


@pytest.mark.parametrize("seed", range(ENUMERATIONS))
def test_stopped_at_any_time_the_bound_holds(seed: int) -> None:
    problem = discounted_problem(20_000 + seed, most=300)
    best = max(problem.solve(b).value for b in all_splits(problem))
    corner = corner_bound(problem)
    for nodes in (0, 1, 5):
        answer = certify(problem, start=_nothing(problem), gap=0.0, deadline=None, most_nodes=nodes)
        assert best * (1 - 1e-12) <= answer.bound <= corner * (1 + 1e-9)
    late = certify(problem, start=_nothing(problem), gap=0.0, deadline=time.monotonic())
    assert late.bound >= best * (1 - 1e-12)


def test_the_start_is_kept_unless_something_is_better() -> None:
    problem = build_problem(random_general_task(1)[0], 20)
    good = certify(problem, start=_nothing(problem), gap=0.05, deadline=None, most_nodes=3)
    again = certify(problem, start=good.episodes, gap=0.05, deadline=None, most_nodes=0)
    assert problem.solve(again.episodes).value >= problem.solve(good.episodes).value


def test_lost_objects_are_certified_far_below_the_corner_bound() -> None:
    ground, budget = random_general_task(3)
    problem = build_problem(ground, budget)
    answer = certify(problem, start=_nothing(problem), gap=0.01, deadline=None)
    value = problem.solve(answer.episodes).value
    assert answer.finished
    assert answer.bound <= 1.01 * value < 0.7 * corner_bound(problem)


def test_the_same_question_has_the_same_answer() -> None:
    problem = build_problem(random_general_task(5)[0], 20)
    first, second = (
        certify(problem, start=_nothing(problem), gap=0.01, deadline=None, most_nodes=10)
        for _ in range(2)
    )
    assert first.bound == second.bound
    assert np.array_equal(first.episodes, second.episodes)


def test_discount_one_has_the_corner_bound() -> None:
    problem = build_problem(load_task("counterexample"), 20)
    assert problem.ground.task.discount == 1
    answer = certify(problem, start=_nothing(problem), gap=0.01, deadline=None)
    assert answer.bound == pytest.approx(corner_bound(problem))


def test_without_budget_there_is_nothing_to_search() -> None:
    problem = build_problem(cleanup(1), 0)
    answer = certify(problem, start=_nothing(problem), gap=1e-6, deadline=None)
    assert answer.finished
    assert not answer.episodes.any()


def _nothing(problem: Problem) -> IntArray:
    return np.zeros(len(problem.tables), dtype=np.int64)
