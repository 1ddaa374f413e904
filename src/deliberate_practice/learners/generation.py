"""One generation of a learner: its candidates and their outcomes, told in any order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from deliberate_practice.foundation.errors import ArgumentError

Proposal = TypeVar("Proposal")


@dataclass(frozen=True)
class Told:
    """The outcome of one candidate."""

    success: bool
    score: float | None


class Generation(Generic[Proposal]):
    """Hands out the candidates of one generation, and collects their outcomes.

    Args:
        first: Number of the first candidate.
        proposals: The proposals, one for each candidate.
    """

    def __init__(self, first: int, proposals: Sequence[Proposal]) -> None:
        self.first = first
        self._proposals = proposals
        self._asked = 0
        self._told: dict[int, Told] = {}

    @property
    def untold(self) -> int:
        """Candidates that were not told yet."""
        return len(self._proposals) - len(self._told)

    def ask(self) -> Proposal | None:
        """The next proposal; None if all are out."""
        if self._asked == len(self._proposals):
            return None
        self._asked += 1
        return self._proposals[self._asked - 1]

    def tell(self, number: int, told: Told) -> None:
        """Record the outcome of a candidate.

        Raises:
            ArgumentError: It was not asked, or was told before.
        """
        index = number - self.first
        if not 0 <= index < self._asked or index in self._told:
            out = [self.first + i for i in range(self._asked) if i not in self._told]
            raise ArgumentError(
                f"id: {number!r} is not the number of a candidate that is out; those are: "
                f"{', '.join(map(str, out)) or 'none'}."
            )
        self._told[index] = told

    def succeeded(self, index: int) -> bool | None:
        """Whether the candidate at a place of the generation succeeded; None if not told yet."""
        told = self._told.get(index)
        return told.success if told else None

    @property
    def all_equal(self) -> bool:
        """Whether no candidate did better than another."""
        return len(set(self._told.values())) == 1

    def ranking(self, rng: np.random.Generator) -> list[int]:
        """Candidates from best to worst, by place; equals in random order."""
        tie = rng.permutation(len(self._proposals))

        def badness(index: int) -> tuple[bool, bool, float, int]:
            told = self._told[index]
            return (not told.success, told.score is None, -(told.score or 0.0), int(tie[index]))

        return sorted(range(len(self._proposals)), key=badness)
