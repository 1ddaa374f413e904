"""A learner proposes parameters for one policy and is told how they did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from deliberate_practice.beliefs.belief import EvidenceModel
from deliberate_practice.task.outcome import Outcome


@dataclass(frozen=True)
class Candidate:
    """Parameters to try.

    Attributes:
        id: The learner's own number for it, different for all its candidates.
        values: Value of each parameter, within its bounds.
        explores: Whether it is a sample; False if it is what the learner would deploy anyway.
    """

    id: int
    values: Mapping[str, float]
    explores: bool = True


class Learner(Protocol):
    """Learns the parameters of one policy.

    A learner is deterministic: one that is asked and told the same again proposes the same again,
    bit for bit, in another process too. That is how a session goes on after a power cut.

    Attributes:
        evidence: Which model describes how the policy improves, for beliefs. ``search``: successes
            are rare at first, and the deployed parameters come from them. ``curve``: attempts
            succeed about as often as the deployed parameters would, and that rises with practice.
    """

    evidence: EvidenceModel

    @property
    def parallel(self) -> int:
        """Candidates that may be out at once now: asked or to be asked, and not told yet.

        A decision grants at most so many attempts, so this is also the length of a round.
        """
        ...

    @property
    def deployed(self) -> Mapping[str, float]:
        """The parameters that the robot uses when it does not explore."""
        ...

    def ask(self) -> Candidate | None:
        """The next candidate; None if as many as :attr:`parallel` says are out."""
        ...

    def tell(self, id: int, outcome: Outcome, score: float | None) -> None:
        """How a candidate did: ``success`` or ``failure``, with a score if there is one.

        A candidate that was never tried, since its approach failed, is not told: it is tried again.
        Candidates may be told in any order.
        """
        ...
