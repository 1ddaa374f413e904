"""The learner of a policy without parameters: there is nothing to choose, only to count.

Nothing can be drawn anew for an attempt that the robot refuses either: it is tried again, in a
trial with another seed.
"""

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
        self._generation = Generation(0, ROUND)

    @property
    def parallel(self) -> int:
        """Candidates of the present round that were not told yet."""
        return self._generation.untold

    def ask(self) -> Candidate | None:
        """The next attempt of the round; every attempt is practice."""
        asked = self._generation.ask()
        return Candidate(asked[0], {}) if asked else None

    def tell(self, id: int, outcome: Outcome, score: float | None = None) -> None:
        """Count; the last attempt of a round opens the next."""
        if outcome == "refused":
            self._generation.refuse(id)
            return
        self._generation.tell(id, Told(outcome == "success", score))
        if not self._generation.untold:
            self._generation = Generation(self._generation.end, ROUND)
