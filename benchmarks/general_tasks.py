"""Families of general tasks, on which ``auto`` is compared with SCIP.

Cleanup-Multi has three variants of failures (families.py), with competences before practice from
0.1 to 0.5. The other families are graphs in which plans share few policies, and random tasks whose
decision rules are not plans (random_general_tasks.py).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from families import LETTERS, layers, variant, with_starts, with_step_cost, with_tasks
from random_general_tasks import COUNT, random_general_task
from solved import Case

from deliberate_practice.mdp.grounding import ground
from deliberate_practice.task.model import Task

BUDGETS, DISCOUNTS = (100, 250), (0.99, 0.95)
POLICIES, SHARING_BUDGETS = (12, 40), (50, 100)
REDUCED = 5
"""Of the random tasks, every fifth one is in the reduced set."""


class Family(NamedTuple):
    """Similar tasks.

    Attributes:
        title: A description in a few words.
        cases: Makes its tasks from a number of seeds, all of them or a reduced set.
    """

    title: str
    cases: Callable[[int, bool], Iterator[Case]]


def _cleanup(
    change: Callable[[Task], Task], target: float
) -> Callable[[int, bool], Iterator[Case]]:
    """Changed variants of Cleanup-Multi; the reduced set has one budget and one discount."""

    def cases(seeds: int, full: bool) -> Iterator[Case]:
        budgets, discounts = (BUDGETS, DISCOUNTS) if full else (BUDGETS[:1], DISCOUNTS[:1])
        grid = itertools.product(LETTERS, budgets, range(seeds), discounts)
        for letter, budget, seed, discount in grid:
            task = ground(change(variant(letter, seed, discount)))
            name = f"{letter}, seed {seed}, discount {discount}"
            yield Case(name, task, budget, target, group=letter)

    return cases


def _sharing(seeds: int, full: bool) -> Iterator[Case]:
    """Graphs of 10 layers x 10 places; the reduced set has fewer policies or a smaller budget."""
    for policies, budget, seed in itertools.product(POLICIES, SHARING_BUDGETS, range(seeds)):
        if full or (policies, budget) != (POLICIES[-1], SHARING_BUDGETS[-1]):
            task = ground(layers(10, 10, policies, seed))
            group = f"{policies} policies, budget {budget}"
            yield Case(f"{policies} policies, seed {seed}", task, budget, group=group)


def _random(seeds: int, full: bool) -> Iterator[Case]:
    """The random tasks; more seeds do not add any."""
    for seed in range(0, COUNT, 1 if full else REDUCED):
        task, budget = random_general_task(seed)
        yield Case(task.task.name, task, budget, 1e-2, group=task.task.name.split()[0])


FAMILIES = {
    "start": Family("Cleanup-Multi, one start", _cleanup(lambda task: task, 1e-3)),
    "tasks": Family("three tasks with conflicting goals", _cleanup(with_tasks, 1e-2)),
    "costs": Family("step cost 0.01, one start", _cleanup(with_step_cost, 2e-3)),
    "starts": Family("eight starts", _cleanup(with_starts, 1e-2)),
    "starts-costs": Family(
        "eight starts, step cost 0.01",
        _cleanup(lambda task: with_step_cost(with_starts(task)), 1e-2),
    ),
    "sharing": Family("plans that share policies, 10 x 10 places", _sharing),
    "random": Family("random tasks whose decision rules are not plans", _random),
}
