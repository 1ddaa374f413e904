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
        pace: Mean slope until half of the gain is reached [1/attempt].
    """

    start: float
    rate: float
    ceiling: float
    pace: float


def stated(policy: Policy) -> Stated:
    """Start, slopes and ceiling of the curve that a policy states.

    An exponential curve's initial slope is rate (ceiling - competence), and half of its gain takes
    ln 2 / rate attempts. A table's ceiling is its last value, and both slopes are its mean slope
    until half of its gain is reached.

    >>> from deliberate_practice.task.curves import Exponential
    >>> found = stated(Policy("Push", 0.5, Exponential(rate=0.05), None, 1, (), ("Push",)))
    >>> found.start, found.rate, found.ceiling, round(found.pace, 4)
    (0.5, 0.025, 1.0, 0.018)
    """
    curve = policy.curve
    if curve is None:
        raise ArgumentError(f"policy '{policy.name}' has no curve; it is not practised.")
    p = policy.competence
    return Stated(curve.start(p), curve.initial_slope(p), curve.ceiling, curve.mean_slope(p))


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
