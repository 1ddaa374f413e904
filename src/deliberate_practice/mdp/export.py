"""The abstract MDP as plain JSON that other programs can read.

===============  ==================================================================================
``format``       ``"deliberate-practice-mdp"``, with ``version`` 1
``task``         name of the task
``discount``     factor per executed skill
``variables``    possible values of each variable
``goals``        ``{name, reward}`` in file order
``policies``     ``{name, competence}``: the competences the probabilities below are for
``skills``       ``{name, policy, step_reward}`` in file order; ``policy`` is an index
``states``       one list of values per state, in the order of ``variables``
``start``        ``[state, probability]``; the rest up to 1 starts where nothing can be earned
``terminal``     ``[state, goal, reward]``: the episode ends there; the reward counts on arrival
``actions``      ``[state, skill, policy, step_reward]``
``transitions``  ``[action, target, probability, weight, success]``
===============  ==================================================================================

States, goals, skills, policies and actions are named by their position, counted from 0. With p the
competence of the action's policy, probability = weight * p where ``success`` is true, and
weight * (1 - p) where it is false. The rest of an action's probability up to 1 ends the episode or
leads to a state that earns nothing: its value is 0. Stopping is always allowed, with value 0.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.text_file import write_text
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.values import checked_competence

VERSION = 1


def mdp_to_json(
    ground: GroundTask, competence: FloatArray | Sequence[float] | None = None
) -> dict[str, object]:
    """The MDP as lists, dictionaries, strings and numbers.

    Args:
        ground: The abstract MDP.
        competence: Competence of each policy in file order; the stated ones by default.

    Raises:
        ArgumentError: The competences are not one probability per policy.
    """
    task = ground.task
    p = checked_competence(ground, ground.competence if competence is None else competence)
    policy = {name: u for u, name in enumerate(ground.policy_names)}
    values = list(task.variables.values())
    begin, terminal = np.flatnonzero(ground.start), np.flatnonzero(ground.goal >= 0)
    return {
        "format": "deliberate-practice-mdp",
        "version": VERSION,
        "task": task.name,
        "discount": float(task.discount),
        "variables": {name: list(options) for name, options in task.variables.items()},
        "goals": [{"name": goal.name, "reward": float(goal.reward)} for goal in task.goals],
        "policies": [
            {"name": name, "competence": c} for name, c in zip(policy, p.tolist(), strict=True)
        ],
        "skills": [
            {"name": skill.name, "policy": policy[skill.policy], "step_reward": skill.step_reward}
            for skill in task.skills
        ],
        "states": [[values[v][i] for v, i in enumerate(state)] for state in ground.states.tolist()],
        "start": _rows(begin, ground.start[begin]),
        "terminal": _rows(terminal, ground.goal[terminal], ground.reward[terminal]),
        "actions": _rows(
            ground.action_state, ground.action_skill, ground.action_policy, ground.step_reward
        ),
        "transitions": _rows(
            ground.outcome_action,
            ground.outcome_target,
            ground.probabilities(p),
            ground.outcome_weight,
            ground.outcome_success,
        ),
    }


def write_mdp(
    ground: GroundTask, path: str | Path, competence: FloatArray | Sequence[float] | None = None
) -> None:
    """Write :func:`mdp_to_json` to a file, compactly.

    Raises:
        TaskError: The file cannot be written.
    """
    text = json.dumps(mdp_to_json(ground, competence), ensure_ascii=False, separators=(",", ":"))
    write_text(path, text + "\n")


def _rows(*columns: np.ndarray) -> list[list[object]]:
    """Arrays as rows of plain numbers."""
    return [list(row) for row in zip(*(column.tolist() for column in columns), strict=True)]
