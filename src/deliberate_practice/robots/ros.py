"""A robot behind ROS 2: each skill is an action, reached through rosbridge."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.episode import run_episode
from deliberate_practice.practice.robot import Result, Step, Trial
from deliberate_practice.robots.ros_file import Action, filled, read_ros_file, result_field
from deliberate_practice.robots.rosbridge import Bridge, Ended, RosError
from deliberate_practice.task.model import Task
from deliberate_practice.task.outcome import Outcome

FEEDBACK_SECONDS = 1.0
"""The shortest time between two lines of feedback [s]."""
LONGEST_LINE = 200


class RosRobot:
    """Executes each skill as a ROS 2 action, as a file says.

    Every goal gets a time limit, after which it is canceled. If the connection is lost under way,
    the trial is aborted, and the goal is canceled as soon as rosbridge answers again.

    Args:
        task: The task.
        seed, threads: Nothing is hidden, and nothing runs side by side.
        file: The TOML file that maps skills to actions.
        say: Prints a line of progress; by default on stderr.

    Raises:
        ArgumentError: No file is given.
        TaskError: The file is not valid.
        RosError: roslibpy is not installed, or rosbridge cannot be reached.
    """

    def __init__(
        self,
        task: Task,
        seed: int = 0,
        threads: int = 1,
        *,
        file: str = "",
        say: Callable[[str], None] | None = None,
    ) -> None:
        if not isinstance(file, str) or not file:
            raise ArgumentError(
                "robot 'ros': name the file of its actions, e.g. ros:file=robot.toml."
            )
        self._file = read_ros_file(file, task)
        self._task, self._say = task, say or _print
        self._bridge = Bridge(self._file.host, self._file.port, self._file.secure, self._say)
        self._measured: tuple[float | None, Mapping[str, float]] = (None, {})

    def run(self, trials: Sequence[Trial]) -> list[Result]:
        """Set the scene and execute the steps, for each trial.

        Raises:
            RosError: A goal cannot be sent, or the robot does not stop after a goal was canceled.
        """
        return [self._run(trial) for trial in trials]

    def close(self) -> None:
        """Disconnect."""
        self._bridge.close()

    def _run(self, trial: Trial) -> Result:
        try:
            self._set_scene(trial)
            result = run_episode(trial, lambda step: self._execute(step, step is trial.attempt))
        except _Ended as ended:
            return Result(ended.outcome)
        if result.outcome == "unreached":
            return result
        score, measurements = self._measured
        return Result(result.outcome, None, score, measurements, result.executed)

    def _set_scene(self, trial: Trial) -> None:
        """Reset by a service, by a topic or by a person.

        Raises:
            _Ended: The service says that it failed.
        """
        reset = self._file.reset
        if reset.service:
            answer = self._bridge.call(reset.service, reset.kind, reset.message, reset.timeout)
            if answer.get("success") is False:
                self._say(f"{reset.service}: {answer.get('message') or 'it failed'}")
                raise _Ended("aborted")
        elif reset.topic:
            self._bridge.publish(reset.topic, reset.kind, reset.message)
            time.sleep(reset.settle)
        elif reset.person == "enter":
            needed = dict(self._task.skill(trial.skill).precondition)
            where = "at the start" if trial.approach.executed else f"with {needed}"
            input(f"Set the scene for {trial.skill}, {where}; then press Enter. ")

    def _execute(self, step: Step, attempt: bool) -> bool:
        """Send the goal of a step; whether it succeeded.

        Raises:
            _Ended: The episode is over for another reason.
        """
        action = self._file.actions[step.skill]
        feedback = _Feedback(step.skill, self._say)
        goal = filled(action, step.parameters)
        ended = self._bridge.act(action.name, action.kind, goal, action.timeout, feedback)
        outcome = outcome_of(action, ended)
        if ended.status != "succeeded":
            self._say(f"{step.skill}: {ended.status}{' after the time limit' * ended.late}")
        if outcome == "aborted" or (outcome == "refused" and attempt):
            raise _Ended(outcome)
        if attempt:
            measured = not ended.late  # a canceled goal has no result
            self._measured = _measured(step.skill, action, ended.values) if measured else (None, {})
        return outcome == "success"


def outcome_of(action: Action, ended: Ended) -> Outcome:
    """The outcome of a goal.

    Raises:
        RosError: rosbridge could not send the goal.
    """
    if ended.status == "succeeded":
        succeeded = action.success is None or bool(result_field(ended.values, action.success))
        return "success" if succeeded else "failure"
    if ended.status == "rejected":
        return "refused"
    if ended.status in ("aborted", "canceled") and ended.late:
        return action.timed_out
    if ended.status == "aborted":
        return action.aborted
    if ended.status in ("canceled", "lost"):
        return "aborted"
    raise RosError(
        f"action {action.name}: rosbridge could not send the goal: {ended.text or ended.status}. "
        "Check that the action's server runs, and its name, type and fields."
    )


class _Ended(Exception):
    """The episode is over, not by the success or failure of a skill."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome)
        self.outcome = outcome


class _Feedback:
    """Prints feedback, at most one line in a while."""

    def __init__(self, skill: str, say: Callable[[str], None]) -> None:
        self._skill, self._say, self._next = skill, say, 0.0

    def __call__(self, values: Mapping[str, Any]) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + FEEDBACK_SECONDS
            self._say(f"{self._skill}: {json.dumps(dict(values))}"[:LONGEST_LINE])


def _measured(
    skill: str, action: Action, values: Mapping[str, Any]
) -> tuple[float | None, dict[str, float]]:
    """The score and the measurements in a result."""
    try:
        score = None if action.score is None else float(result_field(values, action.score))
        return score, {
            name: float(result_field(values, f)) for name, f in action.measurements.items()
        }
    except (TypeError, ValueError) as error:
        raise RosError(
            f"{skill}: a measured field of the result is not a number: {error}."
        ) from None


def _print(line: str) -> None:
    print(f"deliberate: {line}", file=sys.stderr, flush=True)
