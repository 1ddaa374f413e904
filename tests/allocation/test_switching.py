"""Turning to a skill costs budget: the allocation charges it once for each practised policy."""

from __future__ import annotations

import itertools
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from counts import count
from random_tasks import random_task

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.allocation.verification import verify
from deliberate_practice.foundation.errors import ArgumentError, TaskError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import solve
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.model import Task
from deliberate_practice.task.seconds import in_seconds
from deliberate_practice.task.toml_reader import parse_task
from deliberate_practice.task.toml_writer import task_to_toml

BUDGET = 9


def with_switches(task: Task, rng: np.random.Generator) -> Task:
    """The task with random costs of turning to policies."""
    switches = {name: int(rng.integers(0, 5)) or None for name in task.policies}
    return replace(task, skills=[replace(s, switch=switches[s.policy]) for s in task.skills])


def splits(task: Task, budget: int) -> Iterator[tuple[int, dict[str, int]]]:
    """Every split of practice with its price: whole episodes for turning to a policy, once."""
    practised = [policy for policy in task.policies.values() if policy.practisable]
    for shares in itertools.product(range(budget + 1), repeat=len(practised)):
        spent = 0
        for policy, b in zip(practised, shares, strict=True):
            turning = -(-policy.switch // policy.cost) * policy.cost if b else 0
            spent += policy.cost * b + turning
        if spent <= budget:
            yield spent, {p.name: b for p, b in zip(practised, shares, strict=True)}


def best(task: Task, budget: int) -> float:
    grounded = ground(task)
    values = []
    for _, split in splits(task, budget):
        competence = np.array(
            [
                p.predict(np.asarray(float(split.get(p.name, 0)))).item()
                for p in task.policies.values()
            ]
        )
        values.append(solve(grounded, competence).value)
    return max(values)


@pytest.mark.parametrize("product_form", [True, False])
def test_the_best_split_pays_for_its_switches(product_form: bool) -> None:
    found = 0
    for seed in range(count(400)):
        rng = np.random.default_rng([seed, product_form])
        try:
            task = with_switches(random_task(rng, product_form=product_form), rng)
            ground(task)
        except TaskError:
            continue
        practised = [p for p in task.policies.values() if p.practisable]
        if not practised or len(practised) > 3:
            continue
        answer = allocate(task, BUDGET, time_limit=20.0)
        right = best(task, BUDGET)
        assert answer.bound >= right * (1 - 1e-9), seed
        assert answer.value <= right * (1 + 1e-9) + 1e-12, seed
        if answer.status == "optimal":
            assert answer.value == pytest.approx(right, rel=1e-6, abs=1e-12), seed
            found += 1
        prices = {tuple(sorted(s.items())): spent for spent, s in splits(task, BUDGET)}
        mine = {p.name: int(answer.allocation.get(p.name, 0)) for p in practised}
        assert prices[tuple(sorted(mine.items()))] <= answer.spent <= BUDGET, seed
        assert verify(task, answer).passed, seed
    assert found > count(400) // 4


def test_a_switch_is_saved_by_practising_one_skill() -> None:
    task = load_task("breakfast")
    free = allocate(task, 41)
    assert free.goal == "oatmeal"  # two skills to practise
    costly = replace(task, skills=[replace(s, switch=10 if s.curve else None) for s in task.skills])
    assert allocate(costly, 41).goal == "toast"
    assert allocate(costly, 80).goal == "oatmeal"
    assert allocate(costly, 41).spent <= 41
    points = frontier(costly, 80)
    assert points.values[41] == pytest.approx(allocate(costly, 41).value)
    assert points.allocations[80] == allocate(costly, 80).allocation
    with pytest.raises(ArgumentError, match="switch"):
        allocate(costly, 41, continuous=True)


def test_a_switch_that_no_budget_pays_for_takes_no_memory() -> None:
    task = load_task("breakfast")
    skills = [replace(s, switch=10**9 if s.curve else None) for s in task.skills]
    dear = ground(replace(task, skills=skills))
    tracemalloc.start()
    answer = allocate(dear, 10**8, solver="local")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answer.spent == 0
    assert peak < 50e6
    skills = [replace(s, switch=10**8 if s.curve else None) for s in task.skills]
    with pytest.raises(ArgumentError, match="count in larger units"):
        allocate(replace(task, skills=skills), 10**9)


def test_a_task_in_seconds() -> None:
    task = load_task("breakfast")
    times = {"episode": 44.5, "reset": 20, "switch": 120}
    with pytest.raises(TaskError, match="missing for StartToaster, OpenMicrowave, CloseMicrowave"):
        in_seconds(task)
    stated = replace(
        task, skills=[replace(s, seconds=times if s.curve else {}) for s in task.skills]
    )
    assert parse_task(task_to_toml(stated)) == stated
    policy = in_seconds(stated).policies["StartToaster"]
    assert (policy.cost, policy.switch, policy.lead) == (65, 120, 2)
    night = allocate(in_seconds(stated), 3600)
    assert night.spent <= 3600
    assert all(b * 65 <= 3600 for b in night.allocation.values())


@pytest.mark.parametrize(
    ("seconds", "message"),
    [
        ({"episodes": 4}, "'episodes' is not"),
        ({"episode": 0}, "seconds.episode"),
        ({"reset": -1}, "seconds.reset"),
        ("4 s", "is not a table"),
    ],
)
def test_wrong_times_are_refused(seconds: object, message: str) -> None:
    task = load_task("breakfast")
    with pytest.raises(TaskError, match=message):
        replace(task.skills[0], seconds=seconds)  # type: ignore[arg-type]
    with pytest.raises(TaskError, match="switch: -1"):
        replace(task.skills[0], switch=-1)
