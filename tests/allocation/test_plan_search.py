"""Plan search against brute force over all plans and splits, ties included."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from brute_force import best_by_brute_force
from counts import count
from random_tasks import random_task

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.plan_search import search_plans
from deliberate_practice.allocation.plans import best_plans
from deliberate_practice.allocation.prices import WholeEpisodes
from deliberate_practice.allocation.problem import build_problem
from deliberate_practice.allocation.product_form import ProductForm, product_form
from deliberate_practice.allocation.verification import verify
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.curves import PiecewiseLinear, Table
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import PossibleEffect, Skill

BATCHES = 10


@pytest.mark.parametrize("batch", range(BATCHES))
def test_equals_brute_force_on_random_tasks(batch: int) -> None:
    rng = np.random.default_rng([2026, batch])
    compared = 0
    while compared < count(1200) // BATCHES:
        task, budget = random_task(rng, product_form=True), int(rng.integers(0, 8))
        expected = best_by_brute_force(task, budget)
        if expected is None:
            continue
        compared += 1
        found = allocate(task, budget)
        assert found.solver == "plans"
        assert found.value == pytest.approx(expected.value, rel=2e-9, abs=1e-15)
        assert found.bound >= expected.value * (1 - 1e-12)
        assert found.status == "optimal"
        assert found.spent == expected.spent
        assert found.plan == expected.plan
        assert dict(found.allocation) == expected.allocation
        assert verify(task, found).passed


def test_every_budget_of_a_search_equals_its_own_search() -> None:
    rng = np.random.default_rng(7)
    for _ in range(count(200)):
        task = random_task(rng, product_form=True)
        problem = build_problem(task, 9)
        form = _form(task)
        for budget, best in enumerate(best_plans(problem, form, range(10))):
            alone = allocate(task, budget)
            assert best.value == pytest.approx(alone.value, rel=2e-9)
            assert best.plan.skills == alone.plan
            assert best.plan.goal == alone.goal
            assert best.split == dict(alone.allocation)


def test_value_rises_with_budget_and_with_competence() -> None:
    rng = np.random.default_rng(11)
    for _ in range(count(200)):
        task = random_task(rng, product_form=True)
        values = [allocate(task, budget).value for budget in range(6)]
        assert values == sorted(values) or np.allclose(values, sorted(values), rtol=2e-9)
        better = dataclasses.replace(
            task,
            skills=[
                dataclasses.replace(s, competence=min(1.0, s.competence + 0.1))
                if s.competence is not None and s.curve is None
                else s
                for s in task.skills
            ],
        )
        assert allocate(better, 5).value >= values[5] * (1 - 1e-9)


def test_stopped_early_the_bound_still_holds() -> None:
    task = load_task("cleanup-multi")
    for budget in (100, 300, 420):
        optimum = allocate(task, budget).value
        problem, form = build_problem(task, budget), _form(task)
        for labels in (1, 5, 50, 200):
            found = search_plans(form, WholeEpisodes(problem, form), [budget], max_labels=labels)
            assert np.exp(found.log_values[0]) <= optimum * (1 + 1e-9)
            assert np.exp(found.log_bounds[0]) >= optimum * (1 - 1e-9)


def test_a_wide_gap_stops_early_and_says_what_is_proven() -> None:
    task = load_task("cleanup-multi")
    optimum = allocate(task, 380).value
    found = allocate(task, 380, gap=0.5)
    assert found.value <= optimum * (1 + 1e-9) <= found.bound * (1 + 2e-9)
    assert found.gap is not None
    assert found.gap <= 0.5
    assert found.status == "optimal"


def test_a_time_limit_gives_a_feasible_answer_with_a_bound() -> None:
    task = load_task("cleanup-multi", objects=6)
    found = allocate(task, 300, time_limit=1e-9)
    optimum = allocate(task, 300)
    assert optimum.status == "optimal"
    assert found.bound >= optimum.value
    assert found.spent <= 300


def test_plans_may_be_very_long() -> None:
    length = 1500
    task = Task(
        "corridor",
        {"at": [f"room{i}" for i in range(length + 1)]},
        [Goal("end", 1.0, {"at": f"room{length}"})],
        [
            Skill(
                f"go{i}", {"at": f"room{i}"}, {"at": f"room{i + 1}"}, competence=0.999, policy="go"
            )
            for i in range(length)
        ],
        discount=1.0,
    )
    found = allocate(task, 3)
    assert len(found.plan) == length
    assert found.value == pytest.approx(0.999**length)


def test_failures_that_partly_end_are_of_product_form() -> None:
    """Success may also do nothing, failure may be retried sometimes: still one trajectory."""
    task = Task(
        "partly",
        {"at": ["a", "b", "c"]},
        [Goal("c", 3.0, {"at": "c"})],
        [
            Skill(
                "first",
                {"at": "a"},
                [
                    PossibleEffect(0.8, {"at": "b"}),
                    PossibleEffect(0.1, "stay"),
                    PossibleEffect(0.1, "end"),
                ],
                failure=[PossibleEffect(0.6, "stay"), PossibleEffect(0.4, "end")],
                competence=0.2,
                curve=PiecewiseLinear(rate=0.1),
            ),
            Skill(
                "second", {"at": "b"}, {"at": "c"}, competence=0.3, curve=PiecewiseLinear(rate=0.1)
            ),
        ],
        discount=0.9,
    )
    found = allocate(task, 6)
    problem = build_problem(task, 6)
    best = max(problem.solve([a, 6 - a]).value for a in range(7))
    assert found.solver == "plans"
    assert found.value == pytest.approx(best, rel=1e-9)
    assert verify(task, found).passed


def test_losing_the_way_for_good_is_of_product_form() -> None:
    """A failure that leads where no goal can be reached any more is as good as the end."""
    task = Task(
        "drop",
        {"cup": ["table", "shelf", "floor"]},
        [Goal("shelf", 1.0, {"cup": "shelf"})],
        [
            Skill(
                "put", {"cup": "table"}, {"cup": "shelf"}, failure={"cup": "floor"}, competence=0.5
            )
        ],
    )
    assert allocate(task, 5).solver == "plans"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"failure": {"at": "c"}}, "another state"),
        ({"step_reward": -0.1}, "step reward"),
        (
            {"effect": [PossibleEffect(0.5, {"at": "b"}), PossibleEffect(0.5, {"at": "c"})]},
            "several states",
        ),
    ],
)
def test_says_why_a_task_is_not_of_product_form(change: dict[str, object], reason: str) -> None:
    go = Skill("go", {"at": "a"}, {"at": "b"}, competence=0.5)
    task = Task(
        "t",
        {"at": ["a", "b", "c"]},
        [Goal("b", 1.0, {"at": "b"})],
        [
            dataclasses.replace(go, **change),  # type: ignore[arg-type]  # one field at a time
            Skill("back", {"at": "c"}, {"at": "b"}, competence=0.5),
        ],
    )
    assert reason in str(product_form(build_problem(task, 0).ground))


def _form(task: Task) -> ProductForm:
    form = product_form(build_problem(task, 0).ground)
    assert isinstance(form, ProductForm)
    return form


def test_equal_plans_are_told_apart_by_file_order() -> None:
    """Also where the plan that comes later needs fewer practised kinds, or is better by a hair."""

    def step(name: str, source: str, target: str, p: float | None = None, **more: object) -> Skill:
        return Skill(name, {"at": source}, {"at": target}, p, **more)  # type: ignore[arg-type]

    late = Table([0.5, 0.5, 1.0])
    rooms = {"at": ["0", "2", "3", "4"]}
    goal = [Goal("4", 1.0, {"at": "4"})]
    kinds = Task(
        "kinds",
        rooms,
        goal,
        [
            step("s0", "2", "3", failure="stay", policy="P", curve=late),
            step("s2", "0", "3", policy="P"),
            step("s5", "3", "4", policy="P"),
            step("s6", "0", "3", failure="stay", policy="P"),
        ],
        discount=1.0,
    )
    assert allocate(kinds, 4).plan == ("s2", "s5")
    hair = Task(
        "hair",
        rooms,
        goal,
        [step("B", "0", "2", 0.9), step("X", "0", "2", 0.9 + 1e-10), step("C", "2", "4", 0.9)],
    )
    assert allocate(hair, 1).plan == ("B", "C")
