"""Attempts in a simulated workcell, and their results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from deliberate_practice.foundation.arrays import FloatArray


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
    """The result of an attempt.

    Attributes:
        state: The state afterwards.
        force: The largest force of the acting hand [N], see ``limits``; inner forces of a grip
            cancel.
        speed: The largest speed of a joint as a part of its limit.
        stopped: The limit that ended the motion early, if one did.
        reason: Why the robot did not move, if it did not.
        refused: Whether that was because of the parameters.
        reached: The largest reading of each sensor that the workcell watches.
        film: The state after every step, if it was filmed; empty if nothing moved.
    """

    state: FloatArray
    force: float = 0.0
    speed: float = 0.0
    stopped: str = ""
    reason: str = ""
    refused: bool = False
    reached: Mapping[str, float] = field(default_factory=dict)
    film: tuple[FloatArray, ...] = ()
