"""The exact oracle agrees with hand calculation, with all decision rules, and with iteration."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from counts import count
from exact_values import (
    ExactTask,
    InfiniteValue,
    cancellation_scale,
    exact_best,
    exact_splits,
    exact_value,
)
from extreme_tasks import FAMILIES, extreme_task
from random_tasks import random_task

import deliberate_practice as dp

GOAL = dp.Goal("g", 2.0, {"s": "c"})
PLACES = {"s": ["a", "b", "c"]}


def task_of(*skills: dp.Skill, discount: float = 0.5, **more: Any) -> dp.Task:
    return dp.Task("hand", PLACES, [GOAL], skills, discount, **more)


def go(source: str, target: str, competence: float, **more: Any) -> dp.Skill:
    return dp.Skill(f"{source}{target}", {"s": source}, {"s": target}, competence, **more)


def values_of(task: dp.Task) -> Fraction:
    return exact_value(task, {name: policy.competence for name, policy in task.policies.items()})


def test_plans_are_discounted_once_for_each_skill() -> None:
    task = task_of(go("a", "b", 0.5), go("b", "c", 0.25))
    assert values_of(task) == Fraction(1, 2) ** 2 * 2 * Fraction(1, 8)


def test_step_rewards_count_at_every_execution() -> None:
    retry = go("a", "c", 0.5, failure="stay", step_reward=-0.25)
    assert values_of(task_of(retry, discount=1.0)) == 2 - Fraction(1, 4) * 2
    competences = {"ac": 0.5}
    assert cancellation_scale(task_of(retry, discount=1.0), competences) == Fraction(5, 2)


def test_stopping_is_worth_nothing_and_always_allowed() -> None:
    assert values_of(task_of(go("a", "c", 0.5, step_reward=-2.0), discount=1.0)) == 0


def test_a_circle_that_pays_nothing_is_worth_nothing() -> None:
    circle = task_of(go("a", "b", 1.0), go("b", "a", 1.0), go("b", "c", 0.0), discount=1.0)
    assert values_of(circle) == 0


def test_a_circle_that_pays_for_ever_is_infinite() -> None:
    circle = task_of(go("a", "b", 1.0, step_reward=1.0), go("b", "a", 1.0), discount=1.0)
    with pytest.raises(InfiniteValue):
        values_of(circle)


def test_a_start_at_a_goal_earns_its_reward_undiscounted() -> None:
    starts = [dp.Start(0.25, {"s": "c"}), dp.Start(0.75, {"s": "b"})]
    task = task_of(go("a", "c", 1.0), go("b", "c", 1.0), starts=starts)
    assert values_of(task) == Fraction(1, 4) * 2 + Fraction(3, 4)


def test_of_several_goals_met_the_largest_reward_counts() -> None:
    goals = [GOAL, dp.Goal("h", 5.0, {"s": ["b", "c"]})]
    task = dp.Task("goals", PLACES, goals, [go("a", "c", 1.0), go("b", "c", 1.0)], 1.0)
    assert values_of(task) == 5


def test_outcomes_are_taken_as_they_are_or_scaled() -> None:
    failure = [dp.PossibleEffect(1e-13, "end"), dp.PossibleEffect(0.9999999999999, "stay")]
    p, q = Fraction(1e-13), Fraction(0.9999999999999)
    task = task_of(go("a", "c", 1e-13, failure=failure), discount=1.0)
    assert ExactTask(task, scaled=False).solve({"ac": 1e-13}).value == 2 * p / (1 - (1 - p) * q)
    q /= p + q
    assert ExactTask(task, scaled=True).solve({"ac": 1e-13}).value == 2 * p / (1 - (1 - p) * q)


def test_the_best_split_keeps_to_costs() -> None:
    learn = dp.Table([0.0, 0.5, 0.75])
    sure = dp.Table([0.0, 1.0])
    task = task_of(
        go("a", "b", None, curve=learn),  # type: ignore[arg-type]  # the table states it
        go("b", "c", None, curve=sure, cost=3),  # type: ignore[arg-type]  # the table states it
        discount=1.0,
    )
    assert exact_best(task, 4) == (Fraction(1), {"ab": 1, "bc": 1})
    assert exact_best(task, 5) == (Fraction(3, 2), {"ab": 2, "bc": 1})
    assert exact_best(task, 3)[0] == 0


@pytest.mark.parametrize("family", FAMILIES)
def test_equals_the_best_of_all_decision_rules(family: str) -> None:
    compared = 0
    for seed in range(count(200)):
        case = extreme_task(family, seed)
        split = exact_splits(case.task, case.budget)[-1]
        best = best_of_all_rules(case.task, split.competences)
        if best is not None:
            assert split.solution.value == best, (family, seed)
            compared += 1
    assert compared > count(200) / 2


@pytest.mark.parametrize("product_form", [True, False])
def test_equals_iteration_on_ordinary_tasks(product_form: bool) -> None:
    rng = np.random.default_rng(7)
    for _ in range(count(300)):
        task = random_task(rng, product_form=product_form)
        competences = {name: float(rng.integers(0, 11)) / 10 for name in task.policies}
        value = by_iteration(task, competences)
        assert float(exact_value(task, competences)) == pytest.approx(value, rel=1e-9, abs=1e-12)


def best_of_all_rules(task: dp.Task, competences: Mapping[str, float]) -> Fraction | None:
    """The best start value of all rules that end; None if there are too many rules."""
    exact = ExactTask(task)
    options = [[None, *here] for here in exact.actions]
    if np.prod([len(here) for here in options]) > 600:
        return None
    best = Fraction(0)
    for rule in itertools.product(*options):
        values = _by_substitution(exact, rule, competences)
        if values is not None:
            best = max(best, sum((p * values[s] for s, p in exact.starts.items()), Fraction(0)))
    return best


def _by_substitution(
    exact: ExactTask, rule: tuple[Any, ...], competences: Mapping[str, float]
) -> list[Fraction] | None:
    """Values of a rule by substituting one state after the other; None if it never ends.

    Each state's value is a sum Σ c_t V(t) + constant; a state is replaced in all other sums.
    """
    sums: list[dict[int, Fraction]] = []
    constants: list[Fraction] = []
    for s, action in enumerate(rule):
        sums.append({})
        constants.append(exact.rewards[s] or Fraction(0))
        if action is not None:
            p = Fraction(competences[action.policy])
            constants[s] = action.reward
            for chance, outcomes in ((p, action.success), (1 - p, action.failure)):
                for weight, t in outcomes:
                    sums[s][t] = sums[s].get(t, Fraction(0)) + exact.discount * chance * weight
    for s, here in enumerate(sums):
        left = 1 - here.pop(s, Fraction(0))
        if left == 0:
            return None
        constants[s] /= left
        here.update({t: c / left for t, c in here.items()})
        for r, other in enumerate(sums):
            factor = other.pop(s, Fraction(0)) if r != s else Fraction(0)
            constants[r] += factor * constants[s]
            for t, c in here.items() if factor else ():
                other[t] = other.get(t, Fraction(0)) + factor * c
    return constants


def by_iteration(task: dp.Task, competences: Mapping[str, float], sweeps: int = 3000) -> float:
    """Value iteration from 0 over all combinations of values, in plain floats."""
    names = list(task.variables)
    values = dict.fromkeys(itertools.product(*task.variables.values()), 0.0)

    def holds(condition: Any, state: tuple[str, ...]) -> bool:
        given = dict(zip(names, state, strict=True))
        return all(given[n] in ([v] if isinstance(v, str) else v) for n, v in condition.items())

    def after(effect: Any, state: tuple[str, ...]) -> tuple[str, ...]:
        change = {} if effect == "stay" else effect
        return tuple(change.get(n, value) for n, value in zip(names, state, strict=True))

    rewards = {
        state: max(met)
        for state in values
        if (met := [goal.reward for goal in task.goals if holds(goal.when, state)])
    }
    values.update(rewards)
    moves: dict[tuple[str, ...], list[tuple[float, list[tuple[float, tuple[str, ...]]]]]] = {
        state: [
            (
                skill.step_reward,
                [
                    (task.discount * chance * outcome.probability, after(outcome.effect, state))
                    for chance, outcomes in (
                        (competences[skill.policy], skill.success_effects),
                        (1 - competences[skill.policy], skill.failure_effects),
                    )
                    for outcome in outcomes
                    if outcome.effect != "end"
                ],
            )
            for skill in task.skills
            if holds(skill.precondition, state)
        ]
        for state in values
        if state not in rewards
    }
    for _ in range(sweeps):
        largest = 0.0
        for state, choices in moves.items():
            new = max([0.0, *(r + sum(c * values[t] for c, t in ends) for r, ends in choices)])
            largest = max(largest, abs(new - values[state]))
            values[state] = new
        if largest < 1e-14:
            break
    return sum(
        start.probability * values[tuple(start.state[n] for n in names)]
        for start in task.start_states
    )
