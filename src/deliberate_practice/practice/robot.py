"""The contract between a session and its robot: steps, trials, results, and the robot itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from deliberate_practice.foundation.registry import Registry
from deliberate_practice.task.outcome import Outcome

if TYPE_CHECKING:
    from deliberate_practice.practice.intention import Intention

Mode = Literal["explore", "deploy", "demonstrate", "train"]
"""What a trial is for: the robot tries a sample of the learner, or what is deployed; a person
demonstrates the skill; or a training run makes a new version from all demonstrations."""


OnFailure = Literal["end", "retry", "continue"]
"""What a robot does after a failure on its route if it cannot observe where it is: it ends the
episode, executes the step again, or goes on, because the failure is what leads on."""


@dataclass(frozen=True)
class Step:
    """A skill to execute.

    Attributes:
        skill: Its name.
        parameters: Value of each of its parameters.
        practised: Attempts of its policy so far.
        on_failure: What comes after its failure on a route: ``end``, ``retry`` or ``continue``.
    """

    skill: str
    parameters: Mapping[str, float] = field(default_factory=dict)
    practised: int = 0
    on_failure: OnFailure = "end"


@dataclass(frozen=True)
class Choice:
    """A row of a decision rule: the step to execute in an abstract state."""

    when: Mapping[str, str]
    step: Step


@dataclass(frozen=True)
class Approach:
    """How the robot gets from the start to where a skill may begin.

    A robot that observes the abstract state follows the rule: it executes the step of the state it
    is in, until the skill may begin. Others execute the steps of the route one after the other.
    Without a route and a rule somebody puts the robot there.

    Attributes:
        route: The steps to execute if all goes as expected, as deployed.
        start: The start state, as variable -> value, if the task has several starts and the
            episode begins in one of them.
        rule: The step for every state that may be met on the way, retries and recoveries included;
            empty if the first failure ends the way, so that the route says everything.
        limit: The most executions on the way.
        until: The values that variables may have where the skill begins; stated with a rule.
    """

    route: tuple[Step, ...] = ()
    start: Mapping[str, str] = field(default_factory=dict)
    rule: tuple[Choice, ...] = ()
    limit: int = 0
    until: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def skills(self) -> tuple[str, ...]:
        """Names of the skills on the route."""
        return tuple(step.skill for step in self.route)

    @property
    def every_skill(self) -> tuple[str, ...]:
        """Names of the skills on the route, and of those that the rule may use besides."""
        return tuple(dict.fromkeys((*self.skills, *(row.step.skill for row in self.rule))))

    @property
    def executed(self) -> bool:
        """Whether the robot goes there by itself, from the start."""
        return bool(self.route or self.rule)


@dataclass(frozen=True)
class Trial:
    """One episode to run: reset, approach, one attempt.

    Attributes:
        id: Number of the trial in its session, from 1.
        approach: How to get to the precondition of the attempted skill. Without a route and a rule
            the episode begins there.
        attempt: The skill to attempt, and the parameters to try.
        mode: ``explore`` (a sample of the learner), ``deploy`` (the deployed parameters),
            ``demonstrate`` (a person demonstrates the skill) or ``train`` (a training run: nothing
            is executed).
        seed: Seed of everything random in the episode.
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
        outcome: ``success`` or ``failure`` of the attempt; ``refused`` (the attempt cannot be
            executed with its parameters, found out before anything moved); ``unreached`` (the
            approach failed, also if a step of it cannot be executed); or ``aborted``.
        at: The skill at which the approach failed: the last one that was executed on it.
        score: Quality of the attempt; learners rank attempts with the same outcome by it.
        measurements: Named numbers. ``deliberate priors --samples`` reads ``force`` (the largest
            [N]), ``speed`` (of the fastest joint, as a part of its limit), and ``touched`` and
            ``stopped``: 1 if the robot touched what the skill acts on, and if a reflex stopped it.
        executed: Every execution on the approach, in order: the skill, and whether it succeeded.
            None means that each skill of the route was executed once, up to ``at``.
    """

    outcome: Outcome
    at: str | None = None
    score: float | None = None
    measurements: Mapping[str, float] = field(default_factory=dict)
    executed: tuple[tuple[str, bool], ...] | None = None


def on_approach(trial: Trial, result: Result) -> tuple[tuple[str, bool], ...]:
    """Every execution on the approach: the skill, and whether it succeeded.

    If the robot does not tell them, all skills of the route worked, up to where it failed.
    """
    if result.executed is not None:
        return result.executed
    route, at = trial.approach.skills, result.at
    done = route if at is None else route[: route.index(at)] if at in route else ()
    failed = () if at is None else ((at, False),)
    return (*((skill, True) for skill in done), *failed)


class Robot(Protocol):
    """Runs episodes. Everything random comes from a trial's seed, so a run can be repeated.

    A robot that runs several episodes at once has an attribute ``parallel``, the largest number of
    trials it takes; others get one at a time. One that knows the limits of what it measures may
    state them as an attribute ``limits``, e.g. ``{"force": 100.0}`` [N]. One that holds a
    connection may have a method ``close``; commands that made the robot by its name call it in the
    end.
    """

    def run(self, trials: Sequence[Trial]) -> Sequence[Result]:
        """Run independent episodes; each result is the same as if the episode ran alone."""
        ...


def run_all(robot: Robot, trials: Sequence[Trial]) -> list[Result]:
    """Run any number of episodes, as many at a time as the robot takes."""
    most = getattr(robot, "parallel", 1)
    groups = (trials[first : first + most] for first in range(0, len(trials), most))
    return [result for group in groups for result in robot.run(group)]


@runtime_checkable
class EarningRobot(Robot, Protocol):
    """A robot that can compute or measure the reward of its own plan, at no cost to the budget.

    :func:`~deliberate_practice.practice.earning.exact_earnings` and
    :func:`~deliberate_practice.practice.earning.measured_earnings` implement this.
    """

    def earn(self, intention: Intention, executions: int) -> Earnings:
        """The reward of an intention: exact, or measured by so many executions."""
        ...


@dataclass(frozen=True)
class Followed:
    """How an execution of a decision rule ended.

    Attributes:
        executed: Every execution, in order: the skill, and whether it succeeded.
        state: The abstract state at the end; None if the robot could not tell.
    """

    executed: tuple[tuple[str, bool], ...]
    state: Mapping[str, str] | None


@runtime_checkable
class FollowingRobot(Robot, Protocol):
    """A robot that observes abstract states, so that it can follow a decision rule to the end."""

    def follow(
        self, rule: Sequence[Choice], limit: int, seeds: Sequence[int], start: Mapping[str, str]
    ) -> Sequence[Followed]:
        """Follow a rule from a start of each seed, until no row fits or the limit is reached.

        Args:
            rule: The step for each abstract state.
            limit: The most executions.
            seeds: Seed of everything random in each execution.
            start: The start state, as variable -> value, if the task has several starts.
        """
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
"""Makes a robot from the task, the session's seed, and the processors it may use."""

ROBOTS: Registry[MakeRobot] = Registry(
    "robot",
    {
        "curves": "deliberate_practice.robots.curves:CurveRobot",
        "regions": "deliberate_practice.robots.regions:region_robot",
        "mujoco": "deliberate_practice.robots.mujoco.in_scene:mujoco_robot",
        "ros": "deliberate_practice.robots.ros:RosRobot",
    },
    given=3,
)

register_robot = ROBOTS.register
