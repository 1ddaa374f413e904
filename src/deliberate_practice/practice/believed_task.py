"""The task of a session as it is believed now: for plans of what is left of the budget."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deliberate_practice.practice.replay import State
from deliberate_practice.task.curves import Table
from deliberate_practice.task.model import Task
from deliberate_practice.task.skill import Skill

LONGEST = 20_000
"""The most attempts that a curve states; later ones add nothing."""


def believed_task(state: State, budget: int) -> Task:
    """The task with the believed curve of every practised policy instead of the stated one.

    Args:
        state: The state of the session.
        budget: Budget units that may be spent from now on.
    """
    policies = state.task.policies
    curves = {
        name: _table(state, name, min(budget // policy.cost, LONGEST))
        for name, policy in policies.items()
        if policy.practisable
    }

    def believed(skill: Skill) -> Skill:
        curve = curves.get(skill.policy)
        return replace(skill, competence=curve.values[0], curve=curve) if curve else skill

    return replace(state.task, skills=[believed(skill) for skill in state.task.skills])


def _table(state: State, policy: str, attempts: int) -> Table:
    curve = np.clip(state.belief.curve(policy, attempts), 0.0, 1.0)
    return Table(np.maximum.accumulate(curve).tolist())
