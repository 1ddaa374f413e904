"""Several tasks share one budget: the split is the best for their weighted mean."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from brute_force import best_of_several
from counts import count
from random_tasks import alone, random_tasks

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.allocation.frontier_chart import frontier_chart
from deliberate_practice.allocation.sensitivity import sensitivity
from deliberate_practice.allocation.verification import verify
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.model import Goal, ServedTask, Start, Task
from deliberate_practice.task.toml_reader import read_task

ROOT = Path(__file__).parents[2]
CUPS = read_task(ROOT / "examples" / "two_tasks.toml")
MENDING = read_task(ROOT / "tests" / "golden" / "mending.toml")


def test_no_split_is_better_than_the_bound_and_the_best_one_is_found() -> None:
    rng = np.random.default_rng(3)
    missed = 0
    total = count(200)
    for _ in range(total):
        task = random_tasks(rng, product_form=True)
        budget = int(rng.integers(0, 5))
        weighted = [(one.weight, alone(task)[one.name]) for one in task.tasks]
        best = best_of_several(weighted, budget)
        answer = allocate(task, budget, solver="local")
        assert answer.value <= best * (1 + 1e-9)
        assert answer.bound >= best * (1 - 1e-9)
        assert verify(task, answer).passed
        missed += answer.value < best * (1 - 1e-6)
    assert missed <= total // 50  # local search promises no optimum


def test_the_bilinear_program_proves_the_best_split() -> None:
    pytest.importorskip("pyscipopt")
    rng = np.random.default_rng(4)
    for _ in range(count(20)):
        task = random_tasks(rng, product_form=True)
        weighted = [(one.weight, alone(task)[one.name]) for one in task.tasks]
        answer = allocate(task, 3)
        assert answer.status == "optimal"
        assert answer.value == pytest.approx(best_of_several(weighted, 3), rel=2e-6)


def test_the_answer_has_a_plan_for_each_start_of_each_task() -> None:
    answer = allocate(CUPS, 40, solver="local")
    assert answer.goal == "serve: tray and tidy: shelf"
    assert [(path.task, path.start["cup"], path.goal) for path in answer.plans] == [
        ("serve", "shelf", "tray"),
        ("tidy", "table", "shelf"),
        ("tidy", "sink", "shelf"),
    ]
    assert [path.probability for path in answer.plans] == pytest.approx([0.75, 0.1875, 0.0625])
    assert answer.plan in [path.skills for path in answer.plans]
    assert answer.skills == ("PickFromShelf", "PlaceOnTray", "PickFromTable", "PlaceOnShelf")
    assert set(answer.competence) == {"Pick", "PlaceOnTray", "PlaceOnShelf"}
    assert {state["task"] for state, _ in answer.rule} == {"serve", "tidy"}


def test_several_starts_of_one_task_have_plans_too_and_one_start_has_none() -> None:
    answer = allocate(MENDING, 20, solver="local")
    assert [(path.task, path.start["cup"], path.probability) for path in answer.plans] == [
        ("mending", "shelf", 0.7),
        ("mending", "floor", 0.3),
    ]
    assert all(path.skills and path.goal == "racked" for path in answer.plans)
    assert answer.goal == "racked"
    assert verify(MENDING, answer).passed
    assert allocate(load_task("breakfast"), 20).plans == ()


def test_a_wrong_plan_of_one_task_is_found() -> None:
    answer = allocate(CUPS, 40, solver="local")
    serve, table, sink = answer.plans
    for wrong in (
        (serve, table),
        (serve, replace(table, skills=("PickFromSink", "PlaceOnShelf")), sink),
        (serve, replace(table, goal="tray"), sink),
        (serve, replace(table, skills=("PickFromTable", "Fly")), sink),
        (serve, table, replace(sink, skills=(), goal="shelf")),
    ):
        assert not verify(CUPS, replace(answer, plans=wrong)).passed
    assert not verify(CUPS, replace(answer, plan=("PickFromSink", "PlaceOnTray"))).passed


def test_one_task_that_earns_is_searched_by_plans() -> None:
    """The other one has no goal that can be reached, so that one start is left."""
    breakfast = load_task("breakfast")
    nowhere = ServedTask("nowhere", [Goal("never", 9.0, {"bread": "gripper", "toaster": "on"})])
    eat = ServedTask("eat", breakfast.goals, weight=3)
    task = replace(breakfast, goals=(), tasks=[nowhere, eat])
    answer = allocate(task, 60)
    assert (answer.solver, answer.status) == ("plans", "optimal")
    assert answer.value == pytest.approx(0.75 * allocate(breakfast, 60).value)
    assert [(path.task, path.skills) for path in answer.plans] == [
        ("nowhere", ()),
        ("eat", answer.plan),
    ]
    assert any("'nowhere' earns nothing" in note for note in answer.notes)
    assert verify(task, answer).passed
    found = frontier(task, 40)
    assert [(switch.budget, switch.task, switch.goal) for switch in found.switches] == [
        (switch.budget, "eat", f"eat: {switch.goal}") for switch in frontier(breakfast, 40).switches
    ]


def test_the_frontier_names_the_task_that_switches() -> None:
    grounded = ground(CUPS)
    found = frontier(grounded, 40, solver="local")
    (switch,) = found.switches
    assert (switch.task, switch.previous_goal, switch.goal) == ("tidy", "tidy: tray", "tidy: shelf")
    assert switch.plan == ("PickFromTable", "PlaceOnShelf")
    before, after = found.goals[switch.budget - 1], found.goals[switch.budget]
    assert (before, after) == ("serve: tray and tidy: tray", "serve: tray and tidy: shelf")
    assert len(found.plans_by_start) == len(found.budgets)
    assert found.plans_by_start[40] == allocate(grounded, 40, solver="local").plans
    legend = [series.name for series in frontier_chart(found).panels[0].series]
    assert f"best plan: {after}" in legend
    assert frontier(load_task("breakfast"), 5).plans_by_start == ()


def test_another_rate_may_change_the_plan_of_any_task() -> None:
    grounded = ground(CUPS)
    varied = sensitivity(grounded, 25, solver="local")
    changed = {(v.policy, v.factor): v.goal for v in varied if v.changes}
    assert changed["PlaceOnShelf", 2.0] == "serve: tray and tidy: shelf"


def test_weights_count_relative_to_each_other() -> None:
    doubled = [replace(one, weight=2 * one.weight) for one in CUPS.tasks]
    twice = allocate(replace(CUPS, tasks=doubled), 30, solver="local")
    assert twice.value == pytest.approx(allocate(CUPS, 30, solver="local").value)
    rare = [replace(CUPS.tasks[0], weight=1e-6), CUPS.tasks[1]]
    answer = allocate(replace(CUPS, tasks=rare), 30, solver="local")
    tidy = Task(
        "tidy",
        CUPS.variables,
        CUPS.tasks[1].goals,
        CUPS.skills,
        CUPS.discount,
        [Start(start.probability, start.state) for start in CUPS.tasks[1].starts],
    )
    assert answer.value == pytest.approx(allocate(tidy, 30, solver="local").value, rel=1e-4)
