"""Verification finds every kind of lie."""

from __future__ import annotations

import dataclasses

import pytest

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.result import Allocation
from deliberate_practice.allocation.verification import verify
from deliberate_practice.domains.library import load_task
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill


@pytest.fixture
def task() -> Task:
    return load_task("counterexample")


@pytest.fixture
def right(task: Task) -> Allocation:
    return allocate(task, 10)


def test_accepts_a_right_answer_and_checks_its_bound(task: Task, right: Allocation) -> None:
    checks = {check.name: check.passed for check in verify(task, right).checks}
    assert checks == dict.fromkeys(["budget", "episodes", "plan", "value", "bound"], True)


def test_says_when_the_bound_was_not_checked() -> None:
    multi = load_task("cleanup-multi")
    (bound,) = [c for c in verify(multi, allocate(multi, 450)).checks if c.name == "bound"]
    assert bound.passed is None
    assert "not checked" in bound.detail


@pytest.mark.parametrize(
    ("failing", "lie"),
    [
        ("budget", {"allocation": {"pi2": 9, "pi3": 9}}),
        ("budget", {"spent": 3}),
        ("episodes", {"allocation": {"pi9": 1}}),
        ("episodes", {"allocation": {"pi2": -1, "pi3": 11}}),
        ("plan", {"plan": ("pi3", "pi2")}),
        ("plan", {"plan": ("pi2",)}),
        ("plan", {"plan": ("fly",)}),
        ("plan", {"goal": "B"}),
        ("value", {"value": 1.5, "bound": 1.5}),
        ("bound", {"bound": 1.0, "value": 1.0}),
        ("bound", {"bound": 0.1}),
    ],
)
def test_finds_a_lie(task: Task, right: Allocation, failing: str, lie: dict[str, object]) -> None:
    checked = verify(task, dataclasses.replace(right, **lie))  # type: ignore[arg-type]  # any field
    assert not checked.passed
    assert failing in [check.name for check in checked.checks if check.passed is False]


def test_a_plan_ends_at_the_first_goal() -> None:
    rooms = Task(
        "rooms",
        {"a": ["0", "1", "2"]},
        [Goal("g1", 1.0, {"a": "1"}), Goal("g2", 5.0, {"a": "2"})],
        [Skill("A", {"a": "0"}, {"a": "1"}, 0.9), Skill("B", {"a": "1"}, {"a": "2"}, 0.9)],
    )
    right = allocate(rooms, 3)
    wrong = dataclasses.replace(right, plan=("A", "B"), goal="g2")
    assert verify(rooms, right).passed
    assert not verify(rooms, wrong).passed
