"""The policies that can be practised now, with the route to each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
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
        self._known: tuple[object, dict[str, Route]] = (None, {})  # for the latest competences
        self._usable: dict[frozenset[str], GroundTask] = {}  # by blocked skills

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

    def prepare(self) -> None:
        """Do now what the first decision would have to wait for."""
        from deliberate_practice.allocation.plans import all_plans

        all_plans(self.ground)
        self._without(frozenset())

    def by_skill(
        self, competences: Mapping[str, float], blocked: Collection[str] = ()
    ) -> dict[str, Route]:
        """The route to every skill that can be reached without the blocked ones."""
        from deliberate_practice.mdp.routes import Route, routes

        usable = self._without(frozenset(blocked))
        if self.free:
            startable = np.unique(usable.action_skill).tolist()
            names = [self._task.skills[i].name for i in startable]
            return {name: Route(name, (), 1.0) for name in names}
        competence = np.array([competences[u] for u in self._task.policies])
        key = competence.tobytes(), usable
        if self._known[0] != key:
            self._known = key, routes(usable, competence)
        return self._known[1]

    def by_policy(
        self, competences: Mapping[str, float], blocked: Collection[str] = ()
    ) -> dict[str, Route]:
        """The route to every practisable policy that can be reached, in file order.

        If several skills share a policy, the skill with the most probable route is practised; among
        equals the first in the file.
        """
        found = self.by_skill(competences, blocked)
        ways = {
            name: [found[skill] for skill in policy.skills if skill in found]
            for name, policy in self._task.policies.items()
            if policy.practisable
        }
        return {
            name: max(mine, key=lambda way: way.probability) for name, mine in ways.items() if mine
        }

    def _without(self, blocked: frozenset[str]) -> GroundTask:
        """All reachable states, with the skills that can be executed."""
        if not blocked:
            return self.everywhere
        if blocked not in self._usable:
            self._usable[blocked] = self.everywhere.without(blocked)
        return self._usable[blocked]


def rule_of(route: Route) -> tuple[tuple[tuple[Mapping[str, str], str], ...], int]:
    """The rule of a route as plain data, with the most executions on the way."""
    if route.rule is None:
        return (), len(route.skills)
    return route.rule.choices, route.rule.limit
