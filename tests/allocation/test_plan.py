"""A plan as a product, and its best split against every split there is."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping

import numpy as np
import pytest
from counts import count
from random_tasks import random_task

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.plan import Plan, follow
from deliberate_practice.allocation.plans import all_plans, task_value
from deliberate_practice.allocation.product_form import ProductForm, product_form
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import solve
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill


def test_the_best_plan_is_worth_what_the_task_is() -> None:
    rng = np.random.default_rng(3)
    for _ in range(count(200)):
        grounded = ground(random_task(rng, product_form=True))
        # Only practice changes a competence: plans that count on others may be left out.
        competence = {
            name: float(rng.random()) if policy.practisable else policy.competence
            for name, policy in grounded.task.policies.items()
        }
        exact = solve(grounded, np.array(list(competence.values()))).value
        assert task_value(grounded, competence) == pytest.approx(exact, rel=1e-9, abs=1e-15)


def test_a_skill_that_never_works_hides_no_other_plan() -> None:
    """A short way by a skill of competence 0 must not stand for a long way that works."""
    line = PiecewiseLinear(rate=0.02)
    task = Task(
        "detour",
        {"at": ["a", "aside", "b", "c"]},
        [Goal("c", 1.0, {"at": "c"})],
        [
            Skill("never", {"at": "a"}, {"at": "b"}, 0.0),
            Skill("leave", {"at": "a"}, {"at": "aside"}, 0.3, curve=line),
            Skill("return", {"at": "aside"}, {"at": "b"}, 0.3, curve=line),
            Skill("go", {"at": "b"}, {"at": "c"}, 0.5, curve=line),
        ],
    )
    plans = all_plans(ground(task))
    assert plans is not None
    assert [plan.skills for plan in plans] == [("leave", "return", "go")]


def test_a_plan_is_the_product_of_its_factors() -> None:
    rng = np.random.default_rng(4)
    for _ in range(count(100)):
        plans = all_plans(ground(random_task(rng, product_form=True)))
        assert plans is not None
        for plan in plans:
            competence = {name: float(rng.random()) for name in plan.uses}
            product = plan.reward
            for name, f in competence.items():
                product *= float(plan.factor(name, np.array(f)))
            assert plan.value(competence) == pytest.approx(product, rel=1e-12)
            assert sum(n for kinds in plan.uses.values() for n in kinds.values()) == len(
                plan.skills
            )


def test_a_split_of_every_plan_includes_the_best_allocation() -> None:
    rng = np.random.default_rng(5)
    for _ in range(count(100)):
        task, budget = random_task(rng, product_form=True), int(rng.integers(1, 15))
        grounded = ground(task)
        plans = all_plans(grounded)
        assert plans is not None
        curves = {
            name: np.sort(rng.random(budget + 1))
            for name, policy in task.policies.items()
            if policy.practisable
        }
        costs = {name: policy.cost for name, policy in task.policies.items()}
        values = [0.0]
        for plan in plans:
            split = plan.split(curves, budget, costs=costs)
            assert sum(costs[name] * k for name, k in split.items()) <= budget
            values.append(plan.value(_after(grounded.task, curves, split)))
        best = allocate(grounded, budget, curves={n: c.tolist() for n, c in curves.items()})
        assert max(values) == pytest.approx(best.value, rel=1e-8)


def _after(
    task: Task, curves: Mapping[str, np.ndarray], split: Mapping[str, int]
) -> dict[str, float]:
    return {
        name: float(curves[name][split.get(name, 0)]) if name in curves else policy.competence
        for name, policy in task.policies.items()
    }


def test_a_split_that_pays_for_approaches_is_the_best_of_all() -> None:
    """Each policy once, practised in order: k attempts take k / reach episodes, rounded up."""
    plan = _two_steps()
    rng = np.random.default_rng(6)
    for budget in (3, 8, 15):
        for _ in range(count(20)):
            first, second = (np.sort(rng.uniform(0.05, 1, budget + 1)) for _ in range(2))

            def reach(policy: str, attempts: Mapping[str, int], first: np.ndarray = first) -> float:
                return 1.0 if policy == "near" else float(first[attempts["near"]])

            split = plan.split({"near": first, "far": second}, budget, reach=reach)
            values = {
                (a, b): first[a] * second[b]
                for a, b in itertools.product(range(budget + 1), repeat=2)
                if a + np.ceil(b / first[a] - 1e-9) <= budget
            }
            a, b = split.get("near", 0), split.get("far", 0)
            # The last attempt may be cut short; without it the split can be paid for.
            assert a + (b - 1) / first[a] < budget
            assert first[a] * second[b] >= max(values.values()) - 1e-12


def test_practice_that_gains_nothing_is_not_paid_for() -> None:
    """Not even where rounding, which differs between processors, makes a flat curve rise."""
    plan = _two_steps()
    flat = np.full(21, 0.7)
    flat[4:] += 2 * np.spacing(0.7)
    rising = np.minimum(0.1 + 0.1 * np.arange(21.0), 0.9)
    always = {"near": flat, "far": flat}
    assert plan.split(always, 20, reach=lambda policy, attempts: 1.0) == {}
    useful = {"near": flat, "far": rising}
    assert plan.split(useful, 20, reach=lambda policy, attempts: 0.8) == {"far": 8}


def test_nothing_is_split_over_a_plan_that_never_succeeds() -> None:
    plan = _two_steps()
    curves = {"near": np.zeros(11), "far": np.full(11, 0.5)}
    assert plan.split(curves, 10, reach=lambda policy, attempts: 0.5) == {}


def test_coarse_splits_are_nearly_as_good() -> None:
    plan = _two_steps()
    curves = {
        name: 1 - 0.9 * np.exp(-rate * np.arange(1001.0))
        for name, rate in (("near", 0.004), ("far", 0.01))
    }
    fine, coarse = plan.split(curves, 600), plan.split(curves, 600, resolution=60)
    assert all(k % 10 == 0 for k in coarse.values())

    def value(split: Mapping[str, int]) -> float:
        return plan.value({name: float(curves[name][split[name]]) for name in curves})

    assert 0.999 * value(fine) <= value(coarse) <= value(fine)
    assert sum(fine.values()) <= 600


def test_short_curves_stay_constant_and_others_are_not_practised() -> None:
    plan = _two_steps()
    assert plan.split({"near": [0.5, 0.6]}, 10) == {"near": 1}
    assert plan.split({"near": [0.0], "elsewhere": [0.1, 0.9]}, 10) == {}
    assert plan.split({"near": [0.1, 0.2], "far": [0.1, 0.9]}, 3, costs={"near": 4}) == {"far": 1}
    with pytest.raises(ArgumentError, match="budget: -1 is not valid"):
        plan.split({}, -1)


def test_following_skills_that_do_not_lead_on_fails() -> None:
    grounded = ground(load_task("breakfast"))
    form = product_form(grounded)
    assert isinstance(form, ProductForm)
    names = [skill.name for skill in grounded.task.skills]
    toast = [names.index(name) for name in ("PickBread", "PlaceBread", "StartToaster")]
    assert follow(grounded, form, toast).goal == "toast"
    begun = follow(grounded, form, toast[:1])
    assert (begun.goal, begun.reward) == (None, 0.0)
    with pytest.raises(ValueError, match="cannot be started"):
        follow(grounded, form, toast[1:])


def test_general_tasks_have_no_plans() -> None:
    task = load_task("breakfast")
    skills = [dataclasses.replace(task.skills[0], step_reward=-0.1), *task.skills[1:]]
    assert all_plans(ground(dataclasses.replace(task, skills=skills))) is None


def _two_steps() -> Plan:
    line = PiecewiseLinear(rate=0.02)
    task = Task(
        "far",
        {"at": ["a", "b", "c"]},
        [Goal("c", 1.0, {"at": "c"})],
        [
            Skill("near", {"at": "a"}, {"at": "b"}, 0.2, curve=line),
            Skill("far", {"at": "b"}, {"at": "c"}, 0.2, curve=line),
        ],
        discount=1.0,
    )
    plans = all_plans(ground(task))
    assert plans is not None
    (plan,) = plans
    return plan
