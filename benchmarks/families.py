"""Families of tasks on which certificates are measured."""

from __future__ import annotations

import numpy as np

from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill


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
