"""What is practised: a trial, its result, and the robot that runs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

OutcomeWord = Literal["success", "failure", "unreached", "aborted"]

OUTCOMES: tuple[OutcomeWord, ...] = ("success", "failure", "unreached", "aborted")


@dataclass(frozen=True)
class Trial:
    """One episode to run: reset, approach, one attempt.

    Attributes:
        id: Number of the trial in its session, from 1.
        skill: The skill to attempt.
        policy: The policy it belongs to.
        mode: ``explore`` (the learner's sample) or ``deploy`` (what it would deploy).
        counted: Whether it counts against the budget; evaluation episodes do not.
        parameters: Value of each parameter of the skill.
        approach: Skills to execute first, each with the deployed parameters of its policy.
        deployed: Deployed parameters of every policy on the approach.
        attempts: How many attempts each policy has behind it.
        seed: For everything random in the episode.
    """

    id: int
    skill: str
    policy: str
    mode: Literal["explore", "deploy"]
    counted: bool
    parameters: Mapping[str, float]
    approach: tuple[str, ...]
    deployed: Mapping[str, Mapping[str, float]]
    attempts: Mapping[str, int]
    seed: int


@dataclass(frozen=True)
class Result:
    """What happened in an episode.

    Attributes:
        outcome: ``success``, ``failure``, ``unreached`` (the approach failed) or ``aborted``.
        at: The skill at which the approach failed.
        score: How good it was, to break ties between successes.
        measurements: Named numbers such as a peak force.
    """

    outcome: OutcomeWord
    at: str | None = None
    score: float | None = None
    measurements: Mapping[str, float] = field(default_factory=dict)


class Robot(Protocol):
    """Runs episodes. Everything random comes from the trial's seed, so a run can be repeated."""

    def run(self, trial: Trial) -> Result:
        """Run one episode."""
        ...


@runtime_checkable
class BatchRobot(Robot, Protocol):
    """A robot of which there are as many as one likes: it runs episodes side by side."""

    def run_all(self, trials: Sequence[Trial]) -> list[Result]:
        """Run independent episodes, with the results that they would have one by one."""
        ...
