"""Verification finds every kind of lie."""

from __future__ import annotations

import dataclasses

import pytest

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.result import Allocation
from deliberate_practice.allocation.verification import verify
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import load_task
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
    names = ["budget", "episodes", "competence", "plan", "value", "bound", "status"]
    assert checks == dict.fromkeys(names, True)


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
        ("bound", {"bound": float("nan")}),
        ("episodes", {"allocation": {"pi2": float("nan")}}),
        ("episodes", {"allocation": {"pi2": float("inf")}}),
        ("episodes", {"allocation": {"pi2": "3"}}),
        ("competence", {"competence": {}}),
        ("competence", {"competence": {"pi2": 0.5, "pi3": 0.6}}),
        ("competence", {"competence": {"pi2": 0.6, "pi3": 0.6, "pi9": 0.6}}),
        ("status", {"bound": 1e9}),
        ("status", {"status": "feasible"}),
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


def test_a_detour_in_the_plan_is_worth_less() -> None:
    cleanup = load_task("cleanup")
    right = allocate(cleanup, 60)
    wrong = dataclasses.replace(right, plan=("Close(top)", "Open(top)", *right.plan))
    failed = [c for c in verify(cleanup, wrong).checks if c.passed is False]
    assert [c.name for c in failed] == ["competence", "plan"]
    assert "it is worth 0.00393" in failed[1].detail


def test_a_gap_that_was_asked_for_counts_as_optimal() -> None:
    multi = load_task("cleanup-multi")
    early = allocate(multi, 450, gap=0.5, time_limit=1e-9)
    assert early.gap
    assert verify(multi, early).passed


def test_a_time_limit_leaves_the_rest_unchecked() -> None:
    multi = load_task("cleanup-multi")
    checks = {c.name: c.passed for c in verify(multi, allocate(multi, 450), time_limit=1e-9).checks}
    assert (checks["value"], checks["bound"], checks["plan"]) == (None, None, True)


def test_values_that_are_nearly_nothing_are_checked_too() -> None:
    multi = load_task("cleanup-multi", competence=0.05)
    right = allocate(multi, 0)
    assert 0 < right.value < 1e-10
    assert verify(multi, right).passed
    assert not verify(multi, dataclasses.replace(right, value=2e-11, bound=2e-11)).passed


def _dropped() -> Task:
    """A thing that can only be kicked: a failed pick drops it where the goal is."""
    return Task(
        "dropped",
        {"thing": ["shelf", "edge", "floor", "hand"]},
        [Goal("down", 1.0, {"thing": "floor"})],
        [
            Skill("Pick", {"thing": "shelf"}, {"thing": "hand"}, 0.3, {"thing": "edge"}),
            Skill("Push", {"thing": "edge"}, {"thing": "shelf"}, 0.2, {"thing": "floor"}),
        ],
    )


def test_a_plan_that_counts_on_failures_says_so() -> None:
    right = allocate(_dropped(), 0, solver="local")
    assert (right.plan, right.failing, right.goal) == (("Pick", "Push"), (0, 1), "down")
    assert any("relies on failures of 'Pick', 'Push'" in note for note in right.notes)
    (plan,) = [c for c in verify(_dropped(), right).checks if c.name == "plan"]
    assert plan.passed
    assert "2 of them lead on by a failure" in plan.detail
    for failing in ((), (0,), (1,)):
        wrong = dataclasses.replace(right, failing=failing)
        assert not verify(_dropped(), wrong).passed


def test_successes_are_preferred_to_likelier_failures() -> None:
    """A retry by way of a failure may be the likelier path; the plan is the one of successes."""
    task = Task(
        "stairs",
        {"at": ["down", "middle", "up"]},
        [Goal("up", 1.0, {"at": "up"})],
        [
            Skill("Jump", {"at": "down"}, {"at": "up"}, 0.2, {"at": "middle"}),
            Skill("Step", {"at": "middle"}, {"at": "up"}, 0.9),
        ],
    )
    found = allocate(task, 0)
    assert (found.plan, found.failing) == (("Jump",), ())
    assert verify(task, found).passed


def test_a_value_that_no_tolerance_may_hide() -> None:
    """The price of a skill that nobody uses is no scale for errors."""
    priced = Skill("Never", {"a": "0"}, {"a": "1"}, 1.0, step_reward=-1e12)
    go = Skill("Go", {"a": "0"}, {"a": "1"}, 0.3)
    task = Task("price", {"a": ["0", "1"]}, [Goal("g", 0.5, {"a": "1"})], [go, priced])
    right = allocate(task, 5)
    assert right.value == pytest.approx(0.5 * 0.99 * 0.3)
    assert verify(task, right).passed
    assert not verify(task, dataclasses.replace(right, value=0.0)).passed


def test_refuses_what_is_no_allocation(task: Task) -> None:
    with pytest.raises(ArgumentError, match=r"allocation: None .* dp\.allocate"):
        verify(task, None)  # type: ignore[arg-type]  # what a user may do
