"""The learner of a policy without parameters: there is nothing to choose, only to count."""

from __future__ import annotations

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.learners.generation import Generation, Told


class NoParameters:
    """Proposes the empty vector, in generations of 6 like any learner."""

    def __init__(self) -> None:
        self._generation = Generation()

    def candidate(self, index: int) -> FloatArray:
        """No parameters."""
        return np.zeros(0)

    def explores(self, index: int) -> bool:
        """Every attempt is practice."""
        return True

    def tell(self, index: int, success: bool, score: float | None = None) -> None:
        """Count; the last one of a generation opens the next."""
        self._generation.tell(index, Told(success, score))
        if not self._generation.untold():
            self._generation = Generation()

    def untold(self) -> list[int]:
        """Candidates of the present generation that were not told yet, ascending."""
        return self._generation.untold()

    @property
    def best(self) -> FloatArray:
        """No parameters."""
        return np.zeros(0)
