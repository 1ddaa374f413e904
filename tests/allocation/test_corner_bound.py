from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from counts import examples
from hypothesis import given, settings, strategies as st
from random_tasks import random_task

from deliberate_practice.allocation.corner_bound import (
    competence_range,
    corner_bound,
    lower_values,
    upper_values,
    value_rises,
)
from deliberate_practice.allocation.problem import Problem, build_problem
from deliberate_practice.domains.cleanup.task import cleanup
from deliberate_practice.mdp.values import solve
from deliberate_practice.task.curves import Curve, PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Effect, PossibleEffect, Skill


@settings(max_examples=examples(150), deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_no_competences_within_reach_are_worth_more_or_less(seed: int, product: bool) -> None:
    rng = np.random.default_rng(seed)
    problem = build_problem(random_task(rng, product_form=product), int(rng.integers(0, 9)))
    low, high = competence_range(problem)
    bound = corner_bound(problem)
    most, least = upper_values(problem), lower_values(problem)
    for _ in range(5):
        share = rng.choice([0.0, 1.0, rng.random()], len(low))
        solution = solve(problem.ground, low + share * (high - low))
        assert solution.value <= bound * (1 + 1e-9)
        assert (solution.values <= most * (1 + 1e-9) + 1e-12).all()
        assert (solution.values >= least * (1 - 1e-9) - 1e-12).all()


@settings(max_examples=examples(150), deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_where_it_says_so_the_value_rises_with_competence(seed: int, product: bool) -> None:
    rng = np.random.default_rng(seed)
    problem = build_problem(random_task(rng, product_form=product), int(rng.integers(1, 9)))
    rises = value_rises(problem)
    assert rises or not product
    if rises:
        low, high = competence_range(problem)
        p, before = low.copy(), solve(problem.ground, low).value
        for u in rng.permutation(len(p)):
            p[u] += rng.random() * (high[u] - p[u])
            after = solve(problem.ground, p).value
            assert after >= before * (1 - 1e-9) - 1e-12
            before = after


def test_cleanup_with_everything_mastered() -> None:
    assert corner_bound(build_problem(cleanup(1), 250)) == pytest.approx(4 * 0.99**4)


def test_without_budget_the_bound_is_the_value() -> None:
    problem = build_problem(cleanup(2), 0)
    assert corner_bound(problem) == pytest.approx(problem.solve([0] * len(problem.tables)).value)


def test_a_failure_that_is_worth_more_than_success() -> None:
    problem = _two_ways(failure={"at": "good"}, effect={"at": "poor"})
    values = [problem.solve([b]).value for b in range(6)]
    assert values[0] > values[-1]
    assert not value_rises(problem)
    assert corner_bound(problem) == pytest.approx(values[0])


def test_a_failure_that_leads_to_less_than_success() -> None:
    assert value_rises(_two_ways(failure={"at": "poor"}, effect={"at": "good"}))
    mixed = [PossibleEffect(0.5, "stay"), PossibleEffect(0.5, {"at": "poor"})]
    assert value_rises(_two_ways(failure=mixed, effect={"at": "good"}))


def test_discount_one_with_retries_is_the_least_solution() -> None:
    sure = _two_ways(failure="stay", effect={"at": "good"}, discount=1.0, competence=0.0)
    assert value_rises(sure)
    assert corner_bound(sure) == pytest.approx(4.0)
    never = _two_ways("stay", {"at": "good"}, discount=1.0, competence=0.0, curve=None)
    assert corner_bound(never) == 0.0


def test_a_circle_that_pays_for_ever_has_no_finite_bound() -> None:
    problem = _two_ways(
        "end", [PossibleEffect(1.0, "stay")], discount=1.0, competence=0.5, step_reward=1.0
    )
    assert corner_bound(problem) == math.inf  # at competence 1, which five episodes reach
    assert not value_rises(problem)


def test_without_a_finite_bound_it_is_infinite_and_a_number() -> None:
    """A circle that earns 1 and costs 1 again: rounding must not turn the bound into nothing."""
    task = Task(
        "even",
        {"v": ["0", "1", "2"]},
        [Goal("g", 1.0, {"v": "2"})],
        [
            Skill("earn", {"v": "0"}, {"v": "2"}, 0.3, {"v": "1"}, step_reward=1.0),
            Skill("pay", {"v": "1"}, {"v": "2"}, 0.3, {"v": "0"}, step_reward=-1.0),
        ],
        discount=1.0,
    )
    problem = build_problem(task, 3)
    assert corner_bound(problem) >= problem.solve([0, 0]).value


def test_no_state_is_worth_more_than_all_that_can_be_earned() -> None:
    problem = _two_ways("stay", {"at": "good"}, discount=1.0, competence=1e-15)
    assert (upper_values(problem) <= 4.0).all()


def test_equal_actions_that_rounding_tells_apart_come_to_an_end() -> None:
    task = Task(
        "turns",
        {"v": ["0", "1", "2"]},
        [Goal("g", 1.0, {"v": "2"})],
        [
            Skill("A", {"v": "0"}, {"v": "2"}, 0.3, "stay"),
            Skill("B", {}, {"v": "0"}, 1e-9, {"v": "1"}),
        ],
        discount=1.0,
    )
    assert corner_bound(build_problem(task, 0)) == pytest.approx(1.0)


def test_fractions_of_episodes_use_the_budget_that_whole_ones_leave() -> None:
    problem = _two_ways("end", {"at": "good"}, cost=2, continuous=True)
    assert competence_range(problem)[1][0] == pytest.approx(0.1 + 0.1 * 2.5)


def _two_ways(
    failure: Effect | Sequence[PossibleEffect],
    effect: Effect | Sequence[PossibleEffect],
    *,
    discount: float = 0.9,
    competence: float = 0.1,
    continuous: bool = False,
    curve: Curve | None = PiecewiseLinear(rate=0.1),  # noqa: B008 - frozen
    **more: Any,
) -> Problem:
    """One skill between a poor goal and a good one; budget 5."""
    task = Task(
        name="two ways",
        variables={"at": ["start", "poor", "good"]},
        goals=[Goal("poor", 1.0, {"at": "poor"}), Goal("good", 4.0, {"at": "good"})],
        skills=[
            Skill("go", {"at": "start"}, effect, competence, failure, curve, **more),
        ],
        discount=discount,
    )
    return build_problem(task, 5, continuous=continuous)
