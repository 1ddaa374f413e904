"""A session behind a service, with the verbs of a session::

session = dp.RemoteSession("http://127.0.0.1:8712", "monday", token="dp_...")
trial = session.ask()
session.tell(trial.id, "success")
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote

from deliberate_practice.beliefs.gaps import Losses
from deliberate_practice.foundation.errors import DeliberatePracticeError
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice.journal.events import Executed
from deliberate_practice.practice.journal.rows import Settings
from deliberate_practice.practice.operating.idle import Idle
from deliberate_practice.practice.robot import Step, Trial
from deliberate_practice.practice.showing.forecast import Forecast
from deliberate_practice.practice.showing.trial_data import trial_from
from deliberate_practice.service.deliberate_client import (
    ANSWER_SECONDS,
    Connection,
    ServiceError,
    Unreachable,
)
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import parse_task


class RemoteError(DeliberatePracticeError):
    """The service refused something, or cannot be reached.

    Args:
        message: The reason.
        status: The HTTP status; None if there was no answer.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class RemoteState:
    """The present knowledge of a session behind a service.

    Attributes:
        task: The task.
        competences: Believed competence of every policy.
        settled: Budget units spent on trials that have been told.
        deployed: Deployed parameters of every policy that has some.
        attempts: Attempts by policy.
        fresh: Measurements that need not be repeated; none, as the service knows them.
    """

    task: Task
    competences: Mapping[str, float]
    settled: int
    deployed: Mapping[str, Mapping[str, float]]
    attempts: Mapping[str, int]
    losses: Losses
    fresh: tuple[Executed, ...] = ()

    def step(self, skill: str) -> Step:
        """A skill with its presently deployed parameters."""
        policy = self.task.skill(skill).policy
        return Step(skill, dict(self.deployed.get(policy, {})), self.attempts[policy])


class RemoteSession:
    """A session behind a service; :func:`~deliberate_practice.practise` takes it like another.

    Every request is sent again until it is answered, and nothing is done twice.

    Args:
        url: Where the service is, e.g. ``http://127.0.0.1:8712``.
        name: Name of the session.
        token: The token; by default the variable DELIBERATE_TOKEN of the environment.
        robot: Who asks, unless a verb says otherwise; by default this computer's name.
        wait: How long one ask waits for a trial [s], at most 60.
        cafile: A file with the certificate of the service or its authority, for https.
        patience: How long to try if there is no answer [s].
        say: Prints a line when the service does not answer; by default on stderr.
    """

    def __init__(
        self,
        url: str,
        name: str,
        token: str | None = None,
        *,
        robot: str | None = None,
        wait: float = 1.0,
        cafile: str | None = None,
        patience: float = 300.0,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self.name = name
        self.robot = robot or socket.gethostname()
        self._wait = wait
        try:
            self._connection = Connection(url, token, cafile, patience, say)
        except (ValueError, OSError) as error:
            raise RemoteError(f"{url}: {error}") from None
        self._path = f"/api/sessions/{quote(name, safe='')}"
        self._idle: Idle | None = None
        self._open = 0

    @property
    def idle(self) -> Idle | None:
        """Why the last ask found no trial; None if it found one."""
        return self._idle

    @property
    def done(self) -> bool:
        """Whether the last ask found nothing more to do."""
        return self._idle is not None and self._idle.state == "done"

    @property
    def open(self) -> int:
        """How many trials were asked and not told, when the last ask found none."""
        return self._open

    @cached_property
    def _fixed(self) -> dict[str, Any]:
        return self._call("GET", "/task")

    @cached_property
    def task(self) -> Task:
        """The task."""
        return parse_task(self._fixed["task"], alone=True)

    @cached_property
    def settings(self) -> Settings:
        """What the session was started with."""
        return Settings(**self._fixed["settings"])

    @cached_property
    def ground(self) -> GroundTask:
        """The task as a sparse MDP."""
        return ground(self.task)

    @property
    def state(self) -> RemoteState:
        """The present knowledge of the session."""
        data = self.show(trials=0)
        losses = Losses.from_data(data["losses"])
        known = (data["competence"], data["settled"], data["deployed"], data["attempts"])
        return RemoteState(self.task, *known, losses)

    def show(self, trials: int | None = None) -> dict[str, Any]:
        """The course of the session, as ``deliberate show --format json`` prints it.

        Args:
            trials: Only so many trials, the last ones; all by default.
        """
        return self._call("GET", "" if trials is None else f"?trials={trials}")

    def why(self, trial_id: int | None = None) -> str:
        """Why a trial is run, in one sentence; by default the last one that was asked."""
        place = "" if trial_id is None else f"/trials/{trial_id}"
        return str(self._call("GET", f"{place}/why")["reason"])

    def forecast(self) -> Forecast:
        """What the robot is worth now, and what it will be worth when the budget is spent."""
        return Forecast.from_data(self._call("GET", "/forecast"))

    def bands(self) -> dict[str, tuple[float, float]]:
        """The ends of the 80 % band of every policy's present competence."""
        found = self._call("GET", "/overview?marks=0")["bands"]
        return {policy: (low, high) for policy, (low, high) in found.items()}

    def robots(self) -> list[dict[str, Any]]:
        """Every robot with a name: its open trials, outcomes, success rate and when it was seen."""
        return list(self._call("GET", "/robots")["robots"])

    def start(self, task: str, budget: int, **choices: Any) -> bool:
        """Start the session if there is none of its name; whether this request started it.

        The request may come twice, because there is only one session of a name. If the service is
        killed while it starts the session, the request is sent again.

        Args:
            task: The name of a domain, or the text of a task file.
            budget: Budget units.
            choices: Further choices of a new session.
        """
        body = {"name": self.name, "task": task, "budget": budget, **choices}
        try:
            self._request("POST", "/api/sessions", body)
        except RemoteError as error:
            if error.status == 409:
                return False
            raise
        return True

    def ask(
        self,
        *,
        evaluate: str | None = None,
        asker: str | None = None,
        takeover: bool = False,
        probe: bool = False,
    ) -> Trial | None:
        """The next trial to run; None if there is none, and :attr:`idle` says why."""
        body = {
            "robot": asker or self.robot,
            "wait": self._wait,
            "evaluate": evaluate,
            "takeover": takeover,
            "probe": probe,
        }
        answer = self._call("POST", "/ask", body, seconds=self._wait + ANSWER_SECONDS)
        self._remember(answer)
        return trial_from(answer) if answer["id"] is not None else None

    def ask_together(self, most: int, asker: str | None = None) -> list[Trial]:
        """The next trials that can be run side by side: at most so many."""
        body = {"robot": asker or self.robot, "wait": self._wait, "most": most}
        answer = self._call("POST", "/ask_together", body, seconds=self._wait + ANSWER_SECONDS)
        self._remember(answer)
        return [trial_from(trial) for trial in answer["trials"]]

    def tell(
        self,
        trial_id: int,
        outcome: str,
        at: str | None = None,
        score: float | None = None,
        measurements: Mapping[str, float] | None = None,
        executed: Sequence[tuple[str, bool]] | None = None,
        *,
        by: str | None = None,
        robot: str | None = None,
        version: str | None = None,
    ) -> None:
        """Record what happened in a trial; telling the same twice is harmless."""
        label = _label(outcome, at, score, measurements, executed, by)
        told = {**label, "robot": robot, "version": version}
        self._call("POST", f"/trials/{trial_id}/tell", told)

    def correct(
        self,
        trial_id: int,
        outcome: str,
        at: str | None = None,
        score: float | None = None,
        measurements: Mapping[str, float] | None = None,
        executed: Sequence[tuple[str, bool]] | None = None,
        *,
        by: str | None = None,
    ) -> None:
        """Take a wrong label back."""
        label = _label(outcome, at, score, measurements, executed, by)
        self._call("POST", f"/trials/{trial_id}/correct", label, once=True)

    def record(self, executed: Executed) -> None:
        """Record the reward of the robot's own plan; the same twice is harmless."""
        body = {
            **vars(executed.earnings),
            "successes": [bool(success) for success in executed.earnings.successes],
            "spent": executed.spent,
            "goal": executed.goal,
            "plan": executed.plan,
        }
        self._call("POST", "/rewards", body)

    def note(self, text: str, trial_id: int | None = None, *, by: str | None = None) -> None:
        """Write a note on the session, or on one of its trials."""
        place = "" if trial_id is None else f"/trials/{trial_id}"
        self._call("POST", f"{place}/note", {"text": text, "by": by}, once=True)

    def ready(self, trial_id: int | None = None, *, by: str | None = None) -> None:
        """Say that the scene of an open trial, or of all, is set."""
        place = "" if trial_id is None else f"/trials/{trial_id}"
        self._call("POST", f"{place}/ready", {"by": by})

    def pause(self, why: str = "", *, by: str | None = None) -> None:
        """Hand out no trial until somebody resumes the session."""
        self._call("POST", "/pause", {"why": why, "by": by})

    def resume(self, *, by: str | None = None) -> None:
        """Go on with a session that was paused, ended or archived."""
        self._call("POST", "/resume", {"by": by})

    def block(self, skill: str, why: str = "", *, by: str | None = None) -> None:
        """Let no trial use a skill."""
        self._call("POST", "/block", {"skill": skill, "why": why, "by": by})

    def unblock(self, skill: str, *, by: str | None = None) -> None:
        """Let trials use a skill again."""
        self._call("POST", "/unblock", {"skill": skill, "by": by})

    def end(self, why: str = "", *, by: str | None = None) -> None:
        """End the session before its budget is spent."""
        self._call("POST", "/end", {"why": why, "by": by})

    def archive(self, *, by: str | None = None) -> None:
        """Put the session away."""
        self._call("POST", "/archive", {"by": by})

    def refund(self, trial_id: int, *, by: str | None = None) -> None:
        """Refund the cost of an aborted trial, once."""
        self._call("POST", f"/trials/{trial_id}/refund", {"by": by}, once=True)

    def extend(self, units: int) -> None:
        """Add units to the budget."""
        self._call("POST", "/extend", {"budget": units}, once=True)

    def _remember(self, answer: Mapping[str, Any]) -> None:
        self._idle, state = None, answer.get("state")
        if state:
            self._idle = Idle(state, answer["reason"], answer["trial"])
            self._open = answer["open"]

    def _call(self, method: str, path: str, body: Any = None, **options: Any) -> dict[str, Any]:
        return self._request(method, self._path + path, body, **options)

    def _request(self, method: str, path: str, body: Any, **options: Any) -> dict[str, Any]:
        try:
            return self._connection.call(method, path, body, **options)
        except ServiceError as error:
            raise RemoteError(str(error), error.status) from None
        except Unreachable as error:
            raise RemoteError(str(error)) from None


def _label(
    outcome: str,
    at: str | None,
    score: float | None,
    measurements: Mapping[str, float] | None,
    executed: Sequence[tuple[str, bool]] | None,
    by: str | None,
) -> dict[str, Any]:
    steps = None
    if executed is not None:
        steps = [{"skill": skill, "success": bool(success)} for skill, success in executed]
    return {
        "outcome": outcome,
        "at": at,
        "score": None if score is None else float(score),
        "measurements": None
        if measurements is None
        else {name: float(value) for name, value in measurements.items()},
        "executed": steps,
        "by": by,
    }
