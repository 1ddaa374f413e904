"""Families of tasks on which certificates are measured.

Layers are graphs whose skills share few policies. Variants of Cleanup-Multi have failures that can
be recovered:

    a  a failure changes nothing; a failed place puts the object back on the table
    b  a failure changes nothing with probability 0.7 and ends the episode otherwise
    c  a failure changes nothing; a failed place loses the object with probability 0.5 and puts it
       back on the table otherwise

Their competences before practice are drawn from 0.1 to 0.5 and rates from 0.01 to 0.03.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from deliberate_practice.domains.cleanup.task import DRAWERS, cleanup
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Start, Task
from deliberate_practice.task.skill import Effect, PossibleEffect, Skill

LETTERS = ("a", "b", "c")
WEIGHTS = (1.0, 0.6, 0.4)


def layers(length: int, width: int, policies: int, seed: int, *, ways: int = 3) -> Task:
    """A graph of layers whose skills share few policies.

    From the start and from each place, skills lead to random places of the next layer, and from
    each place of the last layer to the goal. Each skill uses a random policy.

    Args:
        length: Layers.
        width: Places in each layer.
        policies: Policies, with competences of .05 to .15 before practice.
        seed: Seed of the random graph.
        ways: Skills that lead on from each place.
    """
    rng = np.random.default_rng(seed)
    competence = rng.uniform(0.05, 0.15, policies)
    rate = rng.uniform(0.02, 0.05, policies)
    stated: set[int] = set()
    skills: list[Skill] = []

    def add(source: str, target: str) -> None:
        u = int(rng.integers(policies))
        first = u not in stated  # only the first skill of a policy describes its learning
        stated.add(u)
        skills.append(
            Skill(
                f"skill{len(skills)}",
                {"at": source},
                {"at": target},
                policy=f"policy{u}",
                competence=float(competence[u]) if first else None,
                curve=PiecewiseLinear(rate=float(rate[u])) if first else None,
            )
        )

    for layer in range(length):
        sources = ["start"] if layer == 0 else [f"{layer - 1}.{i}" for i in range(width)]
        for source in sources:
            for i in rng.integers(width, size=ways):
                add(source, f"{layer}.{i}")
    for i in range(width):
        add(f"{length - 1}.{i}", "goal")
    places = [f"{layer}.{i}" for layer in range(length) for i in range(width)]
    return Task(
        f"{length} x {width} places, {policies} policies",
        {"at": ["start", *places, "goal"]},
        [Goal("goal", 1.0, {"at": "goal"})],
        skills,
        discount=0.99,
    )


def variant(letter: str, seed: int, discount: float, objects: int = 4) -> Task:
    """Cleanup-Multi with the failures of one variant and priors drawn from a seed."""
    rng = np.random.default_rng(seed)
    task = cleanup(objects, discount=discount)
    skills = [
        replace(
            skill,
            competence=float(rng.uniform(0.1, 0.5)),
            curve=PiecewiseLinear(rate=float(rng.uniform(0.01, 0.03))),
            failure=_failure(letter, skill),
        )
        for skill in task.skills
    ]
    return replace(task, skills=skills)


def _failure(letter: str, skill: Skill) -> Effect | Sequence[PossibleEffect]:
    if letter == "b":
        return [PossibleEffect(0.7, "stay"), PossibleEffect(0.3, "end")]
    if not skill.name.startswith("Place"):
        return "stay"
    thing = skill.name.removeprefix("Place(").partition(",")[0]
    back = {thing: "table"}
    if letter == "a":
        return back
    return [PossibleEffect(0.5, back), PossibleEffect(0.5, "end")]


def with_starts(task: Task) -> Task:
    """The task with eight equally likely starts: every drawer may be open or closed."""
    drawers = itertools.product(("open", "closed"), repeat=len(DRAWERS))
    starts = [Start(1 / 8, dict(zip(DRAWERS, state, strict=True))) for state in drawers]
    return replace(task, starts=starts)


def with_tasks(task: Task, weights: Sequence[float] = WEIGHTS) -> Task:
    """Three tasks over the same skills, each with its own best drawer.

    A variable that no skill changes names the task. Task i pays 4 for drawer i, 2 for the next and
    1 for the one after it; it is given with a probability in proportion to its weight.
    """
    names = [f"task{i + 1}" for i in range(len(weights))]
    goals = [
        Goal(
            f"{name}-{goal.name}",
            (4.0, 2.0, 1.0)[(d - i) % len(DRAWERS)],
            {**goal.when, "task": name},
        )
        for i, name in enumerate(names)
        for d, goal in enumerate(task.goals)
    ]
    total = sum(weights)
    return replace(
        task,
        variables={**task.variables, "task": names},
        goals=goals,
        starts=[Start(w / total, {"task": n}) for w, n in zip(weights, names, strict=True)],
    )


def with_step_cost(task: Task, cost: float = 0.01) -> Task:
    """The task with a cost for every executed skill."""
    return replace(task, skills=[replace(skill, step_reward=-cost) for skill in task.skills])
