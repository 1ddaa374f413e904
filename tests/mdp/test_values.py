from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from counts import examples
from hypothesis import given, settings, strategies as st
from random_tasks import random_competence, random_task

from deliberate_practice.foundation.errors import ArgumentError, TaskError
from deliberate_practice.mdp import linear_program
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.linear_program import solve_by_lp
from deliberate_practice.mdp.values import rule_values, solve, transitions
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Effect, PossibleEffect, Skill


@settings(max_examples=examples(150), deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_policy_iteration_agrees_with_the_linear_program(seed: int, product_form: bool) -> None:
    rng = np.random.default_rng(seed)
    task = random_task(rng, product_form=product_form)
    grounded, competence = ground(task), random_competence(rng, task)
    expected = solve_by_lp(grounded, competence)
    assert solve(grounded, competence).value == pytest.approx(expected, abs=1e-7)


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_rule_from_which_to_begin_changes_no_value(seed: int) -> None:
    """Also with discount 1 and with step costs, where it is not used."""
    rng = np.random.default_rng(seed)
    task = random_task(rng, product_form=False)
    grounded, competence = ground(task), random_competence(rng, task)
    rule = np.full(len(grounded.start), -1)
    for action in rng.permutation(len(grounded.action_state)):
        rule[grounded.action_state[action]] = action
    expected = solve(grounded, competence)
    begun = solve(grounded, competence, rule=rule)
    assert begun.values == pytest.approx(expected.values, rel=1e-9, abs=1e-12)
    assert rule_values(grounded, competence, begun.actions) == pytest.approx(begun.values)


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_policy_earns_the_value_and_nothing_is_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    task = random_task(rng, product_form=False)
    grounded, competence = ground(task), random_competence(rng, task)
    solution = solve(grounded, competence)
    transition = transitions(grounded, competence)
    terminal = grounded.goal >= 0
    earned = rule_values(grounded, competence, solution.actions)
    assert earned == pytest.approx(solution.values, abs=1e-9)
    q = grounded.step_reward + transition @ solution.values
    assert (q <= solution.values[grounded.action_state] + 1e-9).all()
    assert (solution.values >= -1e-12).all()
    assert (solution.actions[terminal] == -1).all()


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_value_never_falls_with_competence_in_product_form(seed: int) -> None:
    rng = np.random.default_rng(seed)
    task = random_task(rng, product_form=True)
    grounded, low = ground(task), random_competence(rng, task)
    high = np.minimum(1.0, low + rng.random(len(low)) * 0.5)
    assert solve(grounded, high).value >= solve(grounded, low).value - 1e-9


@pytest.mark.parametrize("competence", [1.0, 1e-3, 1e-9])
@pytest.mark.parametrize("reward", [1.0, 1e-9, 1e9])
def test_the_linear_program_is_exact_for_values_of_any_size(
    reward: float, competence: float
) -> None:
    rooms = [str(i) for i in range(9)]
    skills = [Skill(f"go{i}", {"at": rooms[i]}, {"at": rooms[i + 1]}, competence) for i in range(8)]
    task = Task("far", {"at": rooms}, [Goal("end", reward, {"at": "8"})], skills, 0.9)
    assert both_ways(task) == pytest.approx(
        (reward * (0.9 * competence) ** 8,) * 2, rel=1e-9, abs=0
    )


@pytest.mark.parametrize("competence", [1e-9, 1e-15, 1e-300])
def test_the_linear_program_retries_as_often_as_it_takes(competence: float) -> None:
    grounded = ground(one_step("stay", competence, 1.0))
    assert solve_by_lp(grounded, grounded.competence) == pytest.approx(2.0)


def test_the_linear_program_does_not_rely_on_what_scales_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        task = random_task(rng, product_form=False)
        grounded, competence = ground(task), random_competence(rng, task)
        expected = solve_by_lp(grounded, competence)
        wrong = rng.uniform(0.1, 10.0, len(grounded.start))
        with monkeypatch.context() as patch:
            patch.setattr(linear_program, "_scale", lambda *_, wrong=wrong: wrong)
            assert solve_by_lp(grounded, competence) == pytest.approx(expected, abs=1e-7)


def one_step(
    failure: Effect | Sequence[PossibleEffect],
    competence: float,
    discount: float,
    step: float = 0.0,
) -> Task:
    skill = Skill("Go", {"at": "home"}, {"at": "away"}, competence, failure, step_reward=step)
    goal = Goal("away", 2.0, {"at": "away"})
    return Task("trip", {"at": ["home", "away"]}, [goal], [skill], discount)


def both_ways(task: Task) -> tuple[float, float]:
    grounded = ground(task)
    p = grounded.competence
    return solve(grounded, p).value, solve_by_lp(grounded, p)


@pytest.mark.parametrize("competence", [1e-3, 0.1, 1.0])
def test_a_skill_that_may_be_retried_for_ever_succeeds_surely(competence: float) -> None:
    assert both_ways(one_step("stay", competence, 1.0)) == pytest.approx((2.0, 2.0))


def test_a_skill_that_never_succeeds_is_worth_nothing() -> None:
    assert both_ways(one_step("stay", 0.0, 1.0)) == (0.0, 0.0)
    assert both_ways(one_step("end", 0.0, 1.0)) == (0.0, 0.0)


@pytest.mark.parametrize("f", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("gamma", [0.5, 0.9, 1.0])
def test_one_step_has_the_value_of_the_formula(f: float, gamma: float) -> None:
    assert both_ways(one_step("end", f, gamma)) == pytest.approx((2 * gamma * f,) * 2)
    stay = 2 * gamma * f / (1 - gamma * (1 - f))
    assert both_ways(one_step("stay", f, gamma)) == pytest.approx((stay, stay))


def test_one_stops_where_a_step_costs_more_than_it_brings() -> None:
    assert both_ways(one_step("stay", 0.5, 1.0, step=-0.9)) == pytest.approx((0.2, 0.2))
    assert both_ways(one_step("stay", 0.5, 1.0, step=-1.1)) == (0.0, 0.0)
    assert both_ways(
        one_step([PossibleEffect(0.5, "end"), PossibleEffect(0.5, "stay")], 0.5, 1.0, -0.5)
    ) == (pytest.approx((2 / 3, 2 / 3)))


def test_several_goals_and_several_starts_are_averaged() -> None:
    task = one_step("end", 0.5, 0.5)
    skills = [*task.skills, Skill("Far", {"at": "away"}, {"at": "far"}, 1.0)]
    goals = [*task.goals, Goal("both", 3.0, {"at": ["away", "far"]})]
    variables = {"at": ["home", "away", "far"]}
    task = replace(task, skills=skills, goals=goals, variables=variables)
    assert both_ways(task) == pytest.approx((0.75, 0.75))


@pytest.mark.parametrize("competence", [0.3, 1.0])
def test_an_infinite_value_is_refused(competence: float) -> None:
    task = one_step("stay", competence, 1.0)
    idle = Skill("Idle", {"at": "home"}, "stay", competence, "stay", step_reward=0.1)
    grounded = ground(replace(task, skills=[*task.skills, idle]))
    with pytest.raises(TaskError, match=r"discount: the value is infinite.* discount below 1"):
        solve(grounded, grounded.competence)
    with pytest.raises(TaskError, match=r"discount: the value is infinite; .* discount below 1"):
        solve_by_lp(grounded, grounded.competence)


def test_a_rewarding_circle_is_finite_with_a_discount() -> None:
    idle = Skill("Idle", {"at": "home"}, "stay", 1.0, "stay", step_reward=1.0)
    task = one_step("stay", 0.5, 0.9)
    task = replace(task, skills=[*task.skills, idle])
    assert both_ways(task) == pytest.approx((10.0, 10.0))


@pytest.mark.parametrize("competence", [1e-5, 1e-7, 1e-9, 1e-12])
def test_equal_actions_that_rounding_tells_apart_come_to_an_end(competence: float) -> None:
    """Where B fails one may try for ever to get back, so A and B are both sure of the goal."""
    task = Task(
        "turns",
        {"v": ["0", "1", "2"]},
        [Goal("g", 1e6, {"v": "2"})],
        [
            Skill("A", {"v": "0"}, {"v": "2"}, 0.3, "stay"),
            Skill("B", {}, {"v": "0"}, competence, {"v": "1"}),
        ],
        discount=1.0,
    )
    grounded = ground(task)
    solution = solve(grounded, grounded.competence)
    assert solution.value == pytest.approx(1e6)
    earned = rule_values(grounded, grounded.competence, solution.actions)
    assert earned == pytest.approx(solution.values)


@pytest.mark.parametrize("competence", [[np.nan], [1.5], [-0.5], [], [0.1, 0.1], {"Go": 0.1}, "x"])
def test_competences_that_make_no_sense_are_refused(competence: Any) -> None:
    grounded = ground(one_step("end", 0.5, 0.9))
    for way in (solve, solve_by_lp):
        with pytest.raises(ArgumentError, match=r"competence: .* within \[0, 1\] .* order: Go"):
            way(grounded, competence)
    assert solve(grounded, [0.5]).value == solve(grounded, np.array([0.5])).value
    with pytest.raises(ArgumentError, match=r"is not grounded; give dp\.ground\(task\)"):
        solve(grounded.task, [0.5])  # type: ignore[arg-type]  # what a user may do
