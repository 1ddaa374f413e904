"""The reward of the robot's own plan: exact if the true curves are known, else measured."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from deliberate_practice.beliefs.gaps import Losses
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.foundation.blame import blamed
from deliberate_practice.foundation.estimates import Z, rate
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.moves import moves
from deliberate_practice.mdp.rule import StartPath
from deliberate_practice.mdp.values import rule_values
from deliberate_practice.practice.approaches.composed_reward import composed_reward
from deliberate_practice.practice.intention import Intention, Known, intention
from deliberate_practice.practice.journal.events import Executed
from deliberate_practice.practice.robot import (
    Approach,
    EarningRobot,
    Earnings,
    Followed,
    FollowingRobot,
    Result,
    Robot,
    Trial,
    on_approach,
    run_all,
)
from deliberate_practice.task.model import SEVERAL, Task, holds

EXECUTIONS = 100
"""Default number of executions that measure the reward of a plan."""

LIMIT = 100
"""The most skills in one execution of a decision rule; what comes later would hardly count."""


class Settled(Known, Protocol):
    """The knowledge of a session, with what was spent and measured."""

    @property
    def settled(self) -> int:
        """Budget units spent on trials that have been told."""
        ...

    @property
    def fresh(self) -> Sequence[Executed]:
        """Measurements since the last trial was told."""
        ...


class Measured(Protocol):
    """A session whose reward is measured: here, or behind a service."""

    @property
    def ground(self) -> GroundTask:
        """The task as a sparse MDP."""
        ...

    @property
    def state(self) -> Settled:
        """The present state."""
        ...

    def record(self, executed: Executed) -> None:
        """Record the reward of the robot's own plan."""
        ...


def measure(session: Measured, robot: EarningRobot, executions: int = EXECUTIONS) -> Executed:
    """Measure the present reward of the robot's own plan, and write it into the journal.

    A resumed session does not measure again what its journal already has.

    Raises:
        PartFailed: The robot raised an exception.
    """
    state = session.state
    for known in state.fresh:
        exact = known.earnings.interval is None
        if known.spent == state.settled and (exact or len(known.earnings.successes) == executions):
            return known
    aim = intention(session.ground, state)
    with blamed(f"robot {type(robot).__name__}"):
        earned = robot.earn(aim, executions)
    executed = Executed(state.settled, aim.goal, aim.skills, earned)
    session.record(executed)
    return executed


def exact_earnings(
    intention: Intention, competences: Mapping[str, float], losses: Losses | None = None
) -> Earnings:
    """The expected reward of an intention, for the true competence of every policy.

    Args:
        intention: The intention.
        competences: True competences by policy.
        losses: True composition gaps; none by default.
    """
    ground = intention.ground
    undiscounted = replace(ground, task=replace(ground.task, discount=1.0))

    def reward(ground: GroundTask) -> float:
        if losses:
            return composed_reward(ground, intention.rule, competences, losses)
        return reward_of(ground, intention.rule, competences)

    return Earnings(reward(ground), reward(undiscounted))


def measured_earnings(robot: Robot, intention: Intention, executions: int) -> Earnings:
    """The mean reward of so many executions, from starts that are the same for every session.

    Where failures can be recovered, a robot that observes states follows the decision rule. Other
    robots execute the plan up to its first failure, which is all of the rule where failures end
    the episode.

    Each skill that is executed earns its step reward, and an execution that reaches the goal earns
    the goal's reward as well.

    If there are several starts or tasks, each is executed in proportion to its probability, and at
    least once if there are enough executions. Their mean rewards are weighted by their
    probabilities.
    """
    paths = intention.starts or (_only_path(intention),)
    counts = _shared(executions, [path.probability for path in paths])
    if intention.ground.branching and isinstance(robot, FollowingRobot):
        return _followed(robot, intention, paths, counts)
    owners = [path for path, count in zip(paths, counts, strict=True) for _ in range(count)]
    runs = iter(_executed(robot, intention, owners))
    task = intention.ground.task
    reward, undiscounted, below, above = 0.0, 0.0, 0.0, 0.0
    successes: list[bool] = []
    for path, count in zip(paths, counts, strict=True):
        if not count:
            continue
        mine = list(itertools.islice(runs, count))
        reached = [success for _, success in mine]
        share, worth = sum(reached) / count, path.probability * path.reward
        steps = [path.probability * _step_rewards(task, skills, 1.0) for skills, _ in mine]
        undiscounted += worth * share + float(np.mean(steps))
        worth *= task.discount ** len(path.skills)
        steps = [
            path.probability * _step_rewards(task, skills, task.discount) for skills, _ in mine
        ]
        reward += worth * share + float(np.mean(steps))
        less, more = _margins(worth, steps, reached)
        below += less**2
        above += more**2
        successes += reached
    # Errors of different starts are independent, so their squares add up.
    interval = (reward - math.sqrt(below), reward + math.sqrt(above))
    return Earnings(reward, undiscounted, interval, tuple(successes))


def _only_path(intention: Intention) -> StartPath:
    """The plan of a task that has one start."""
    task = intention.ground.task
    reward = next((goal.reward for goal in task.goals if goal.name == intention.goal), 0.0)
    return StartPath(task.name, {}, 1.0, intention.skills, (), intention.goal, reward)


def _shared(executions: int, probabilities: Sequence[float]) -> list[int]:
    """Executions of each start in proportion to its probability, a first one of each before."""
    counts = [0] * len(probabilities)

    def claim(i: int) -> tuple[float, float]:
        return probabilities[i] / counts[i] if counts[i] else math.inf, probabilities[i]

    for _ in range(executions):
        counts[max(range(len(counts)), key=claim)] += 1
    return counts


def _executed(
    robot: Robot, intention: Intention, paths: Sequence[StartPath]
) -> list[tuple[tuple[str, ...], bool]]:
    """The skills of each execution, and whether it reached its goal.

    Without skills the start decides that.
    """
    trials = []
    for number, (path, seed) in enumerate(zip(paths, start_seeds(len(paths)), strict=True), 1):
        if path.skills:
            *route, last = (intention.steps[name] for name in path.skills)
            approach = Approach(tuple(route), path.start)
            trials.append(Trial(number, approach, last, "deploy", seed))
    results = zip(trials, run_all(robot, trials), strict=True)
    runs = ((_skills(*told), told[1].outcome == "success") for told in results)
    return [next(runs) if path.skills else ((), path.goal is not None) for path in paths]


def _skills(trial: Trial, result: Result) -> tuple[str, ...]:
    """The skills that were executed, as far as the robot tells."""
    if result.outcome in ("success", "failure", "unreached"):
        way = tuple(skill for skill, _ in on_approach(trial, result))
        return way if result.outcome == "unreached" else (*way, trial.skill)
    return tuple(skill for skill, _ in result.executed or ())


def _margins(worth: float, steps: Sequence[float], reached: Sequence[bool]) -> tuple[float, float]:
    """How far the 95 % interval of a mean reward lies below and above it.

    Args:
        worth: The reward of reaching the goal.
        steps: What the steps of each execution earned.
        reached: Whether each execution reached the goal.
    """
    if any(steps):
        rewards = [worth * success + step for success, step in zip(reached, steps, strict=True)]
        mean, (low, high) = float(np.mean(rewards)), _interval(rewards, reached)
        return mean - low, high - mean
    share = rate(sum(reached), len(reached))
    assert share.interval
    return worth * (share.value - share.interval[0]), worth * (share.interval[1] - share.value)


def _followed(
    robot: FollowingRobot,
    intention: Intention,
    paths: Sequence[StartPath],
    counts: Sequence[int],
) -> Earnings:
    """The mean reward of following the decision rule, so many times from each start."""
    task, seeds = intention.ground.task, iter(start_seeds(sum(counts)))
    reward, undiscounted, below, above = 0.0, 0.0, 0.0, 0.0
    successes: list[bool] = []
    for path, count in zip(paths, counts, strict=True):
        if not count:
            continue
        mine = list(itertools.islice(seeds, count))
        runs = robot.follow(intention.choices(path), LIMIT, mine, path.start)
        rewards = [_reward(task, path, run, task.discount) for run in runs]
        reached = [_goal_reward(task, path, run) > 0 for run in runs]
        mean, (low, high) = float(np.mean(rewards)), _interval(rewards, reached)
        plain = np.mean([_reward(task, path, run, 1.0) for run in runs])
        reward += path.probability * mean
        undiscounted += path.probability * float(plain)
        below += (path.probability * (mean - low)) ** 2
        above += (path.probability * (high - mean)) ** 2
        successes += reached
    interval = (reward - math.sqrt(below), reward + math.sqrt(above))
    return Earnings(reward, undiscounted, interval, tuple(successes))


def _reward(task: Task, path: StartPath, run: Followed, discount: float) -> float:
    """The reward of one execution: of its steps, and of the goal that it reached."""
    skills = [skill for skill, _ in run.executed]
    goal = discount ** len(skills) * _goal_reward(task, path, run)
    return _step_rewards(task, skills, discount) + goal


def _step_rewards(task: Task, skills: Sequence[str], discount: float) -> float:
    """The reward of executing skills, one after the other."""
    return sum(discount**i * task.skill(name).step_reward for i, name in enumerate(skills))


def _goal_reward(task: Task, path: StartPath, run: Followed) -> float:
    """The reward of the best goal that holds at the end."""
    if run.state is None:
        return 0.0
    state = {SEVERAL: path.task, **run.state}
    return max((goal.reward for goal in task.goals if holds(goal.when, state)), default=0.0)


def _interval(rewards: Sequence[float], successes: Sequence[bool]) -> tuple[float, float]:
    """A 95 % interval of a mean reward.

    The rate of successes has Wilson's interval; the spread of rewards within the successes, and
    within the failures, adds that of their means.
    """
    share = rate(sum(successes), len(successes))
    assert share.interval
    groups = [
        np.array([r for r, reached in zip(rewards, successes, strict=True) if reached == kind])
        for kind in (True, False)
    ]
    above, below = (float(group.mean()) if len(group) else 0.0 for group in groups)
    within = Z * math.sqrt(sum(float(((g - g.mean()) ** 2).sum()) for g in groups if len(g)))
    ends = [end * above + (1 - end) * below for end in share.interval]
    mean = float(np.mean(rewards))
    low, high = (math.hypot(end - mean, within / len(rewards)) for end in sorted(ends))
    return mean - low, mean + high


def start_seeds(count: int) -> list[int]:
    """Seeds of the starts for executions of plans, which practice never uses."""
    return [int(seed) for seed in np.random.SeedSequence(20261115).generate_state(count)]


def reward_of(ground: GroundTask, rule: IntArray, true: Mapping[str, float]) -> float:
    """Expected discounted reward of a fixed decision rule for given competences.

    A rule that goes round for ever earns nothing. This is possible with discount 1, if the robot
    relies on a skill that never succeeds.

    Args:
        ground: The abstract MDP.
        rule: Action of each state, -1 for stopping, shape (N,).
        true: Competence of each policy.
    """
    competence = np.array([true[name] for name in ground.policy_names])
    ending = np.where(_ending(ground, competence, rule), rule, -1)
    return float(ground.start @ rule_values(ground, competence, ending))


def _ending(ground: GroundTask, competence: FloatArray, actions: IntArray) -> BoolArray:
    """The acting states from which the episode can end, by a goal, by stopping or by loss."""
    acting: BoolArray = actions >= 0
    states = np.flatnonzero(acting)
    steps = moves(ground, competence[ground.action_policy])
    chosen = steps.onward[actions[states]]
    ends: BoolArray = ~acting
    ends[states[steps.leak[actions[states]] > 0]] = True
    reached = -1
    while reached != (reached := int(ends.sum())):
        ends[states[(chosen @ ends.astype(np.float64)) > 0]] = True
    return ends & acting
