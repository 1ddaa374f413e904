"""A world that is nothing but the abstract state of a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from deliberate_practice.practice.robot import Step
from deliberate_practice.task.model import Task
from deliberate_practice.task.skill import PossibleEffect


class AbstractWorld:
    """The abstract state of a task, which skills change as the task says.

    Attributes:
        state: Variable -> value; None once a failure has ended the episode.

    Args:
        task: The task.
        rng: Draws the start and the effects, where there are several.
        start: The start state; drawn if it is empty.
    """

    def __init__(
        self, task: Task, rng: np.random.Generator, start: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._skills = {skill.name: skill for skill in task.skills}
        self._rng = rng
        starts = task.start_states
        self.state: Mapping[str, str] | None = (
            start or starts[self._drawn([one.probability for one in starts])].state
        )

    def execute(self, step: Step, succeeds: Callable[[Step], bool]) -> bool:
        """Execute a step: whether it succeeded.

        Args:
            step: The step.
            succeeds: Decides whether it succeeds.
        """
        success, skill = succeeds(step), self._skills[step.skill]
        self._change(skill.success_effects if success else skill.failure_effects)
        return success

    def _change(self, options: Sequence[PossibleEffect]) -> None:
        effect = options[self._drawn([option.probability for option in options])].effect
        if self.state is None or effect == "end":
            self.state = None
        elif not isinstance(effect, str):
            self.state = {**self.state, **effect}

    def _drawn(self, probabilities: Sequence[float]) -> int:
        """The index of one of several possibilities; nothing is drawn if there is only one."""
        if len(probabilities) == 1:
            return 0
        shares = np.cumsum(probabilities)
        return int(np.searchsorted(shares, self._rng.random() * shares[-1], side="right"))
