"""All words between a session and its robot: steps, trials, results, and the robot itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from deliberate_practice.foundation.registry import Registry
from deliberate_practice.task.outcome import Outcome

if TYPE_CHECKING:
    from deliberate_practice.practice.intention import Intention

Mode = Literal["explore", "deploy"]
"""Whether an attempt tries a learner's sample, or the parameters that the robot deploys."""


@dataclass(frozen=True)
class Step:
    """A skill to execute.

    Attributes:
        skill: Its name.
        parameters: Value of each of its parameters.
        practised: Attempts that its policy has behind it.
    """

    skill: str
    parameters: Mapping[str, float] = field(default_factory=dict)
    practised: int = 0


@dataclass(frozen=True)
class Approach:
    """How the robot gets from the start to where a skill may begin.

    Attributes:
        route: The steps to execute, as deployed; none if the robot is put there.
    """

    route: tuple[Step, ...] = ()

    @property
    def skills(self) -> tuple[str, ...]:
        """Names of the skills on the route."""
        return tuple(step.skill for step in self.route)


@dataclass(frozen=True)
class Trial:
    """One episode to run: reset, approach, one attempt.

    Attributes:
        id: Number of the trial in its session, from 1.
        approach: How to get to the precondition of the skill that is attempted. Without a route
            the robot begins there.
        attempt: The skill to attempt, and the parameters to try.
        mode: ``explore`` (a learner's sample) or ``deploy`` (what the robot would use anyway).
        seed: For everything random in the episode.
    """

    id: int
    approach: Approach
    attempt: Step
    mode: Mode
    seed: int

    @property
    def skill(self) -> str:
        """The skill that is attempted."""
        return self.attempt.skill

    @property
    def parameters(self) -> Mapping[str, float]:
        """The parameters to attempt it with."""
        return self.attempt.parameters

    @property
    def steps(self) -> tuple[Step, ...]:
        """The route and the attempt, in order."""
        return (*self.approach.route, self.attempt)


@dataclass(frozen=True)
class Result:
    """How an episode ended.

    Attributes:
        outcome: ``success``, ``failure``, ``unreached`` (the approach failed) or ``aborted``.
        at: The skill at which the approach failed.
        score: How good it was; among equal outcomes a learner prefers higher ones.
        measurements: Named numbers such as a peak force.
    """

    outcome: Outcome
    at: str | None = None
    score: float | None = None
    measurements: Mapping[str, float] = field(default_factory=dict)


class Robot(Protocol):
    """Runs episodes. Everything random comes from a trial's seed, so a run can be repeated.

    A robot that runs several episodes at once has an attribute ``parallel``, the largest number of
    trials it takes; others get one at a time.
    """

    def run(self, trials: Sequence[Trial]) -> Sequence[Result]:
        """Run independent episodes, with the results that they would have one by one."""
        ...


def run_episode(trial: Trial, execute: Callable[[Step], bool]) -> Result:
    """Execute the steps of a trial one after the other, up to the first that fails.

    Args:
        trial: What to run; its robot is at the start, or without a route at the precondition.
        execute: Executes one step, and says whether it succeeded.
    """
    for step in trial.approach.route:
        if not execute(step):
            return Result("unreached", at=step.skill)
    return Result("success" if execute(trial.attempt) else "failure")


@runtime_checkable
class EarningRobot(Robot, Protocol):
    """A robot that can say what its own plan earns, at no cost to the budget.

    :func:`~deliberate_practice.practice.earning.exact_earnings` and
    :func:`~deliberate_practice.practice.earning.measured_earnings` do the work.
    """

    def earn(self, intention: Intention, executions: int) -> Earnings:
        """The reward of doing what is intended: exact, or by so many executions."""
        ...


@dataclass(frozen=True)
class Earnings:
    """The reward of a robot's own plan.

    Attributes:
        reward: Expected or mean reward, discounted as the task says.
        undiscounted: The same without discount.
        interval: 95 % interval of the reward where it was measured; None where it is exact.
        successes: Whether each execution reached the goal; none where the reward is exact.
    """

    reward: float
    undiscounted: float
    interval: tuple[float, float] | None = None
    successes: tuple[bool, ...] = ()


MakeRobot = Callable[..., Robot]
"""Called with the task, the session's seed, and the number of processors it may use."""

ROBOTS: Registry[MakeRobot] = Registry(
    "robot",
    {
        "curves": "deliberate_practice.robots.curves:CurveRobot",
        "regions": "deliberate_practice.robots.regions:RegionRobot",
        "mujoco": "deliberate_practice.robots.mujoco.in_scene:mujoco_robot",
    },
    given=3,
)

register_robot = ROBOTS.register
