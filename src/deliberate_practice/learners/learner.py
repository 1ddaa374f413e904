"""The contract of learners: they propose parameters for one policy and are told the outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from deliberate_practice.beliefs.belief import EvidenceModel
from deliberate_practice.task.outcome import Outcome


@dataclass(frozen=True)
class Candidate:
    """Parameters to try.

    Attributes:
        id: The learner's own number for it, different for all its candidates.
        values: Value of each parameter, within its bounds.
        explores: Whether it is a sample; False for the deployed parameters.
    """

    id: int
    values: Mapping[str, float]
    explores: bool = True


class Learner(Protocol):
    """Learns the parameters of one policy.

    A learner is deterministic: asked and told the same, it proposes the same candidates, bit for
    bit, also in another process. Resuming a session depends on it.

    Attributes:
        evidence: The evidence model, which beliefs use for this policy. ``search``: successes
            are rare at first, and the deployed parameters come from them. ``curve``: attempts
            succeed about as often as the deployed parameters would, and that rises with practice.
            ``training``: attempts are demonstrations, and only training runs improve the policy.
    """

    evidence: EvidenceModel

    @property
    def parallel(self) -> int:
        """Candidates that may be out at once now: asked or to be asked, and not told yet.

        A decision grants at most this many attempts, so this is also the length of a round.
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
        """Record the outcome of a candidate, ``success`` or ``failure``, with its score if any.

        ``refused`` means that the robot cannot execute these values, and that they were not tried.
        The learner has nothing to learn from it, and proposes another candidate in its place when
        it is asked the next time: :attr:`parallel` counts that one as still to come.

        A candidate whose approach failed is not told: it will be tried again.
        Candidates may be told in any order.
        """
        ...


@runtime_checkable
class Adaptive(Learner, Protocol):
    """A learner that can be told about other values than those it proposed.

    After a label is corrected, the learner is told everything anew, and would have proposed other
    candidates than those that were tried. A learner without this method then learns nothing from
    the attempts between the wrong label and its correction.
    """

    def substitute(self, tried: Candidate) -> None:
        """Other values were tried in the place of a candidate that is out; its number stays."""
        ...
