"""Would the plan change if a skill were learned at another rate?"""

from __future__ import annotations

import dataclasses

import pytest

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.sensitivity import sensitivity
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.curves import PiecewiseLinear


def test_agrees_with_changing_the_task() -> None:
    task = load_task("breakfast")
    for variation in sensitivity(task, 45):
        skills = [
            dataclasses.replace(s, curve=PiecewiseLinear(rate=0.03 * variation.factor))
            if s.policy == variation.policy
            else s
            for s in task.skills
        ]
        varied = allocate(dataclasses.replace(task, skills=skills), 45)
        assert variation.value == pytest.approx(varied.value)
        assert variation.plan == varied.plan
        assert variation.kept_value <= variation.value


def test_says_when_the_plan_would_change() -> None:
    changes = {
        (v.policy, v.factor): v.goal for v in sensitivity(load_task("cleanup"), 150) if v.changes
    }
    assert changes["Close(middle)", 2.0] == "bottom"
    assert ("Open(top)", 2.0) not in changes


def test_questions_an_allocation_of_the_same_budget() -> None:
    task = load_task("counterexample")
    with pytest.raises(ArgumentError, match="splits a budget of 20, not of 2"):
        sensitivity(task, 2, allocate(task, 20))
    with pytest.raises(ArgumentError, match="allocation: policy: 'OpenMicrowave' is not one of"):
        sensitivity(task, 60, allocate(load_task("breakfast"), 60))
    with pytest.raises(ArgumentError, match="is not an allocation"):
        sensitivity(task, 2, {"pi2": 2})  # type: ignore[arg-type]  # what a user may do
    assert sensitivity(task, 20, allocate(task, 20)) == sensitivity(task, 20)
