"""The policies that can be practised now, with the route to each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from deliberate_practice.foundation.errors import TaskTooLarge
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.task.model import Task

if TYPE_CHECKING:
    from deliberate_practice.mdp.routes import Route

EVERYWHERE_STATES = 20_000
"""Routes are searched among all reachable states up to this many (about 0.1 s per decision)."""


class Curriculum:
    """Finds routes under the present beliefs; it grounds the task only when needed.

    Args:
        task: The task.
        free: Whether somebody puts the robot at the precondition at no cost. Every skill that can
            start in some reachable state then has an empty route.
    """

    def __init__(self, task: Task, *, free: bool) -> None:
        self._task = task
        self.free = free
        self._known: tuple[bytes, dict[str, Route]] = (b"", {})  # for the latest competences

    @cached_property
    def ground(self) -> GroundTask:
        """The states that can still reach a goal, on which decisions are based."""
        from deliberate_practice.mdp.grounding import ground

        return ground(self._task)

    @cached_property
    def everywhere(self) -> GroundTask:
        """All reachable states, including dead ends for practice, if there are not too many."""
        from deliberate_practice.mdp.grounding import ground

        try:
            return ground(self._task, EVERYWHERE_STATES, everything=True)
        except TaskTooLarge:
            return self.ground

    def by_skill(self, competences: Mapping[str, float]) -> dict[str, Route]:
        """The route to every skill that can be reached."""
        from deliberate_practice.mdp.routes import Route, routes

        if self.free:
            startable = np.unique(self.everywhere.action_skill).tolist()
            names = [self._task.skills[i].name for i in startable]
            return {name: Route(name, (), 1.0) for name in names}
        competence = np.array([competences[u] for u in self._task.policies])
        key = competence.tobytes()
        if self._known[0] != key:
            self._known = key, routes(self.everywhere, competence)
        return self._known[1]

    def by_policy(self, competences: Mapping[str, float]) -> dict[str, Route]:
        """The route to every practisable policy that can be reached, in file order.

        If several skills share a policy, the skill with the most probable route is practised; among
        equals the first in the file.
        """
        found = self.by_skill(competences)
        ways = {
            name: [found[skill] for skill in policy.skills if skill in found]
            for name, policy in self._task.policies.items()
            if policy.practisable
        }
        return {
            name: max(mine, key=lambda way: way.probability) for name, mine in ways.items() if mine
        }


def rule_of(route: Route) -> tuple[tuple[tuple[Mapping[str, str], str], ...], int]:
    """The rule of a route as plain data, with the most executions on the way."""
    if route.rule is None:
        return (), len(route.skills)
    return route.rule.choices, route.rule.limit
