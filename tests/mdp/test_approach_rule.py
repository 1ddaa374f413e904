"""The rule that leads to a skill: its probability, its limit, and what it is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from coffee import coffee
from counts import count
from random_tasks import random_competence, random_task

from deliberate_practice.domains.cleanup.task import cleanup
from deliberate_practice.mdp import approach_rule
from deliberate_practice.mdp.approach_rule import limit_of
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.routes import Route, routes
from deliberate_practice.task.model import Task, holds
from deliberate_practice.task.skill import PossibleEffect, Skill

State = tuple[tuple[str, str], ...]


def test_a_failure_is_retried_and_repaired() -> None:
    grounded = ground(coffee(), everything=True)
    ways = routes(grounded, grounded.competence)
    assert ways["Pour"].skills == ("Grasp",)
    assert ways["Pour"].probability == pytest.approx(1 - 0.5 ** limit_of(1))
    serve = ways["Serve"]
    assert serve.skills == ("Grasp", "Pour")
    assert serve.rule is not None
    assert {(row["cup"], row["milk"]): skill for row, skill in serve.rule.choices} == {
        ("shelf", "full"): "Grasp",
        ("hand", "full"): "Pour",
        ("hand", "spilled"): "Refill",
    }
    assert serve.probability > 2 * 0.5 * 0.4  # of the route alone


def test_a_skill_that_only_mends_failures_is_reached_by_one() -> None:
    grounded = ground(coffee(), everything=True)
    refill = routes(grounded, grounded.competence)["Refill"]
    assert (refill.skills, refill.failing) == (("Grasp", "Pour"), (1,))
    assert refill.probability == pytest.approx((1 - 0.5 ** (limit_of(2) - 1)) * 0.6, rel=1e-3)


def test_without_recoverable_failures_the_route_is_everything() -> None:
    for objects in (1, 2):
        grounded = ground(cleanup(objects), everything=True)
        competence = np.random.default_rng(objects).random(len(grounded.policy_names))
        names = [skill.name for skill in grounded.task.skills]
        for name, way in routes(grounded, competence).items():
            expected = 1.0
            for skill in way.skills:
                expected *= float(competence[names.index(skill)])
            assert (way.rule, way.failing, way.skill) == (None, (), name)
            assert way.probability == expected  # to the last bit


def test_skills_whose_own_way_is_absorbing_have_no_rule_beside_others_that_have_one() -> None:
    rng = np.random.default_rng(5)
    seen = 0
    for _ in range(count(500)):
        task = random_task(rng, product_form=True)
        competence = random_competence(rng, task)
        found = routes(ground(task, everything=True), competence)
        absorbing = replace(task, skills=[replace(skill, failure="end") for skill in task.skills])
        today = routes(ground(absorbing, everything=True), competence)
        assert today.keys() <= found.keys()
        for name, way in today.items():
            mine = found[name]
            assert mine.skills == way.skills
            if mine.rule is None:
                assert mine.probability == way.probability
                seen += bool(way.skills)
            else:
                assert mine.probability >= way.probability * (1 - 1e-12)
    assert seen


def test_the_stated_probability_is_that_of_the_table() -> None:
    """Against following the table through the task itself, one outcome after the other."""
    rng = np.random.default_rng(2)
    rules = 0
    for number in range(count(1500)):
        task = random_task(rng, product_form=bool(number % 3 == 0))
        competence = random_competence(rng, task)
        for way in routes(ground(task, everything=True), competence).values():
            if way.rule is not None:
                assert way.probability == pytest.approx(_followed(task, competence, way), abs=1e-12)
                rules += 1
    assert rules > count(1500) / 4


def test_no_rule_arrives_more_often_than_any_plan_that_counts_its_executions() -> None:
    """Against the best choice for every state and every number of executions left."""
    rng = np.random.default_rng(3)
    ratios = []
    for number in range(count(1500)):
        task = random_task(rng, product_form=bool(number % 3 == 0))
        competence = random_competence(rng, task)
        for way in routes(ground(task, everything=True), competence).values():
            if way.rule is not None:
                best = _best(task, competence, way)
                assert way.probability <= best + 1e-12
                ratios.append(way.probability / best)
    assert np.mean(ratios) > 0.995
    assert np.mean(np.array(ratios) > 0.999) > 0.95


def test_a_table_that_would_be_too_long_keeps_the_likely_states(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    grounded = ground(coffee(), everything=True)
    whole = routes(grounded, grounded.competence)["Serve"]
    monkeypatch.setattr(approach_rule, "MOST_CHOICES", 2)
    part = routes(grounded, grounded.competence)["Serve"]
    assert part.rule is not None
    assert len(part.rule.choices) == 2
    assert part.probability < whole.probability
    assert part.probability == pytest.approx(_followed(grounded.task, grounded.competence, part))


@pytest.mark.parametrize("p", [1e-12, 0.0, 1.0])
def test_extreme_competences(p: float) -> None:
    grounded = ground(cleanup(1, failures="physical"), everything=True)
    ways = routes(grounded, np.full(len(grounded.policy_names), p))
    if p == 0:
        assert all(not way.skills for way in ways.values())
    else:
        place = ways["Place(object,bottom)"]
        tries = limit_of(3)
        smallest = p**3 * tries * (tries - 1) * (tries - 2) / 6
        assert place.probability == pytest.approx(min(1.0, smallest), rel=1e-6)


def _followed(task: Task, competence: np.ndarray, way: Route) -> float:
    """The probability of arriving, by passing all mass through the table."""
    assert way.rule is not None
    table = {_key(when): task.skill(skill) for when, skill in way.rule.choices}
    until = task.skill(way.skill).precondition
    mass = {_key(_start(task, way)): 1.0}
    arrived = 0.0
    for left in range(way.rule.limit, -1, -1):
        after: dict[State, float] = {}
        for key, share in mass.items():
            if holds(until, dict(key)):
                arrived += share
            elif left and key in table:
                for target, p in _outcomes(task, competence, key, table[key]).items():
                    after[target] = after.get(target, 0.0) + share * p
        mass = after
    return arrived


def _best(task: Task, competence: np.ndarray, way: Route) -> float:
    """The most that can arrive if the choice may depend on the executions left."""
    assert way.rule is not None
    until = task.skill(way.skill).precondition

    @cache
    def reach(key: State, left: int) -> float:
        state = dict(key)
        if holds(until, state):
            return 1.0
        if not left or any(holds(goal.when, state) for goal in task.goals):
            return 0.0
        return max(
            (
                sum(
                    p * reach(target, left - 1)
                    for target, p in _outcomes(task, competence, key, skill).items()
                )
                for skill in task.skills
                if holds(skill.precondition, state)
            ),
            default=0.0,
        )

    return reach(_key(_start(task, way)), way.rule.limit)


def _start(task: Task, way: Route) -> Mapping[str, str]:
    """The start that the route names, or the only one."""
    return way.start or task.start_states[0].state


def _outcomes(task: Task, competence: np.ndarray, key: State, skill: Skill) -> dict[State, float]:
    p = float(competence[list(task.policies).index(skill.policy)])
    found: dict[State, float] = {}

    def add(options: tuple[PossibleEffect, ...], share: float) -> None:
        for option in options:
            if option.effect == "end":
                continue
            change: Mapping[str, str] = option.effect if isinstance(option.effect, Mapping) else {}
            target = _key({**dict(key), **change})
            found[target] = found.get(target, 0.0) + share * option.probability

    add(skill.success_effects, p)
    add(skill.failure_effects, 1 - p)
    return found


def _key(state: Mapping[str, str]) -> State:
    return tuple(sorted(state.items()))
