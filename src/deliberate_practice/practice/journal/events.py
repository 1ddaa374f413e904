"""The events of a journal: everything that was decided, asked and told, in order."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deliberate_practice.practice.robot import Approach, Choice, Earnings, Result, Step, Trial


@dataclass(frozen=True)
class Decided:
    """The strategy chose a policy, which was granted some episodes.

    Attributes:
        number: Number of the decision, from 1.
        policy: The policy to practise.
        skill: The skill to practise it with.
        approach: The skills of the route to it.
        failing: Positions of skills on the route whose failure leads on.
        rule: The skill to execute in each state that may be met on the way, if the route does not
            say everything.
        limit: The most executions on the way.
        share: Episodes that the strategy intends for it.
        granted: Episodes that it gets before the next decision.
        attempts_before: Attempts of the policy before this decision.
        plan: Skills of the plan that it serves, if the strategy named one.
        continues: Whether it goes on with the share of the decision before it.
        why: The reasons.
        start: The start state in which its episodes begin, if the task has several starts.
        left: Budget units that were left.
        now, after: Believed competence of the policy now, and after its share.
        evaluations: Evaluations after the training run, if it is trained elsewhere.
        probe: Whether it is no practice, but one execution of the whole plan.
    """

    number: int
    policy: str
    skill: str
    approach: tuple[str, ...]
    share: int
    granted: int
    attempts_before: int
    plan: tuple[str, ...]
    continues: bool
    why: Mapping[str, object]
    start: Mapping[str, str] = field(default_factory=dict)
    failing: tuple[int, ...] = ()
    rule: tuple[tuple[Mapping[str, str], str], ...] = ()
    limit: int = 0
    left: int = 0
    now: float = 0.0
    after: float = 0.0
    evaluations: int = 0
    probe: bool = False

    @property
    def executed(self) -> set[str]:
        """The skills that its trials may execute."""
        return {self.skill, *self.approach, *(skill for _, skill in self.rule)}


@dataclass(frozen=True)
class Asked:
    """A trial was handed out.

    Attributes:
        trial: The trial.
        cost: Its cost in budget units; 0 for an evaluation and an uncharged test.
        decision: The decision it belongs to; None for an evaluation.
        candidate: The learner's number for the candidate; None for a test and an evaluation.
        robot: The robot that asked for it, if it has a name.
        probe: Whether it executes the whole plan to see how its skills work together.
    """

    trial: Trial
    cost: int
    decision: int | None
    candidate: int | None
    robot: str | None = None
    probe: bool = False


@dataclass(frozen=True)
class Clocked:
    """A reading of the clock, in a session whose budget is time.

    Attributes:
        left: Seconds that all robots together had left, open trials apart.
        each: Seconds until the end, which each of them had left.
    """

    left: int
    each: int


@dataclass(frozen=True)
class Told:
    """What happened in a trial, who labelled it, and the robot that ran it, if that is known.

    The version is the name of what a training run made, if somebody gave it one.
    """

    trial: int
    result: Result
    by: str | None = None
    robot: str | None = None
    version: str | None = None


@dataclass(frozen=True)
class Readied:
    """Somebody has set the scene of a trial: its robot may move.

    Attributes:
        trial: The trial.
        robot: The robot that waits for it.
        by: Who said so.
    """

    trial: int
    robot: str
    by: str | None = None


@dataclass(frozen=True)
class Corrected:
    """What really happened in a trial that was told wrongly."""

    trial: int
    result: Result
    by: str | None = None


@dataclass(frozen=True)
class Handed:
    """An open trial passed to another asker."""

    trial: int
    asker: str


@dataclass(frozen=True)
class Noted:
    """Somebody wrote a note, on the session or on one of its trials."""

    text: str
    trial: int | None = None
    by: str | None = None


@dataclass(frozen=True)
class Paused:
    """No trial is handed out until somebody resumes the session."""

    why: str = ""
    by: str | None = None


@dataclass(frozen=True)
class Resumed:
    """A session that was paused, ended or archived goes on."""

    by: str | None = None


@dataclass(frozen=True)
class Blocked:
    """A skill cannot be executed for now, so no trial uses it."""

    skill: str
    why: str = ""
    by: str | None = None


@dataclass(frozen=True)
class Unblocked:
    """A skill can be executed again."""

    skill: str
    by: str | None = None


@dataclass(frozen=True)
class Ended:
    """Somebody ended the session before its budget was spent."""

    why: str = ""
    by: str | None = None


@dataclass(frozen=True)
class Archived:
    """The session was put away: lists leave it out."""

    by: str | None = None


@dataclass(frozen=True)
class Refunded:
    """The cost of an aborted trial was refunded."""

    trial: int
    by: str | None = None


@dataclass(frozen=True)
class Extended:
    """The budget grew."""

    units: int


@dataclass(frozen=True)
class Executed:
    """The reward of the robot's own plan was computed, or measured by executions.

    This costs no budget and is no evidence for the belief.

    Attributes:
        spent: Budget units spent by then.
        goal: The goal of the plan; None if the robot would do nothing.
        plan: The skills of the plan.
        earnings: Its reward.
    """

    spent: int
    goal: str | None
    plan: tuple[str, ...]
    earnings: Earnings


Operation = Paused | Resumed | Blocked | Unblocked | Ended | Archived | Noted
"""What people do with a session; it changes neither budget nor belief."""

Event = (
    Decided
    | Asked
    | Told
    | Corrected
    | Handed
    | Readied
    | Clocked
    | Refunded
    | Extended
    | Executed
    | Operation
)

KINDS: dict[str, type[Event]] = {
    "decide": Decided,
    "ask": Asked,
    "tell": Told,
    "correct": Corrected,
    "hand": Handed,
    "ready": Readied,
    "clock": Clocked,
    "note": Noted,
    "pause": Paused,
    "resume": Resumed,
    "block": Blocked,
    "unblock": Unblocked,
    "end": Ended,
    "archive": Archived,
    "refund": Refunded,
    "extend": Extended,
    "execute": Executed,
}

_NAMES = {kind: name for name, kind in KINDS.items()}


def encode(event: Event) -> tuple[str, str]:
    """Kind and JSON text of an event; numbers keep every bit."""
    return _NAMES[type(event)], _ENCODER.encode(_fields(event))


def _fields(value: object) -> dict[str, object]:
    """The fields of an event or of a value in it, in their order, without copying them."""
    if not dataclasses.is_dataclass(value):
        raise TypeError(f"{value!r} cannot be kept in a journal")
    return vars(value)


_ENCODER = json.JSONEncoder(allow_nan=False, default=_fields)


def decode(kind: str, text: str) -> Event:
    """The event that :func:`encode` wrote."""
    data = json.loads(text)
    if kind == "decide":
        lists = {key: tuple(data.get(key, ())) for key in ("approach", "plan", "failing")}
        rule = tuple((when, skill) for when, skill in data.get("rule", ()))
        return Decided(**{**data, **lists, "rule": rule})
    if kind == "ask":
        return Asked(**{**data, "trial": _trial(data["trial"])})
    if kind in ("tell", "correct"):
        executed = data["result"].get("executed")
        pairs = None if executed is None else tuple((skill, ok) for skill, ok in executed)
        return KINDS[kind](**{**data, "result": Result(**{**data["result"], "executed": pairs})})
    if kind == "execute":
        earned = data["earnings"]
        interval = earned["interval"] and tuple(earned["interval"])
        earnings = Earnings(
            **{**earned, "interval": interval, "successes": tuple(earned["successes"])}
        )
        return Executed(**{**data, "plan": tuple(data["plan"]), "earnings": earnings})
    return KINDS[kind](**data)


def _trial(data: dict[str, Any]) -> Trial:
    stored = data["approach"]
    approach = Approach(
        tuple(Step(**step) for step in stored["route"]),
        stored.get("start", {}),
        tuple(Choice(row["when"], Step(**row["step"])) for row in stored.get("rule", ())),
        stored.get("limit", 0),
        stored.get("until", {}),
    )
    return Trial(**{**data, "approach": approach, "attempt": Step(**data["attempt"])})
