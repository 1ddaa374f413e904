"""Large random tasks whose decision rules are not plans.

- ``repairs``: objects are picked and placed; a failed place may lose or break an object, which
  other skills find again or repair. Size is the number of objects.
- ``wide``: 8 layers of places. From each place two skills lead to one of ten places of the next
  layer at random; a failure stays, is set back by two layers, or is lost. Size is the number of
  places.
"""

from __future__ import annotations

import numpy as np
from random_general_tasks import objects_task

from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import PossibleEffect, Skill

LAYERS, WAYS, PLACES, POLICIES = 8, 2, 10, 8


def large_task(kind: str, size: int, seed: int = 0) -> Task:
    """A task of a kind, ``repairs`` or ``wide``."""
    rng = np.random.default_rng([2026, 12, seed])
    return objects_task(rng, f"{size} objects", size) if kind == "repairs" else _wide(rng, size)


def _wide(rng: np.random.Generator, size: int) -> Task:
    width = size // LAYERS
    place = [["start"], *([f"{layer}.{i}" for i in range(width)] for layer in range(1, LAYERS))]
    place.append(["goal"])
    competence, rate = rng.uniform(0.1, 0.5, POLICIES), rng.uniform(0.01, 0.03, POLICIES)
    stated: set[int] = set()
    skills: list[Skill] = []
    for layer in range(LAYERS):
        ahead, behind = place[layer + 1], place[max(0, layer - 2)]
        for source in place[layer]:
            for _ in range(WAYS):
                u = int(rng.integers(POLICIES))
                first = u not in stated  # only the first skill of a policy describes its learning
                stated.add(u)
                count = min(PLACES, len(ahead))
                targets = rng.choice(len(ahead), size=count, replace=False)
                weights = rng.dirichlet(np.full(count, 2.0))
                skills.append(
                    Skill(
                        f"skill {len(skills)}",
                        {"place": source},
                        [
                            PossibleEffect(float(w), {"place": ahead[t]})
                            for w, t in zip(weights, targets, strict=True)
                        ],
                        failure=[
                            PossibleEffect(0.4, "stay"),
                            PossibleEffect(0.4, {"place": behind[int(rng.integers(len(behind)))]}),
                            PossibleEffect(0.2, "end"),
                        ],
                        policy=f"policy {u}",
                        competence=float(competence[u]) if first else None,
                        curve=PiecewiseLinear(rate=float(rate[u])) if first else None,
                    )
                )
    places = [one for row in place for one in row]
    return Task(f"{size} places", {"place": places}, [Goal("goal", 1.0, {"place": "goal"})], skills)
