"""The learner of a policy without parameters: there is nothing to choose, only to count."""

from __future__ import annotations

from collections.abc import Mapping

from deliberate_practice.beliefs.belief import EvidenceModel
from deliberate_practice.learners.generation import Generation, Told
from deliberate_practice.learners.learner import Candidate
from deliberate_practice.strategies.strategy import ROUND
from deliberate_practice.task.outcome import Outcome


class NoParameters:
    """Proposes no values, round after round."""

    evidence: EvidenceModel = "curve"
    deployed: Mapping[str, float] = {}

    def __init__(self) -> None:
        self._generation = _generation(0)

    @property
    def parallel(self) -> int:
        """Candidates of the present round that were not told yet."""
        return self._generation.untold

    def ask(self) -> Candidate | None:
        """The next attempt of the round; every attempt is practice."""
        return self._generation.ask()

    def tell(self, id: int, outcome: Outcome, score: float | None = None) -> None:
        """Count; the last attempt of a round opens the next."""
        self._generation.tell(id, Told(outcome == "success", score))
        if not self._generation.untold:
            self._generation = _generation(self._generation.first + ROUND)


def _generation(first: int) -> Generation[Candidate]:
    return Generation(first, [Candidate(first + i, {}) for i in range(ROUND)])
