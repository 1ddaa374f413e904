"""The promises of every robot."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from deliberate_practice.learners.registry import make_learner
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.routes import Route, routes
from deliberate_practice.mdp.values import solve
from deliberate_practice.practice.approaches.approach import approach_to
from deliberate_practice.practice.earning import EXECUTIONS
from deliberate_practice.practice.intention import Intention
from deliberate_practice.practice.robot import (
    Approach,
    EarningRobot,
    Mode,
    Result,
    Robot,
    Step,
    Trial,
)
from deliberate_practice.task.model import Task
from deliberate_practice.task.outcome import OUTCOMES
from deliberate_practice.testing.promise import promise


def check_robot(robot: Robot, task: Task, *, trials: int = 8, repeats: bool = True) -> None:
    """Check that a robot runs trials of a task and returns valid results.

    Args:
        robot: The robot.
        task: The task that it practises.
        trials: Number of trials to run; on a real robot each takes time.
        repeats: Whether the same trial always has the same result, as in a simulation.

    Raises:
        AssertionError: A promise is broken.
    """
    asked = _trials(task, trials)
    parallel = getattr(robot, "parallel", 1)
    promise(
        isinstance(parallel, int) and parallel >= 1,
        f"parallel is {parallel!r}; it is the number of trials that the robot takes at once.",
    )
    told = [result for trial in asked for result in _run(robot, [trial])]
    for trial, result in zip(asked, told, strict=True):
        _check_result(trial, result)
    if repeats:
        again = [result for trial in asked for result in _run(robot, [trial])]
        promise(told == again, "the same trial ends differently; draw from the trial's seed alone.")
        together = [
            result
            for first in range(0, len(asked), parallel)
            for result in _run(robot, asked[first : first + parallel])
        ]
        promise(told == together, "trials that run together end differently from single ones.")
    if isinstance(robot, EarningRobot):
        _check_earnings(robot, task)


def _run(robot: Robot, trials: Sequence[Trial]) -> list[Result]:
    results = list(robot.run(trials))
    promise(
        len(results) == len(trials) and all(isinstance(result, Result) for result in results),
        f"run() of {len(trials)} trials returned {results!r}; return one Result for each.",
    )
    return results


def _check_result(trial: Trial, result: Result) -> None:
    place = f"trial of '{trial.skill}'"
    promise(
        result.outcome in OUTCOMES,
        f"{place}: outcome {result.outcome!r} is not one of {', '.join(OUTCOMES)}.",
    )
    nowhere = result.outcome == "unreached" and result.executed == ()
    promise(
        (result.at in trial.approach.every_skill or nowhere) == (result.outcome == "unreached"),
        f"{place}: at = {result.at!r}; 'unreached' names the skill of the approach that failed, "
        "and no other outcome names one.",
    )
    _check_executions(place, trial, result)
    numbers = [*result.measurements.values(), *([] if result.score is None else [result.score])]
    promise(
        all(math.isfinite(number) for number in numbers),
        f"{place}: its score or a measurement is not a finite number.",
    )


def _check_executions(place: str, trial: Trial, result: Result) -> None:
    """Executions on the approach are those of its skills, and no more than its limit."""
    executed = result.executed or ()
    promise(
        all(
            skill in trial.approach.every_skill and isinstance(success, bool)
            for skill, success in executed
        ),
        f"{place}: executed = {result.executed!r}; give each skill of the approach that was "
        "executed, and True or False for its success.",
    )
    promise(
        len(executed) <= max(trial.approach.limit, len(trial.approach.route)),
        f"{place}: {len(executed)} executions on the approach; its limit is "
        f"{trial.approach.limit}.",
    )
    promise(
        result.at is None or not executed or executed[-1][0] == result.at,
        f"{place}: at = {result.at!r}; it is the skill that was executed last.",
    )


def _check_earnings(robot: EarningRobot, task: Task) -> None:
    grounded = ground(task)
    solution = solve(grounded, np.full(len(task.policies), 0.9))
    steps = {skill.name: _step(task, skill.name) for skill in task.skills}
    path = routes(grounded, np.full(len(task.policies), 0.9))
    longest = max(path.values(), key=lambda route: len(route.skills))
    plan = tuple(steps[name] for name in (*longest.skills, longest.skill))
    goal = grounded.task.goals[0].name
    aim = Intention(grounded, goal, plan, solution.value, solution.actions, steps)
    earned = robot.earn(aim, min(4, EXECUTIONS))
    promise(math.isfinite(earned.reward), f"earn() gives the reward {earned.reward}.")
    low, high = earned.interval or (earned.reward, earned.reward)
    promise(
        low <= earned.reward <= high,
        f"earn() gives the reward {earned.reward}, which is outside its interval.",
    )


def _trials(task: Task, count: int) -> list[Trial]:
    """Trials that start at preconditions or follow approaches, and explore or deploy."""
    everywhere = ground(task, everything=True)
    found = list(routes(everywhere, np.full(len(task.policies), 0.9)).values())
    trials = []
    for number in range(count):
        route = found[number % len(found)]
        approach = _approach(task, route) if number % 2 else Approach()
        mode: Mode = "deploy" if number % 3 else "explore"
        attempt = _step(task, route.skill, explore=mode == "explore")
        trials.append(Trial(number + 1, approach, attempt, mode, 1000 + number))
    return trials


def _approach(task: Task, way: Route) -> Approach:
    """The way to a skill as a session gives it, with what the robot deploys before practice."""
    steps = {skill.name: _step(task, skill.name) for skill in task.skills}
    return approach_to(task, way, steps.__getitem__)


def _step(task: Task, skill: str, *, explore: bool = False) -> Step:
    learner = make_learner("cma-es", task.policies[task.skill(skill).policy], 0)
    candidate = learner.ask()
    assert candidate
    return Step(skill, dict(candidate.values if explore else learner.deployed), 3)
