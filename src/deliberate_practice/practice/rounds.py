"""Rounds of practice that were not tested yet, or that wait for a training run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from deliberate_practice.strategies.strategy import ROUND


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

    def with_attempt(self, decision: int, more: int) -> Untested:
        """The same with one more attempt, after which ``more`` candidates may be out.

        A round is complete if the learner begins another, or if it has no rounds, by its number.
        """
        attempts = self.attempts + 1
        complete = self.complete or more > 0 or (more == 0 and attempts >= ROUND)
        return Untested(attempts, complete, decision, self.asked)


@dataclass(frozen=True)
class Untrained:
    """Demonstrations of one policy that no finished training run has used.

    Attributes:
        recorded: How many; unusable ones do not count.
        decision: Number of the decision that granted the latest of them.
        tried: Whether a training run with exactly these did not finish: the next one waits for
            further demonstrations.
    """

    recorded: int = 0
    decision: int = 0
    tried: bool = False

    @property
    def waits(self) -> bool:
        """Whether there is anything to train with."""
        return self.recorded > 0 and not self.tried


@dataclass
class Collected:
    """The demonstrations of every policy that wait for a training run."""

    by_policy: dict[str, Untrained] = field(default_factory=dict)

    def of(self, policy: str) -> Untrained:
        """Those of one policy."""
        return self.by_policy.get(policy, Untrained())

    def asked(self, policy: str, decision: int) -> None:
        """A decision grants a demonstration."""
        self.by_policy[policy] = replace(self.of(policy), decision=decision)

    def told(self, policy: str, *, usable: bool) -> None:
        """Keep a demonstration, if it can be used."""
        if usable:
            known = self.of(policy)
            self.by_policy[policy] = replace(known, recorded=known.recorded + 1, tried=False)

    def trained(self, policy: str, *, finished: bool) -> int:
        """A training run has used all demonstrations, if it finished: how many.

        Otherwise the old version stays, and they wait for more.
        """
        known = self.of(policy)
        if finished:
            self.by_policy.pop(policy, None)
            return known.recorded
        self.by_policy[policy] = replace(known, tried=True)
        return 0
