"""Plans with composition gaps, compared with every plan that there is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from counts import count
from random_tasks import random_competence, random_task

from deliberate_practice.allocation.plan import follow
from deliberate_practice.allocation.plans import all_plans
from deliberate_practice.allocation.product_form import ProductForm, product_form
from deliberate_practice.beliefs.gaps import Losses
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import solve
from deliberate_practice.practice.approaches.composed_reward import composed_reward
from deliberate_practice.practice.earning import reward_of
from deliberate_practice.practice.intention import along
from deliberate_practice.strategies.composition import ORDERED, best_composed, composed_value
from deliberate_practice.task.model import Task


def simple_plans(form: ProductForm, state: int, behind: frozenset[int]) -> Iterator[list[int]]:
    """Every plan that enters no state twice."""
    if form.goal_log[state] > -math.inf:
        yield []
    for edge in np.flatnonzero(form.source == state).tolist():
        target = int(form.target[edge])
        if target not in behind:
            for rest in simple_plans(form, target, behind | {target}):
                yield [int(form.skill[edge]), *rest]


def worlds() -> Iterator[tuple[Task, GroundTask, np.ndarray, Losses]]:
    for seed in range(count(900)):
        rng = np.random.default_rng([21, seed])
        task = random_task(rng, product_form=True)
        names = list(task.policies)
        kept = {(u, v): float(rng.uniform(0.3, 1.1)) for u in names for v in names}
        drawn = np.clip(random_competence(rng, task), 0.05, 0.95)
        fixed = [None if p.practisable else p.competence for p in task.policies.values()]
        competence = np.array([d if p is None else p for d, p in zip(drawn, fixed, strict=True)])
        grounded = ground(task)
        if solve(grounded, competence).value > 0:
            yield task, grounded, competence, Losses(kept, 0.9)


def test_no_other_order_and_no_other_plan_is_worth_more() -> None:
    compared = 0
    for _, grounded, competence, losses in worlds():
        form = product_form(grounded)
        assert isinstance(form, ProductForm)
        found = best_composed(grounded, competence, losses)
        assert found is not None
        by_name = dict(zip(grounded.policy_names, competence, strict=True))
        useful = all_plans(grounded)
        assert useful is not None
        assert len(useful) <= ORDERED
        plans = [
            follow(grounded, form, skills)
            for skills in simple_plans(form, form.start, frozenset([form.start]))
        ]
        plans = [one for one in plans if any({*one.skills} <= {*other.skills} for other in useful)]
        values = [float(composed_value(grounded, one, by_name, losses.kept)) for one in plans]
        own = float(composed_value(grounded, found[0], by_name, losses.kept))
        assert found[1] == pytest.approx(own, rel=1e-9)
        assert own >= 0.999999 * max(values)
        compared += len(plans) > 1
    assert compared > 5


def test_without_gaps_the_best_plan_is_that_of_the_mdp() -> None:
    for _, grounded, competence, _ in worlds():
        found = best_composed(grounded, competence, Losses())
        assert found is not None
        assert found[1] == pytest.approx(solve(grounded, competence).value, rel=1e-9)


def test_the_exact_reward_of_a_rule_is_that_of_its_plan() -> None:
    for task, grounded, competence, losses in worlds():
        found = best_composed(grounded, competence, losses)
        assert found is not None
        believed = dict(zip(grounded.policy_names, competence.tolist(), strict=True))
        rule = along(grounded, found[0], solve(grounded, competence).actions)
        capped = Losses(
            {p: min(k, 1 / max(believed[p[1]], 0.05)) for p, k in losses.by_pair.items()}, 0.9
        )
        if found[0].skills:
            assert composed_reward(grounded, rule, believed, capped) == pytest.approx(found[1])
        plain = replace(grounded, task=replace(task, discount=0.9))
        everywhere = composed_reward(plain, rule, believed, Losses({("x", "y"): 0.5}))
        assert everywhere == pytest.approx(reward_of(plain, rule, believed), rel=1e-9)


def test_general_tasks_are_evaluated_too() -> None:
    for seed in range(count(200)):
        rng = np.random.default_rng([22, seed])
        grounded = ground(replace(random_task(rng, product_form=False), discount=0.9))
        competence = random_competence(rng, grounded.task)
        rule = solve(grounded, competence).actions
        believed = dict(zip(grounded.policy_names, competence.tolist(), strict=True))
        found = composed_reward(grounded, rule, believed, Losses({("x", "y"): 0.5}))
        assert found == pytest.approx(reward_of(grounded, rule, believed), rel=1e-9, abs=1e-12)
