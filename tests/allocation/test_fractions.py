"""Fractions of episodes, as in the paper: at least as good as whole ones, and stationary."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from counts import count
from random_tasks import random_task
from scipy.optimize import minimize

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.verification import verify
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.curves import Exponential, PiecewiseLinear, Table
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill


def test_fractions_are_worth_at_least_whole_episodes() -> None:
    rng, compared = np.random.default_rng(3), 0
    while compared < count(100):
        task = random_task(rng, product_form=True)
        if any(isinstance(p.curve, Table) for p in task.policies.values()):
            continue
        compared += 1
        whole = allocate(task, 5)
        fractions = allocate(task, 5, continuous=True)
        assert fractions.value >= whole.value * (1 - 1e-7)
        assert fractions.spent <= 5 * (1 + 1e-9)
        assert fractions.status == "optimal"


def test_equal_skills_get_equal_shares() -> None:
    found = allocate(load_task("cleanup"), 130, continuous=True)
    assert list(found.allocation.values()) == pytest.approx([130 / 3] * 3)
    assert found.value == pytest.approx(2 * 0.99**3 * (0.1 + 0.018 * 130 / 3) ** 3)


def test_agrees_with_a_general_optimiser() -> None:
    task = Task(
        "chain",
        {"at": ["a", "b", "c", "d"]},
        [Goal("d", 1.0, {"at": "d"})],
        [
            Skill("one", {"at": "a"}, {"at": "b"}, 0.2, curve=Exponential(0.05, 0.9)),
            Skill("two", {"at": "b"}, {"at": "c"}, 0.1, "stay", Exponential(0.02, 0.8)),
            Skill("three", {"at": "c"}, {"at": "d"}, 0.4, curve=PiecewiseLinear(0.01), cost=2),
        ],
        discount=0.9,
    )

    def loss(b: np.ndarray) -> float:
        one = 0.2 + 0.7 * (1 - np.exp(-0.05 * b[0]))
        two = 0.1 + 0.7 * (1 - np.exp(-0.02 * b[1]))
        three = min(1.0, 0.4 + 0.01 * b[2])
        return float(-(0.9 * one) * (0.9 * two / (1 - 0.9 * (1 - two))) * 0.9 * three)

    best = minimize(
        loss,
        [20.0, 20.0, 20.0],
        bounds=[(0, 80), (0, 80), (0, 40)],
        constraints={"type": "ineq", "fun": lambda b: 80 - b[0] - b[1] - 2 * b[2]},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    found = allocate(task, 80, continuous=True)
    assert found.value == pytest.approx(-best.fun, rel=1e-6)
    assert found.value >= -best.fun * (1 - 1e-9)


def test_a_table_has_no_fractions() -> None:
    task = Task(
        "t",
        {"at": ["a", "b"]},
        [Goal("b", 1.0, {"at": "b"})],
        [Skill("go", {"at": "a"}, {"at": "b"}, curve=Table([0.1, 0.5]))],
    )
    with pytest.raises(ArgumentError, match="'go' is a table"):
        allocate(task, 3, continuous=True)


def test_a_policy_may_cost_more_than_the_budget() -> None:
    task = Task(
        "dear",
        {"at": ["a", "b"]},
        [Goal("b", 1.0, {"at": "b"})],
        [Skill("go", {"at": "a"}, {"at": "b"}, 0.5, curve=PiecewiseLinear(0.1), cost=2)],
        discount=1.0,
    )
    found = allocate(task, 1, continuous=True)
    assert found.value == pytest.approx(0.55)
    assert found.allocation == pytest.approx({"go": 0.5})
    assert verify(task, found).passed


def test_retrying_for_ever_needs_only_a_beginning() -> None:
    """With discount 1 a skill that is retried until it works needs any competence above 0."""
    task = Task(
        "stubborn",
        {"at": ["a", "b"]},
        [Goal("b", 3.0, {"at": "b"})],
        [Skill("go", {"at": "a"}, {"at": "b"}, 0.0, "stay", PiecewiseLinear(0.1))],
        discount=1.0,
    )
    found = allocate(task, 5, continuous=True)
    assert found.value == pytest.approx(3.0)
    assert 0 < found.spent < 1e-6
    assert verify(task, found).passed
    assert "'go' never works without practice" in found.notes[0]
    assert allocate(replace(task, discount=0.9), 5, continuous=True).notes == ()
