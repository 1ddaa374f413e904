"""The results of one generation, whatever order they come in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.learners.learner import GENERATION


@dataclass(frozen=True)
class Told:
    """How one candidate did."""

    success: bool
    score: float | None


class Generation:
    """Collects what is told about the candidates of one generation."""

    def __init__(self) -> None:
        self._told: dict[int, Told] = {}

    def tell(self, index: int, told: Told) -> None:
        """Note how a candidate did.

        Raises:
            ArgumentError: There is no such candidate, or it was told before.
        """
        if index not in self.untold():
            raise ArgumentError(
                f"index: {index!r} is not an untold candidate of this generation; "
                f"those are: {', '.join(map(str, self.untold())) or 'none'}."
            )
        self._told[index] = told

    def succeeded(self, index: int) -> bool | None:
        """How a candidate did; None if it was not told yet."""
        told = self._told.get(index)
        return told.success if told else None

    def untold(self) -> list[int]:
        """Candidates that were not told yet, ascending."""
        return [index for index in range(GENERATION) if index not in self._told]

    @property
    def all_equal(self) -> bool:
        """Whether no candidate did better than another."""
        return len(set(self._told.values())) == 1

    def ranking(self, rng: np.random.Generator) -> list[int]:
        """Candidates from best to worst; equals in random order."""
        tie = rng.permutation(GENERATION)

        def badness(index: int) -> tuple[bool, bool, float, int]:
            told = self._told[index]
            return (not told.success, told.score is None, -(told.score or 0.0), int(tie[index]))

        return sorted(range(GENERATION), key=badness)
