"""What a simulated workcell can do, and what it is asked to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import mujoco

from deliberate_practice.robots.mujoco.rendering import Camera
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


@dataclass(frozen=True)
class Execution:
    """What came of an attempt.

    Attributes:
        state: The state afterwards.
        force: The largest force that the acting hand exerted [N]; inner forces of a grip cancel.
        reason: Why nothing was done, if nothing was done.
    """

    state: FloatArray
    force: float = 0.0
    reason: str = ""


class Workcell(Protocol):
    """A robot and what it works on, in physics; states are vectors."""

    @property
    def view(self) -> Camera:
        """From where pictures are taken."""
        ...

    @property
    def limits_force(self) -> bool:
        """Whether forces of the hands are limited; then every result tells the largest one [N]."""
        ...

    def appearance(self) -> mujoco.MjModel:
        """The scene as it should be drawn."""
        ...

    def reset(self, seed: int) -> FloatArray:
        """A start of the task, give or take."""
        ...

    def prepare(self, wanted: Mapping[str, str], seed: int) -> FloatArray:
        """A start in another abstract state; values that are not named are those of the start."""
        ...

    def around(self, skill: str, seed: int) -> Mapping[str, str]:
        """What else should vary between starts of a skill that is practised at its precondition."""
        ...

    def abstract(self, state: FloatArray) -> Mapping[str, str]:
        """The abstract state of a physical one: a value for every variable of the task."""
        ...

    def execute_all(self, attempts: Sequence[Attempt]) -> list[Execution]:
        """What comes of each of several independent executions, as if one by one."""
        ...

    def score(self, skill: str, success: bool, execution: Execution) -> float | None:
        """How good a success was, or how near a failure; None if nothing can be said."""
        ...

    def trajectory(self, attempt: Attempt) -> FloatArray:
        """The state after every step of an execution."""
        ...
