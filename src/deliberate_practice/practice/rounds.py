"""Rounds of practice that were not tested yet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Untested:
    """Attempts of one policy since its last tests.

    Attributes:
        attempts: How many.
        complete: Whether their round is complete.
        decision: Number of the decision that granted the latest of them.
        asked: Tests of them that were asked so far.
    """

    attempts: int = 0
    complete: bool = False
    decision: int = 0
    asked: int = 0
