"""The stated curve of a policy, in the form that all beliefs share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from deliberate_practice.foundation.errors import ArgumentError, choose_from
from deliberate_practice.task.model import Policy

Known = TypeVar("Known")


@dataclass(frozen=True)
class Stated:
    """The stated curve of a policy, whatever its kind.

    Attributes:
        start: Competence before practice.
        rate: Initial slope [1/attempt].
        ceiling: Competence after endless practice.
    """

    start: float
    rate: float
    ceiling: float


def stated(policy: Policy) -> Stated:
    """Start, initial slope and ceiling of the curve that a policy states.

    An exponential curve's slope is rate (ceiling - competence). A table's ceiling is its last
    value, and its rate the mean slope until half of its gain is reached.

    >>> from deliberate_practice.task.curves import Exponential
    >>> stated(Policy("Push", 0.5, Exponential(rate=0.05), None, 1, (), ("Push",)))
    Stated(start=0.5, rate=0.025, ceiling=1.0)
    """
    curve = policy.curve
    if curve is None:
        raise ArgumentError(f"policy '{policy.name}' has no curve; it is not practised.")
    start = policy.competence
    return Stated(curve.start(start), curve.initial_slope(start), curve.ceiling)


def known_of(
    policy: str, practised: Mapping[str, Known], constants: Mapping[str, float]
) -> Known | None:
    """What a belief knows about a practised policy; None of one that stays as stated.

    Raises:
        ArgumentError: There is no such policy.
    """
    if policy in constants:
        return None
    if policy not in practised:
        raise ArgumentError("policy: " + choose_from(policy, practised))
    return practised[policy]
