"""What a journal holds: everything that was decided, asked and told, in order."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deliberate_practice.practice.robot import Approach, Earnings, Result, Step, Trial


@dataclass(frozen=True)
class Decided:
    """The strategy named a policy, and some episodes were granted to it.

    Attributes:
        number: Number of the decision, from 1.
        policy: What to practise.
        skill: The skill to practise it with.
        approach: Skills that lead to it.
        share: Episodes the strategy meant it to get.
        granted: Episodes it gets before the next decision.
        attempts_before: Attempts the policy had behind it.
        plan: Skills of the plan that it serves, if the strategy named one.
        continues: Whether it goes on with the share of the decision before it.
        why: What spoke for it.
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


@dataclass(frozen=True)
class Asked:
    """A trial was handed out.

    Attributes:
        trial: All that the robot is told.
        cost: Budget units it takes; 0 for an evaluation.
        decision: The decision it belongs to; None for an evaluation.
        candidate: The learner's number for the candidate; None for an evaluation.
    """

    trial: Trial
    cost: int
    decision: int | None
    candidate: int | None


@dataclass(frozen=True)
class Told:
    """What happened in a trial."""

    trial: int
    result: Result


@dataclass(frozen=True)
class Refunded:
    """An aborted trial was given back to the budget."""

    trial: int


@dataclass(frozen=True)
class Extended:
    """The budget grew."""

    units: int


@dataclass(frozen=True)
class Executed:
    """The robot said what its own plan earns, exact or by executing it from several starts.

    That costs nothing and teaches the robot nothing.

    Attributes:
        spent: Budget units spent by then.
        goal: What the plan aims for; None if the robot would do nothing.
        plan: The skills of the plan.
        earnings: What it earned.
    """

    spent: int
    goal: str | None
    plan: tuple[str, ...]
    earnings: Earnings


Event = Decided | Asked | Told | Refunded | Extended | Executed

KINDS: dict[str, type[Event]] = {
    "decide": Decided,
    "ask": Asked,
    "tell": Told,
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
        return Decided(**{**data, "approach": tuple(data["approach"]), "plan": tuple(data["plan"])})
    if kind == "ask":
        return Asked(**{**data, "trial": _trial(data["trial"])})
    if kind == "tell":
        return Told(data["trial"], Result(**data["result"]))
    if kind == "execute":
        earned = data["earnings"]
        interval = earned["interval"] and tuple(earned["interval"])
        earnings = Earnings(
            **{**earned, "interval": interval, "successes": tuple(earned["successes"])}
        )
        return Executed(**{**data, "plan": tuple(data["plan"]), "earnings": earnings})
    return KINDS[kind](**data)


def _trial(data: dict[str, Any]) -> Trial:
    route = tuple(Step(**step) for step in data["approach"]["route"])
    return Trial(**{**data, "approach": Approach(route), "attempt": Step(**data["attempt"])})
