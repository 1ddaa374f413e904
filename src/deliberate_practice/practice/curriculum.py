"""Which policies can be practised now, with which skill, and how to get there."""

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
"""Ways are looked for among all reachable states up to this many (about 0.1 s per decision)."""


class Curriculum:
    """Finds approaches under present beliefs; loads what grounds a task only when it must.

    Args:
        task: What is practised for.
        free: Whether the robot is put at the precondition at no cost: every skill that can be
            started in some reachable state is then reached surely, with nothing to do before.
    """

    def __init__(self, task: Task, *, free: bool) -> None:
        self._task = task
        self.free = free

    @cached_property
    def ground(self) -> GroundTask:
        """The states that can still earn something: what decisions are made on."""
        from deliberate_practice.mdp.grounding import ground

        return ground(self._task)

    @cached_property
    def everywhere(self) -> GroundTask:
        """All reachable states, also dead ends one may practise in, if they are not too many."""
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
        return routes(self.everywhere, np.array([competences[u] for u in self._task.policies]))

    def by_policy(self, competences: Mapping[str, float]) -> dict[str, Route]:
        """The route to every practisable policy that can be reached, in file order.

        Of the skills that share a policy the one that is reached most probably is practised, the
        first in the file of equals.
        """
        found = self.by_skill(competences)
        chosen: dict[str, Route] = {}
        for name, policy in self._task.policies.items():
            ways = [found[skill] for skill in policy.skills if skill in found]
            if policy.practisable and ways:
                chosen[name] = max(ways, key=lambda way: way.probability)
        return chosen
