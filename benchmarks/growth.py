"""How time and memory grow with the task; every task is solved in a process of its own.

Plan search: Cleanup-Multi with more objects or budget, and graphs with more skills. General tasks:
Cleanup-Multi with failures that fall back or end (variants a and b of families.py), which is plan
form, and random tasks that are not, each with about 1,000, 10,000 and 100,000 states.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from families import variant
from large_tasks import large_task
from solved import Case, Solved, by_auto, by_plans

from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill

OBJECTS = (1, 2, 3, 4, 5, 6, 7, 8, 10)
LAYERS = (3, 5, 10, 20, 40)
BUDGETS = (50, 100, 200, 500, 1000, 2000)

GENERAL = {
    "cleanup a": (5, 8, 10),
    "cleanup b": (5, 8, 11),
    "repairs": (5, 6, 7),
    "wide": (1_000, 10_000, 100_000),
}
"""Kinds of general tasks and their sizes: about 1,000, 10,000 and 100,000 states."""

TARGET = 0.01
"""The gap at which ``auto`` may stop."""

MAX_STATES = 10**7


def plan_growth(*, quick: bool = False) -> Iterator[Solved]:
    """Plan search on larger and larger tasks."""
    for objects in OBJECTS:
        if objects <= 7 or not quick:
            yield _alone("objects", objects, 100 + 100 * objects)
    if not quick:
        yield from (_alone("layers", count, 200) for count in LAYERS)
        yield from (_alone("objects", 4, budget) for budget in BUDGETS)


def general_growth(sizes: int, seconds: float) -> Iterator[Solved]:
    """``auto`` on larger and larger general tasks.

    Args:
        sizes: How many of the sizes of each kind are solved, the smallest first.
        seconds: Time limit, without grounding.
    """
    for kind, every in GENERAL.items():
        for size in every[:sizes]:
            budget = 100 * size if kind.startswith("cleanup") else 80
            yield _alone(kind, size, budget, seconds)


def _alone(kind: str, size: int, budget: int, seconds: float | None = None) -> Solved:
    """One answer from a fresh process, so that memory is that of this task alone."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_solve, (kind, size, budget, seconds))


def _solve(kind: str, size: int, budget: int, seconds: float | None) -> Solved:
    """Make, ground and solve a task; its name says its kind and size."""
    task = _task(kind, size)
    begin = time.process_time()
    grounded = ground(task, MAX_STATES)
    grounding = time.process_time() - begin
    name = f"{kind}, {size} objects" if kind.startswith("cleanup") else f"{size} {kind}"
    if seconds is None:
        solved = by_plans(Case(name, grounded, budget))
    else:
        solved = by_auto(Case(name, grounded, budget, TARGET), seconds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return replace(solved, grounding=grounding, peak=peak)


def _task(kind: str, size: int) -> Task:
    if kind == "objects":
        return load_task("cleanup-multi", objects=size)
    if kind == "layers":
        return _layered(size)
    if kind.startswith("cleanup "):
        return variant(kind.removeprefix("cleanup "), 0, 0.99, objects=size)
    return large_task(kind, size)


def _layered(layers: int, width: int = 10, seed: int = 0) -> Task:
    """A graph of layers; from each place lead three skills, with curves of their own."""
    rng = np.random.default_rng(seed)
    skills = []
    for layer in range(layers):
        sources = ["start"] if layer == 0 else [f"{layer - 1}.{i}" for i in range(width)]
        for source in sources:
            for i in rng.choice(width, size=3, replace=False):
                skills.append(
                    Skill(
                        f"{source} to {layer}.{i}",
                        {"place": source},
                        {"place": f"{layer}.{i}"},
                        competence=float(rng.uniform(0.05, 0.5)),
                        curve=PiecewiseLinear(
                            rate=float(rng.uniform(0.005, 0.04)),
                            ceiling=float(rng.uniform(0.7, 1.0)),
                        ),
                    )
                )
    places = ["start", *(f"{layer}.{i}" for layer in range(layers) for i in range(width))]
    goals = [
        Goal(f"goal {i}", float(rng.uniform(1, 4)), {"place": f"{layers - 1}.{i}"})
        for i in range(width)
    ]
    return Task(f"{layers} layers", {"place": places}, goals, skills)
