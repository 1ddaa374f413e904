"""What a simulated workcell can do, and what it is asked to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import mujoco

from deliberate_practice.task.mdp import FloatArray


@dataclass(frozen=True)
class Attempt:
    """A skill to execute.

    Attributes:
        state: Where it starts.
        skill: Name of the skill.
        values: Value of each of its parameters.
        seed: For the noise of perception.
    """

    state: FloatArray
    skill: str
    values: Mapping[str, float]
    seed: int


class Workcell(Protocol):
    """A robot and what it works on, in physics; states are vectors."""

    def appearance(self) -> mujoco.MjModel:
        """The scene as it should be drawn."""
        ...

    def reset(self, seed: int) -> FloatArray:
        """A start of the task, give or take."""
        ...

    def prepare(self, wanted: Mapping[str, str], seed: int) -> FloatArray:
        """A start in another abstract state; values that are not named are those of the start."""
        ...

    def abstract(self, state: FloatArray) -> Mapping[str, str]:
        """The abstract state of a physical one: a value for every variable of the task."""
        ...

    def attempt_all(self, attempts: Sequence[Attempt]) -> list[FloatArray]:
        """The state after each of several independent executions, as if one by one."""
        ...

    def trajectory(self, attempt: Attempt) -> FloatArray:
        """The state after every step of an execution."""
        ...
