"""The stated curve of a policy, in the form that all beliefs share."""

from __future__ import annotations

from dataclasses import dataclass

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.task.model import Policy


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
