"""Random tasks whose skills are trained elsewhere, from demonstrations, with known truths.

Chains and graphs with 2 to 4 goals (``random_worlds.py``) whose practised skills have external
learners with random rounds and prices. In every second task about half of them do, and the others
are practised by attempts. Trained versions scatter around their true curves, in a third of the
tasks not at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from random_worlds import DRAW, LONGEST, random_curve

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.robots.curves import true_curve
from deliberate_practice.task.model import Task

FROZEN = range(120)
"""Worlds whose results are reported."""
TUNING = range(1000, 1040)
"""Worlds for development."""

FAMILIES = ("chains", "graphs")
PRIORS = ("good", "noisy", "optimistic")
NOISES = (0.0, 0.05, 0.1)
LEVELS = (0.6, 1.0, 1.6)
"""Budget, relative to the units that bring the most rewarding plan to 90 % of its gains."""
PER_ROUND = (5, 10, 20)
MOST_GOALS = 4
MOST_UNITS = 800
MIXED = 0.5
"""Part of the practised skills with an external learner in mixed tasks."""


@dataclass(frozen=True)
class DemonstrationWorld:
    """A task with its truths, and a budget.

    Attributes:
        seed: Its number.
        task: The task; truths are in it for the robot alone.
        budget: Budget units.
        clairvoyant: Value of the best split in whole rounds for the true curves, approaches free,
            without evaluations. It knows the curves, not the scatter of versions around them.
        family, prior, noise, mixed: How it was drawn.
    """

    seed: int
    task: Task
    budget: int
    clairvoyant: float
    family: str
    prior: str
    noise: float
    mixed: bool


def demonstration_world(seed: int) -> DemonstrationWorld:
    """A world, reproducible from its seed."""
    rng = np.random.default_rng([20261118, seed])
    family, mixed = FAMILIES[seed % 2], bool(seed // 2 % 2)
    prior, noise = PRIORS[seed // 4 % 3], NOISES[seed // 12 % 3]
    while True:
        drawn = DRAW[family](rng, prior, random_curve)
        level = float(rng.choice(LEVELS))
        if len(drawn.goals) > MOST_GOALS:
            continue
        task = _with_rounds(rng, drawn, noise, MIXED if mixed else 1.0)
        try:
            grounded = ground(task)
        except TaskError:
            continue  # no goal can be reached
        if not any(policy.rounds for policy in task.policies.values()):
            continue
        curves = {name: true_curve(p, LONGEST).tolist() for name, p in task.policies.items()}
        mastered = allocate(grounded, 10 * MOST_UNITS, curves=curves)
        if mastered.value < 0.05:
            continue  # nothing to win, whatever is practised
        budget = int(level * _needed(task, mastered.allocation))
        if not 0 < budget <= MOST_UNITS:
            continue
        best = allocate(grounded, budget, curves=curves)
        practised = sum(int(b) // task.policies[name].stride for name, b in best.allocation.items())
        if best.value < 0.02 or practised < 3:
            continue  # hardly anything to decide
        return DemonstrationWorld(seed, task, budget, best.value, family, prior, noise, mixed)


def _with_rounds(rng: np.random.Generator, task: Task, noise: float, often: float) -> Task:
    """The task with external learners for a part of its practised policies."""
    rounds: dict[str, dict[str, Any]] = {}
    for name, policy in task.policies.items():
        if policy.practisable and rng.random() < often:
            per_round = int(rng.choice(PER_ROUND))
            rounds[name] = {
                "learner": "external",
                "demonstration": {"cost": int(rng.integers(1, 4)), "per_round": per_round},
                "training": {"cost": int(rng.integers(0, 11))},
                "evaluation": {"cost": int(rng.integers(1, 3)), "per_round": 5},
            }
    return replace(
        task,
        skills=[
            replace(skill, **rounds[skill.policy], training_noise=noise if skill.truth else 0.0)
            if skill.policy in rounds
            else skill
            for skill in task.skills
        ],
    )


def _needed(task: Task, split: Any) -> int:
    """Budget units until every policy of a split has 90 % of its gains, in whole rounds."""
    units = 0
    for name in split:
        policy = task.policies[name]
        curve = true_curve(policy, LONGEST)
        enough = int(np.argmax(curve >= curve[0] + 0.9 * (curve[-1] - curve[0]) - 1e-12))
        units += -(-enough // policy.stride) * policy.price
    return units
