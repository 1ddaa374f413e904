"""Random tasks with hidden truths, for measuring how well strategies practise.

A world is a task whose skills state a prior (competence and rate) and have a true curve that the
strategy never sees. Families of tasks, of truths, and of ways in which priors are wrong are drawn
independently of each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.robots.curves import true_curve
from deliberate_practice.task.curves import PiecewiseLinear, Table
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill

FAMILIES = ("chains", "drawers", "graphs")
PRIORS = ("good", "noisy", "optimistic", "uninformative")
LEVELS = {"low": 0.55, "medium": 0.9, "high": 1.5}
"""Budget, relative to the attempts that bring the most rewarding plan to 90 % of its gains."""
LARGE = 5
"""Worlds of the family ``long`` practise more policies than this, all others at most as many."""
WORKING = {"chains": 0.5, "drawers": 0.5, "graphs": 0.3, "long": 0.5}
"""Part of the skills that work already: more where each one is on the way to the next."""
LONGEST = 400
"""Attempts for which true curves are tabulated."""

# Deployed competence of CMA-ES after 0, 12, 24, 48, 72, 102 attempts on hidden success regions.
MEASURED = (
    (0.01, 0.59, 0.74, 0.88, 0.96, 0.96),
    (0.01, 0.22, 0.42, 0.68, 0.82, 0.88),
)

DrawCurve = Callable[[np.random.Generator], tuple[str, FloatArray]]
"""Draws the kind of a skill, and its true competence after 0, 1, ... attempts."""


@dataclass(frozen=True)
class World:
    """A task with its truths, and a budget.

    Attributes:
        task: What the strategy is told; truths are in it for the robot alone.
        ground: The same, grounded.
        truth: True competence after 0, 1, ... attempts, by policy.
        budget: Episodes.
        clairvoyant: Value of the best split for the true curves, approach free of cost.
        practised: Policies with a share in that split.
        family, prior, level: How it was drawn.
    """

    task: Task
    ground: GroundTask
    truth: dict[str, FloatArray]
    budget: int
    clairvoyant: float
    practised: int
    family: str
    prior: str
    level: str


def random_world(
    seed: int, family: str, prior: str, level: str, curve: DrawCurve | None = None
) -> World:
    """A world, reproducible from its seed.

    Args:
        seed: Its number.
        family: Shape of its task.
        prior: How its stated figures are wrong.
        level: How large its budget is.
        curve: Draws the kind and the true curve of a skill; by default of all families of curves.
    """
    rng = np.random.default_rng([2026, seed, list(DRAW).index(family), PRIORS.index(prior)])
    while True:
        task = DRAW[family](rng, prior, curve or random_curve)
        try:
            grounded = ground(task)
        except TaskError:
            continue  # no goal can be reached
        truth = {name: true_curve(policy, LONGEST) for name, policy in task.policies.items()}
        curves = {name: values.tolist() for name, values in truth.items()}
        mastered = allocate(grounded, LONGEST, curves=curves)
        if mastered.value < 0.05:
            continue  # nothing to win, whatever is practised
        needed = sum(_until(truth[name], 0.9) for name in mastered.allocation)
        budget = int(np.clip(LEVELS[level] * needed, 12, LONGEST))
        best = allocate(grounded, budget, curves=curves)
        if best.value < 0.02 or not best.allocation:
            continue
        practised = len(best.allocation)
        if (practised > LARGE) != (family == "long"):
            continue
        return World(task, grounded, truth, budget, best.value, practised, family, prior, level)


def _until(curve: FloatArray, part: float) -> int:
    """Attempts after which a part of what can be gained is gained."""
    return int(np.argmax(curve >= curve[0] + part * (curve[-1] - curve[0]) - 1e-12))


def _chains(rng: np.random.Generator, prior: str, curve: DrawCurve) -> Task:
    """Goals at the ends of chains of skills; longer chains pay more; first steps may be shared."""
    make = partial(_skill, rng, prior, curve, WORKING["chains"])
    skills: list[Skill] = []
    goals, places = [], ["start"]
    for g in range(int(rng.integers(2, 6))):
        length = int(rng.integers(1, 4))
        here = "start"
        for step in range(length):
            there = f"g{g}" if step == length - 1 else f"c{g}.{step}"
            places.append(there)
            shared = step == 0 and g > 0 and rng.random() < 0.25
            policy = "c0.first" if shared or (g == 0 and step == 0) else f"{here}>{there}"
            skills.append(make(f"{here}>{there}", _at(here), _at(there), policy, skills))
            here = there
        reward = float(np.round(length * rng.uniform(0.7, 1.8), 2))
        goals.append(Goal(f"g{g}", reward, {"place": f"g{g}"}))
    return Task("chains", {"place": places}, goals, skills)


def _drawers(rng: np.random.Generator, prior: str, curve: DrawCurve) -> Task:
    """As Cleanup: goal i needs i drawers closed, a pick and a place of its own."""
    count = int(rng.integers(2, 5))
    make = partial(_skill, rng, prior, curve, WORKING["drawers"])
    skills: list[Skill] = []
    places, goals = ["open0"], []
    for i in range(count):
        if i:
            places.append(f"open{i}")
            skills.append(make(f"close{i}", _at(f"open{i - 1}"), _at(f"open{i}"), "", skills))
        places += [f"held{i}", f"in{i}"]
        skills.append(make(f"pick{i}", _at(f"open{i}"), _at(f"held{i}"), "pick", skills))
        skills.append(make(f"place{i}", _at(f"held{i}"), _at(f"in{i}"), "", skills))
        goals.append(Goal(f"in{i}", float(2**i), {"place": f"in{i}"}))
    return Task("drawers", {"place": places}, goals, skills)


def _graphs(rng: np.random.Generator, prior: str, curve: DrawCurve) -> Task:
    """As Breakfast: 2 to 5 goals need several things ready; each is by one skill or two, perhaps in
    two ways; some skills share a policy."""
    make = partial(_skill, rng, prior, curve, WORKING["graphs"])
    skills: list[Skill] = []
    variables: dict[str, list[str]] = {}
    steps: dict[str, int] = {}
    for part in [f"p{i}" for i in range(int(rng.integers(3, 6)))]:
        steps[part] = int(rng.integers(1, 3))
        variables[part] = [f"{step}" for step in range(steps[part] + 1)]
        for step in range(steps[part]):
            for way in range(1 + int(rng.random() < 0.3)):
                shared = skills and rng.random() < 0.2
                policy = str(rng.choice([s.policy for s in skills])) if shared else ""
                name = f"{part}.{step}.{way}"
                skills.append(make(name, {part: f"{step}"}, {part: f"{step + 1}"}, policy, skills))
    goals = []
    for g in range(int(rng.integers(2, 6))):
        parts = sorted(rng.choice(list(steps), int(rng.integers(1, len(steps) + 1)), replace=False))
        reward = float(np.round(sum(steps[p] for p in parts) * rng.uniform(0.7, 1.8), 2))
        goals.append(Goal(f"g{g}", reward, {str(p): f"{steps[p]}" for p in parts}))
    return Task("graphs", variables, goals, skills)


def _long(rng: np.random.Generator, prior: str, curve: DrawCurve) -> Task:
    """Two goals at the ends of chains of 9 to 14 skills; a shorter one pays less."""
    make = partial(_skill, rng, prior, curve, WORKING["long"])
    skills: list[Skill] = []
    places, goals = ["start"], []
    for g, length in enumerate((int(rng.integers(9, 12)), int(rng.integers(12, 15)))):
        here = "start"
        for step in range(length):
            there = f"g{g}" if step == length - 1 else f"c{g}.{step}"
            places.append(there)
            skills.append(make(f"{here}>{there}", _at(here), _at(there), "", skills))
            here = there
        goals.append(Goal(f"g{g}", float(1 + g), {"place": f"g{g}"}))
    return Task("long", {"place": places}, goals, skills)


DRAW = {"chains": _chains, "drawers": _drawers, "graphs": _graphs, "long": _long}


def _at(place: str) -> dict[str, str]:
    return {"place": place}


def _skill(
    rng: np.random.Generator,
    prior: str,
    curve: DrawCurve,
    working: float,
    name: str,
    where: dict[str, str],
    effect: dict[str, str],
    policy: str,
    earlier: list[Skill],
) -> Skill:
    """A skill from place to place; many work already; a shared policy is stated once."""
    if any(skill.policy == policy for skill in earlier):
        return Skill(name, where, effect, policy=policy)
    if rng.random() < working:
        return Skill(name, where, effect, float(rng.uniform(0.9, 0.99)), policy=policy)
    kind, truth = curve(rng)
    competence, rate, ceiling = _stated(rng, prior, truth)
    return Skill(
        name,
        where,
        effect,
        competence,
        curve=PiecewiseLinear(rate=rate, ceiling=ceiling),
        truth=Table(truth.tolist()),
        policy=policy,
        kind=kind,
    )


def random_curve(rng: np.random.Generator) -> tuple[str, FloatArray]:
    """A true curve of a random family; skills have no kind."""
    b = np.arange(LONGEST + 1.0)
    p = float(1 / (1 + np.exp(-rng.normal(-2.0, 0.8))))
    rate = float(np.exp(rng.normal(np.log(0.025), 0.6)))
    family = rng.choice(
        ["linear", "exponential", "low", "late", "impossible", "measured"],
        p=[0.25, 0.25, 0.15, 0.15, 0.08, 0.12],
    )
    ceiling = float(rng.uniform(0.85, 0.99))
    if family == "linear":
        curve = np.minimum(ceiling, p + rate * b)
    elif family in ("exponential", "low"):
        ceiling = float(rng.uniform(max(p, 0.35), 0.75)) if family == "low" else ceiling
        curve = p + (ceiling - p) * -np.expm1(-1.5 * rate * b)
    elif family == "late":
        steep, middle = 6 * rate, 0.5 / rate
        shape = 1 / (1 + np.exp(-steep * (b - middle)))
        curve = p + (ceiling - p) * (shape - shape[0]) / (1 - shape[0])
    elif family == "impossible":
        curve = np.full(len(b), min(p, 0.3))
    else:
        measured = MEASURED[int(rng.integers(len(MEASURED)))]
        curve = np.interp(b, [0, 12, 24, 48, 72, 102], measured)
    return "", np.maximum.accumulate(np.round(np.clip(curve, 0.0, 1.0), 6))


def _stated(rng: np.random.Generator, prior: str, truth: FloatArray) -> tuple[float, float, float]:
    """The competence, rate and ceiling that the task file states, wrong as the prior says.

    The right rate is the mean slope until half of the gain is reached.
    """
    rise = float(truth[-1] - truth[0])
    rate = 0.5 * rise / max(_until(truth, 0.5), 1) if rise > 0.02 else 0.002
    start = float(np.clip(truth[0], 0.01, 0.95))
    logit, ceiling = np.log(start / (1 - start)), 1.0
    if prior == "good":
        logit, rate = logit + rng.normal(0, 0.2), rate * np.exp(rng.normal(0, 0.2))
        ceiling = truth[-1] + rng.normal(0, 0.02)
    elif prior == "noisy":
        logit, rate = logit + rng.normal(0, 0.7), rate * np.exp(rng.normal(0, np.log(2)))
        ceiling = truth[-1] + rng.normal(0, 0.1)
    elif prior == "optimistic":
        logit, rate = logit + rng.normal(0.8, 0.3), max(rate, 0.01) * np.exp(rng.normal(1.0, 0.3))
    else:
        logit, rate = np.log(0.1 / 0.9), 0.02
    competence = float(1 / (1 + np.exp(-logit)))
    return competence, float(np.clip(rate, 0.001, 0.3)), float(np.clip(ceiling, competence, 1))
