"""The most probable way from the start to a skill's precondition: a route, and a rule around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.mdp.approach_rule import ApproachRule, approach_rules
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.most_probable import Way, most_probable_ways


@dataclass(frozen=True)
class Route:
    """A way to a skill's precondition.

    Attributes:
        skill: The skill to reach.
        skills: Skills to execute first, if all goes as expected.
        probability: Probability of arriving: by the rule within its limit; without a rule that all
            skills succeed.
        start: Where the episode begins, as variable -> value, if the task has several starts.
        rule: What to execute in every state that the way may meet, with retries and recoveries;
            None if the first failure ends the way, so that the skills say everything.
        failing: Positions of skills whose failure, not success, leads on.
    """

    skill: str
    skills: tuple[str, ...]
    probability: float
    start: Mapping[str, str] = field(default_factory=dict)
    rule: ApproachRule | None = None
    failing: tuple[int, ...] = ()


def routes(ground: GroundTask, competence: FloatArray) -> dict[str, Route]:
    """The most probable way to every reachable skill, by name of the skill.

    Routes start in the most probable start state and rely on no failure. If there are several
    tasks, each route starts in the start state, of any task, from which it is most probable. Among
    equally probable routes the shorter is taken, then the one whose skills come first in the file.
    A skill that cannot be reached in this way is reached from another start, or by a failure.

    Args:
        ground: The task with all its reachable states (``ground(task, everything=True)``).
        competence: Competence of each policy, shape (policies,).
    """
    ways = _ways(ground, competence)
    rules = approach_rules(ground, competence, ways)
    names = [skill.name for skill in ground.task.skills]
    return {
        names[skill]: Route(
            names[skill],
            tuple(names[step] for step, _ in way.steps),
            rules[skill].probability if skill in rules else way.probability,
            ground.own_state(way.start) if ground.has_several_starts else {},
            rules.get(skill),
            tuple(i for i, (_, success) in enumerate(way.steps) if not success),
        )
        for skill, way in ways.items()
    }


def _ways(ground: GroundTask, competence: FloatArray) -> dict[int, Way]:
    """The most probable way to each skill that can be reached, by index of the skill."""
    startable: dict[int, list[int]] = {}
    for state, skill in zip(
        ground.action_state.tolist(), ground.action_skill.tolist(), strict=True
    ):
        startable.setdefault(state, []).append(skill)
    every = {int(state): 1.0 for state in np.flatnonzero(ground.start)}
    usual = every if ground.tasks else {int(np.argmax(ground.start)): 1.0}
    best: dict[int, Way] = {}
    for failures in (False, True) if ground.branching else (False,):
        for begin in (usual, every) if len(every) > len(usual) else (usual,):
            for way in most_probable_ways(ground, competence, begin, failures=failures):
                for skill in startable.get(way.state, ()):
                    best.setdefault(skill, way)
                if len(best) == len(ground.task.skills):
                    return best
    return best
