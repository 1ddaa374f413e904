"""Random tasks whose decision rules are not plans, for measuring certificates on general tasks.

Four families, from 10 to about 2,000 states. The first three are layers of places from which skills
lead on to the next layer; many skills share few policies.

- ``setbacks``: a failed skill stays, is set back by two or three layers, or is lost.
- ``successors``: a success leads to one of two or three places at random; a failure stays or ends.
- ``both``: random successors and setbacks.
- ``repair``: objects are picked and placed; a failed place may lose the object, which a third skill
  must then find again, or break it, which a fourth one repairs.

``random_general_task(seed)`` is a function of its seed alone. The seeds 0 to 39 are the benchmark.
"""

from __future__ import annotations

import numpy as np

from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.task.curves import Curve, Exponential, PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Effect, PossibleEffect, Skill

FAMILIES = ("setbacks", "successors", "both", "repair")
COUNT = 40
SMALLEST, LARGEST = 10, 2000
BUDGETS = (40, 80)
MORE_OBJECTS = (60, 300, 1500)
"""Sizes above which a task of ``repair`` has one more object."""


def random_general_task(seed: int) -> tuple[GroundTask, int]:
    """A grounded task with at least two policies to practise, and its budget."""
    rng = np.random.default_rng([2026, 11, seed])
    family = FAMILIES[seed % len(FAMILIES)]
    size = SMALLEST * (LARGEST / SMALLEST) ** (seed % COUNT / (COUNT - 1))
    while True:
        name = f"{family} {seed}"
        if family == "repair":
            task = objects_task(rng, name, 2 + sum(size > limit for limit in MORE_OBJECTS))
        else:
            task = _layers(rng, name, family, size)
        try:
            grounded = ground(task)
        except TaskError:
            continue  # no goal can be reached
        if len(np.unique(grounded.action_policy)) > 1 and len(grounded.start) >= size / 3:
            return grounded, int(rng.choice(BUDGETS))


def _layers(rng: np.random.Generator, name: str, family: str, size: float) -> Task:
    """Layers of places; from each place lead two or three skills to the next layer."""
    layers = int(rng.integers(4, 9))
    width = max(1, round(size / layers))
    place = [["start"]]
    place += [[f"{layer}.{i}" for i in range(width)] for layer in range(1, layers)]
    place += [[f"goal {i}" for i in range(int(rng.integers(1, 4)))]]
    learns = _policies(rng, int(rng.integers(4, 11)))
    skills: list[Skill] = []
    stated: set[str] = set()
    for layer in range(layers):
        ahead, behind = place[layer + 1], place[max(0, layer - int(rng.integers(2, 4)))]
        for source in place[layer]:
            for _ in range(int(rng.integers(2, 4))):
                policy = str(rng.choice(list(learns)))
                competence, curve, cost = learns[policy] if policy not in stated else (None,) * 3
                stated.add(policy)
                skills.append(
                    Skill(
                        f"skill {len(skills)}",
                        {"place": source},
                        _onward(rng, ahead, random=family != "setbacks"),
                        failure=_back(rng, behind, setbacks=family != "successors"),
                        policy=policy,
                        competence=competence,
                        curve=curve,
                        cost=cost,
                    )
                )
    goals = [Goal(goal, float(rng.uniform(1, 4)), {"place": goal}) for goal in place[-1]]
    places = [one for row in place for one in row]
    return Task(name, {"place": places}, goals, skills, float(rng.choice([0.95, 0.99])))


def objects_task(rng: np.random.Generator, name: str, count: int) -> Task:
    """Objects that are placed, lost, found, broken and repaired; all must be on the shelf."""
    condition = ["table", "hand", "shelf", "lost", "broken"]
    objects = [f"object {i}" for i in range(count)]
    learns = _policies(rng, 2 * count + 2)
    names = list(learns)
    skills: list[Skill] = []

    def add(
        skill: str, policy: str, needs: dict[str, str], effect: Effect, failure: object
    ) -> None:
        first = all(other.policy != policy for other in skills)
        competence, curve, cost = learns[policy] if first else (None,) * 3
        skills.append(
            Skill(
                skill,
                needs,
                effect,
                failure=failure,  # type: ignore[arg-type]
                policy=policy,
                competence=competence,
                curve=curve,
                cost=cost,
            )
        )

    for i, one in enumerate(objects):
        away, lost = float(rng.uniform(0.3, 0.6)), float(rng.uniform(0.1, 0.4))
        dropped = [
            PossibleEffect(away, {one: "table", "holding": "nothing"}),
            PossibleEffect(lost, {one: "lost", "holding": "nothing"}),
            PossibleEffect(1 - away - lost, {one: "broken", "holding": "nothing"}),
        ]
        free = {"holding": "nothing"}
        pick, place = names[2 * i], names[2 * i + 1]
        grasp = {one: "hand", "holding": one}
        add(f"pick {one}", pick, {one: "table", **free}, grasp, "stay")
        shelve = {one: "shelf", "holding": "nothing"}
        add(f"place {one}", place, {one: "hand"}, shelve, dropped)
        add(f"find {one}", names[-2], {one: "lost", **free}, {one: "table"}, "stay")
        scrap = [PossibleEffect(0.8, "stay"), PossibleEffect(0.2, "end")]
        add(f"repair {one}", names[-1], {one: "broken", **free}, {one: "table"}, scrap)
    goals = [Goal("all", float(rng.uniform(1, 4)), dict.fromkeys(objects, "shelf"))]
    goals += [Goal("first", float(rng.uniform(0.2, 1)), {objects[0]: "shelf"})] * (count == 2)
    variables = {**dict.fromkeys(objects, condition), "holding": ["nothing", *objects]}
    return Task(name, variables, goals, skills, float(rng.choice([0.95, 0.99])))


def _policies(rng: np.random.Generator, count: int) -> dict[str, tuple[float, Curve | None, int]]:
    """Competence, curve and cost; one policy in six is not practised."""
    policies: dict[str, tuple[float, Curve | None, int]] = {}
    for i in range(count):
        kind = PiecewiseLinear if rng.random() < 0.5 else Exponential
        rate = float(rng.uniform(0.01, 0.03)) * (1 if kind is PiecewiseLinear else 2)
        curve = kind(rate, float(rng.uniform(0.85, 1.0)))
        fixed = rng.random() < 1 / 6
        cost = int(rng.choice([1, 1, 1, 2]))
        policies[f"policy {i}"] = (float(rng.uniform(0.1, 0.5)), None if fixed else curve, cost)
    return policies


def _onward(
    rng: np.random.Generator, ahead: list[str], *, random: bool
) -> Effect | list[PossibleEffect]:
    if not random or len(ahead) == 1:
        return {"place": str(rng.choice(ahead))}
    count = min(len(ahead), int(rng.integers(2, 4)))
    weights = rng.dirichlet(np.full(count, 2.0))
    targets = rng.choice(ahead, size=count, replace=False)
    return [
        PossibleEffect(float(w), {"place": str(t)}) for w, t in zip(weights, targets, strict=True)
    ]


def _back(
    rng: np.random.Generator, behind: list[str], *, setbacks: bool
) -> Effect | list[PossibleEffect]:
    if not setbacks:
        return "stay" if rng.random() < 0.6 else "end"
    back, lost = float(rng.uniform(0.2, 0.7)), float(rng.uniform(0.0, 0.3))
    return [
        PossibleEffect(back, {"place": str(rng.choice(behind))}),
        PossibleEffect(lost, "end"),
        PossibleEffect(1 - back - lost, "stay"),
    ]
