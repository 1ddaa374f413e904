"""A task with expected curves instead of the stated ones, for plans."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deliberate_practice.beliefs.bayes import BayesBelief
from deliberate_practice.beliefs.belief import Belief
from deliberate_practice.task.curves import Table
from deliberate_practice.task.model import Task
from deliberate_practice.task.skill import Skill

LONGEST = 20_000
"""The most attempts that a curve states; later ones add nothing."""


def expected_task(task: Task, budget: int) -> Task:
    """The task as its experience predicts it; without experience, as it is.

    Every practised policy gets the mean curve before any attempt.

    Args:
        task: The task, perhaps with priors from earlier sessions.
        budget: The largest budget to plan for.
    """
    if task.experience is None:
        return task
    return with_believed_curves(task, BayesBelief.prior(task), budget)


def with_believed_curves(task: Task, belief: Belief, budget: int) -> Task:
    """The task with the believed curve of every practised policy instead of the stated one.

    Args:
        task: The task.
        belief: What is believed now.
        budget: Budget units that may be spent from now on.
    """
    curves = {
        name: _table(belief, name, min(budget // policy.cost, LONGEST))
        for name, policy in task.policies.items()
        if policy.practisable
    }

    def believed(skill: Skill) -> Skill:
        curve = curves.get(skill.policy)
        return replace(skill, competence=curve.values[0], curve=curve) if curve else skill

    return replace(task, skills=[believed(skill) for skill in task.skills])


def _table(belief: Belief, policy: str, attempts: int) -> Table:
    curve = np.clip(belief.curve(policy, attempts), 0.0, 1.0)
    return Table(np.maximum.accumulate(curve).tolist())
