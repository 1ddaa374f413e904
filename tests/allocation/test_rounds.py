"""Allocation in whole rounds: demonstrations count only once a training run has used them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from counts import count
from random_rounds import with_rounds
from random_tasks import random_task

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.allocation.verification import verify
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import solve
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import read_task

BUDGET = 9
SO101 = read_task(Path(__file__).parents[2] / "examples" / "so101.toml")


def splits(task: Task, budget: int) -> Iterator[tuple[int, dict[str, int]]]:
    """Every split in episodes and whole rounds, with its price."""
    practised = [policy for policy in task.policies.values() if policy.practisable]
    for shares in itertools.product(range(budget + 1), repeat=len(practised)):
        spent, split = 0, {}
        for policy, n in zip(practised, shares, strict=True):
            if policy.rounds:
                each = policy.rounds.demonstrations
                spent += n * (each * policy.rounds.demonstration_cost + policy.rounds.training_cost)
                split[policy.name] = n * each
            else:
                spent += n * policy.cost
                split[policy.name] = n
        if spent <= budget:
            yield spent, split


def worth(task: Task, split: dict[str, int]) -> float:
    policies = task.policies.values()
    return solve(
        ground(task),
        np.array([p.predict(np.asarray(float(split.get(p.name, 0)))).item() for p in policies]),
    ).value


def small(seed: int, *, product_form: bool) -> Task:
    """A task with rounds in which every split can be tried."""
    rng = np.random.default_rng(seed)
    while True:
        task = with_rounds(random_task(rng, product_form=product_form), rng)
        practised = [p for p in task.policies.values() if p.practisable]
        if len(practised) <= 3 and any(p.rounds for p in practised):
            return task


@pytest.mark.parametrize("seed", range(count(300)))
@pytest.mark.parametrize("product_form", [True, False])
def test_the_best_split_in_rounds_is_found(seed: int, product_form: bool) -> None:
    task = small(seed, product_form=product_form)
    found = allocate(task, BUDGET, time_limit=20)
    best = max(worth(task, split) for _, split in splits(task, BUDGET))
    assert found.bound >= best * (1 - 1e-9)
    if found.status == "optimal":
        assert found.value == pytest.approx(best, rel=1e-5, abs=1e-9)
    assert worth(task, {u: int(b) for u, b in found.allocation.items()}) == pytest.approx(
        found.value
    )
    assert verify(task, found).passed


@pytest.mark.parametrize("seed", range(count(60)))
def test_the_frontier_is_that_of_whole_rounds(seed: int) -> None:
    task = small(seed, product_form=True)
    found = frontier(task, BUDGET)
    for budget in (0, 3, BUDGET):
        best = max(worth(task, split) for _, split in splits(task, budget))
        assert found.values[budget] == pytest.approx(best)
        split = {u: int(b) for u, b in found.allocations[budget].items()}
        assert worth(task, split) == pytest.approx(best)


def test_an_allocation_counts_demonstrations() -> None:
    found = allocate(SO101, 240)
    assert found.plan == ("OpenDrawer", "PickCube", "PlaceInDrawer")
    assert sum(found.allocation.values()) == 100
    assert all(b % 10 == 0 for b in found.allocation.values())
    assert found.spent == 10 * (10 * 2 + 3)
    b = found.allocation["PickCube"]
    assert found.competence["PickCube"] == pytest.approx(0.95 - 0.65 * math.exp(-0.04 * b))


def test_given_curves_are_per_demonstration_and_constant_after_their_end() -> None:
    task = small(1, product_form=True)
    given = {name: [0.1 + 0.02 * b for b in range(8)] for name in task.policies}
    long = {name: curve + [curve[-1]] * 50 for name, curve in given.items()}
    short = allocate(task, 30, curves=given)
    assert short.value == pytest.approx(allocate(task, 30, curves=long).value)


def test_parts_of_rounds_are_refused() -> None:
    task = small(1, product_form=True)
    with pytest.raises(ArgumentError, match="whole rounds"):
        allocate(task, 10, continuous=True)
