"""Random tasks in which some policies are trained elsewhere, from demonstrations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from deliberate_practice.task.model import Task


def with_rounds(task: Task, rng: np.random.Generator, often: float = 0.6) -> Task:
    """The task with external learners and random rounds for some of its practised policies."""
    rounds: dict[str, dict[str, Any]] = {
        name: {
            "learner": "external",
            "demonstration": {
                "cost": int(rng.integers(1, 3)),
                "per_round": int(rng.integers(1, 4)),
            },
            "training": {"cost": int(rng.integers(0, 4))},
            "evaluation": {
                "cost": int(rng.integers(0, 3)),
                "per_round": int(rng.integers(0, 4)),
            },
        }
        for name, policy in task.policies.items()
        if policy.practisable and rng.random() < often
    }
    return replace(
        task,
        skills=[
            replace(skill, cost=None, parameters=(), **rounds[skill.policy])
            if skill.policy in rounds
            else skill
            for skill in task.skills
        ],
    )
