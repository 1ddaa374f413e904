"""The learner of a policy that is trained elsewhere: it counts demonstrations."""

from __future__ import annotations

from collections.abc import Mapping

from deliberate_practice.beliefs.belief import EvidenceModel
from deliberate_practice.foundation.checks import LARGEST_BUDGET
from deliberate_practice.learners.learner import Candidate
from deliberate_practice.task.outcome import Outcome


class External:
    """Proposes one demonstration after the other; any number may be under way at once."""

    evidence: EvidenceModel = "training"
    parallel = LARGEST_BUDGET
    deployed: Mapping[str, float] = {}

    def __init__(self) -> None:
        self._asked = 0

    def ask(self) -> Candidate | None:
        """The next demonstration."""
        self._asked += 1
        return Candidate(self._asked, {})

    def tell(self, id: int, outcome: Outcome, score: float | None = None) -> None:
        """Nothing is learned before a training run."""
