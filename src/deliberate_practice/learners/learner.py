"""What a learner is: it proposes parameters and sees how they did."""

from __future__ import annotations

from typing import Protocol

from deliberate_practice.foundation.arrays import FloatArray

GENERATION = 6
"""Attempts of one generation, the paper's N."""


class Learner(Protocol):
    """Learns one policy's parameters; deterministic given its seed and what it was told."""

    def candidate(self, index: int) -> FloatArray:
        """Parameters of a candidate of the present generation, 0 <= index < GENERATION."""
        ...

    def explores(self, index: int) -> bool:
        """Whether a candidate is a sample, not what would be deployed anyway."""
        ...

    def tell(self, index: int, success: bool, score: float | None = None) -> None:
        """How a candidate did; the last one of a generation updates the learner."""
        ...

    def untold(self) -> list[int]:
        """Candidates of the present generation that were not told yet, ascending."""
        ...

    @property
    def best(self) -> FloatArray:
        """The parameters to deploy."""
        ...
