"""A robot that is a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from deliberate_practice.foundation.checks import LARGEST_BUDGET, whole_number
from deliberate_practice.foundation.errors import ArgumentError, choose_from, shown
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.practice.earning import measured_earnings
from deliberate_practice.practice.episode import Observed, follow_rule, run_episode
from deliberate_practice.practice.intention import Intention
from deliberate_practice.practice.robot import Choice, Earnings, Followed, Result, Step, Trial
from deliberate_practice.robots.deliberate_gym import LIMIT, Act, Gym, Judge
from deliberate_practice.task.model import Task, allowed_values, holds


class GymRobot:
    """Executes the skills of a task in a Gymnasium environment.

    The same functions serve an environment on another computer, or in another Python, through the
    client: see ``deliberate client --gym``.

    Args:
        task: The task.
        env: The environment, or the id to make it from: then only ``limit`` ends its episodes. Or
            one of these for each skill, as skill -> environment: stations that have nothing to do
            with each other.
        act: The next action, from the skill, its parameters, the last observation and info; or a
            generator of actions, which is sent the observation and info after each.
        success: Whether a skill has succeeded: a key of ``info``, or a function of the skill, the
            last observation and info.
        reset: The options of ``env.reset``, from the abstract state in which an episode begins,
            which is empty for the start of the task. It is needed to begin anywhere else.
        observe: The abstract state, from the last observation and info; None if nobody can tell.
            With it the robot recovers from failures.
        score: The quality of an attempt, like ``success``.
        limit: The most actions of one skill.
        make: Options of ``gymnasium.make``.

    Raises:
        ArgumentError: An argument is not valid, or Gymnasium is not installed.
    """

    def __init__(
        self,
        task: Task,
        env: Any,
        act: Act,
        success: Judge,
        *,
        reset: Callable[[Mapping[str, str]], dict[str, Any] | None] | None = None,
        observe: Callable[[Any, Mapping[str, Any]], Observed] | None = None,
        score: Judge | None = None,
        limit: int = LIMIT,
        make: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        whole_number("limit", limit, 1, LARGEST_BUDGET)
        if not callable(act):
            raise ArgumentError(f"act: {shown(act)} is not a function; give one with the action.")
        if observe and isinstance(env, Mapping):
            raise ArgumentError("observe: it needs one environment for all skills.")
        self._task, self._resets = task, reset is not None
        self._gym = Gym(_made(task, env, make), act, success, reset, observe, score, limit)
        self._observe = self._gym.observe if observe else None
        if observe:
            self.follow = self._follow

    def run(self, trials: Sequence[Trial]) -> list[Result]:
        """Reset the environment and execute the steps, for each trial."""
        return [self._run(trial) for trial in trials]

    def earn(self, intention: Intention, executions: int) -> Earnings:
        """The mean reward of so many executions of the robot's own plan."""
        return measured_earnings(self, intention, executions)

    def _run(self, trial: Trial) -> Result:
        self._gym.begin(trial.seed, self._first_state(trial))
        result = run_episode(trial, self._execute, self._observe)
        if result.outcome == "unreached":
            return result
        measured = {"actions": float(self._gym.actions)}
        return replace(result, score=self._gym.score, measurements=measured)

    def _follow(
        self, rule: Sequence[Choice], limit: int, seeds: Sequence[int], start: Mapping[str, str]
    ) -> list[Followed]:
        """Follow a decision rule from a start of each seed."""
        runs = []
        for seed in seeds:
            self._gym.begin(seed, start)
            runs.append(follow_rule(rule, limit, self._execute, self._gym.observe))
        return runs

    def _execute(self, step: Step) -> bool:
        return self._gym.execute(step.skill, step.parameters)

    def _first_state(self, trial: Trial) -> dict[str, str]:
        """The abstract state in which a trial begins, as far as it matters."""
        state = dict(trial.approach.start)
        needed = self._task.skill(trial.skill).precondition
        if trial.approach.executed:
            return state
        whole = {**self._task.start_states[0].state, **state}
        if not self._resets and not holds(needed, whole):
            raise ArgumentError(
                f"robot GymRobot: an episode of '{trial.skill}' begins with {shown(dict(needed))}, "
                "where the environment does not begin by itself; give reset=, or practise with "
                "approach='execute'."
            )
        for name, values in needed.items():
            allowed = allowed_values(values)
            state[name] = whole[name] if whole[name] in allowed else allowed[0]
        return state


def _made(task: Task, env: Any, options: Mapping[str, Any]) -> Any:
    """The environment, or that of each skill, made where it is an id."""
    if isinstance(env, Mapping):
        for skill in task.skills:
            if skill.name not in env:
                raise ArgumentError(f"env: skill {choose_from(skill.name, env)}")
        made = {one: _made(task, one, options) for one in env.values() if isinstance(one, str)}
        return {name: made[one] if isinstance(one, str) else one for name, one in env.items()}
    if not isinstance(env, str):
        if options:
            raise ArgumentError("make: it belongs to an environment that is given by its id.")
        return env
    try:
        import gymnasium
    except ModuleNotFoundError:
        raise ArgumentError(
            f"env: the package gymnasium is not installed; run: {install_command('gym')}"
        ) from None
    try:
        return gymnasium.make(env, **{"max_episode_steps": -1, **options})
    except gymnasium.error.Error as error:
        raise ArgumentError(f"env: {shown(env)} cannot be made: {error}") from None
