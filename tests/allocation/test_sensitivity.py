"""Would the plan change if a skill were learned at another rate?"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.sensitivity import sensitivity
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import solve
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.curves import PiecewiseLinear


@pytest.mark.parametrize(
    "stated",
    [{}, {"switch": 4}, {"learner": "external", "demonstration": {"per_round": 5}}],
    ids=["attempts", "switches", "rounds"],
)
def test_agrees_with_changing_the_task(stated: dict[str, Any]) -> None:
    task = load_task("breakfast")
    skills = [
        dataclasses.replace(s, parameters=(), **stated) if s.curve else s for s in task.skills
    ]
    task = dataclasses.replace(task, skills=skills)
    kept = allocate(task, 45)
    for variation in sensitivity(task, 45):
        skills = [
            dataclasses.replace(s, curve=PiecewiseLinear(rate=0.03 * variation.factor))
            if s.policy == variation.policy
            else s
            for s in task.skills
        ]
        other = dataclasses.replace(task, skills=skills)
        varied = allocate(other, 45)
        assert variation.value == pytest.approx(varied.value)
        assert variation.plan == varied.plan
        assert variation.kept_value <= variation.value
        after = [
            policy.predict(np.array(float(kept.allocation.get(name, 0)))).item()
            for name, policy in other.policies.items()
        ]
        assert variation.kept_value == pytest.approx(solve(ground(other), after).value)


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
