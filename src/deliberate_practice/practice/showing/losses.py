"""Composition gaps as people read them: the points that a skill loses right after another one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deliberate_practice.practice.replay import State


@dataclass(frozen=True)
class Loss:
    """A pair of policies that followed each other.

    Attributes:
        before: The policy that was executed first.
        policy: The policy that was executed right after it.
        points: Expected loss of its success rate [percentage points].
        low, high: Ends of the 80 % band of that.
        executions, successes: How often it was executed there, and how often it succeeded.
    """

    before: str
    policy: str
    points: float
    low: float
    high: float
    executions: int
    successes: int

    @property
    def text(self) -> str:
        """The loss in words.

        >>> Loss("Pick", "Place", 24.2, 10.0, 40.0, 12, 8).text
        'Pick then Place: 24 points lost, 80 % 10 to 40 (8 of 12 succeeded)'
        """
        return (
            f"{self.before} then {self.policy}: {self.points:.0f} points lost, 80 % {self.low:.0f} "
            f"to {self.high:.0f} ({self.successes} of {self.executions} succeeded)"
        )


def losses_seen(state: State) -> Iterator[Loss]:
    """Every pair with evidence, once a plan was probed: the largest loss first."""
    competences = state.competences
    pairs = sorted(state.gaps.pairs(), key=lambda pair: -pair.gap * competences[pair.policy])
    for pair in pairs:
        points = 100 * competences[pair.policy]
        yield Loss(
            pair.before,
            pair.policy,
            points * pair.gap,
            points * pair.low,
            points * pair.high,
            pair.executions,
            pair.successes,
        )
