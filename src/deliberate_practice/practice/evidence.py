"""From single attempts to the batches that a belief sees.

The attempts of one policy in one round are one batch, even if they are far apart. An unfinished
round counts at once, as a batch that is replaced when further attempts are told. Executions
of deployed policies (on an approach, or in an evaluation) are batches of their own, closed at every
decision, and so are the tests of a round once they are told; they are evidence, but not practice.
A training run is a batch without attempts. Demonstrations are no evidence at all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from deliberate_practice.beliefs.belief import Batch, Belief, Tests
from deliberate_practice.foundation.blame import blamed
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.strategies.strategy import ROUND


class Evidence:
    """Collects attempts; the belief is computed when it is needed.

    Args:
        prior: Makes the belief before any attempt.
    """

    def __init__(self, prior: Callable[[], Belief]) -> None:
        self._prior = prior
        self._settled: Belief | None = None
        self._closed: list[Batch] = []
        self._known: list[Batch] = []
        self._explored: dict[str, Batch] = {}
        self._deployed: dict[str, Batch] = {}
        self._tested: dict[str, Batch] = {}
        self._belief: Belief | None = None

    def explored(self, policy: str, before: int, success: bool) -> None:
        """An attempt with a sample of the learner, after ``before`` others."""
        self._add(self._explored, Batch(policy, before, 1, int(success)))

    def deployed(self, policy: str, before: int, success: bool) -> None:
        """An execution of the deployed policy, after ``before`` attempts."""
        self._add(self._deployed, Batch(policy, before, 1, int(success), explore=False))

    def tested(self, policy: str, before: int, success: bool) -> None:
        """A test of the deployed policy, after ``before`` attempts."""
        self._add(self._tested, Batch(policy, before, 1, int(success), explore=False, test=True))

    def trained(self, policy: str, demonstrations: int) -> None:
        """A training run made a new version; everything seen before belongs to older ones."""
        for open_ones in (self._deployed, self._tested):
            if policy in open_ones:
                self._closed.append(open_ones.pop(policy))
        self._closed.append(Batch(policy, demonstrations, 0, 0, explore=False, training=True))
        self._belief = None

    def close_round(self, policy: str, *, last: bool) -> None:
        """Close the round of a policy after its last attempt, or when it is full."""
        batch = self._explored.get(policy)
        if batch and (last or batch.attempts >= ROUND):
            self._closed.append(self._explored.pop(policy))

    def close_deployed(self, under_test: Collection[str] = ()) -> None:
        """Close the batches of deployed executions, because a decision is made.

        Args:
            under_test: Policies whose tests are not all told; their batches stay open.
        """
        tested = [batch for batch in self._tested.values() if batch.policy not in under_test]
        closed = [*self._deployed.values(), *tested]
        if not closed:  # the belief stays as it is, with all that it has computed
            return
        self._closed += closed
        self._deployed, self._belief = {}, None
        for batch in tested:
            del self._tested[batch.policy]

    @property
    def belief(self) -> Belief:
        """The present belief."""
        if self._belief is None:
            with blamed("the belief"):
                belief = self._prior() if self._settled is None else self._settled
                for batch in self._closed:
                    belief = belief.after(batch)
                self._known += self._closed
                self._settled, self._closed = belief, []
                for batch in self._open:
                    belief = belief.after(batch)
            self._belief = belief
        return self._belief

    @property
    def tests(self) -> Tests:
        """The tests that the belief asks for; none if it does not say.

        Raises:
            ArgumentError: What it says makes no sense.
        """
        with blamed("the belief"):
            tests = getattr(self.belief, "tests", Tests())
        if not isinstance(tests, Tests):
            raise ArgumentError(
                f"the belief: its tests {tests!r} are not valid; give Tests(number, charged)."
            )
        return tests

    def competence(self, policy: str) -> tuple[float, float]:
        """Mean and standard deviation of a policy's present competence."""
        belief = self.belief
        with blamed("the belief"):
            return belief.competence(policy), float(belief.band(policy, 0)[0])

    @property
    def batches(self) -> dict[str, tuple[Batch, ...]]:
        """Everything that the belief has seen, by policy, oldest first."""
        seen = _by_policy([*self._known, *self._closed, *self._open])
        return {mine[0].policy: tuple(mine) for mine in seen}

    @property
    def _open(self) -> list[Batch]:
        """Batches that are not closed, in the order in which they were seen of each policy."""
        open_ones = (self._deployed, self._tested, self._explored)
        seen = _by_policy([batch for one in open_ones for batch in one.values()])
        return [batch for mine in seen for batch in sorted(mine, key=lambda one: one.before)]

    def _add(self, batches: dict[str, Batch], one: Batch) -> None:
        known = batches.get(one.policy, replace(one, attempts=0, successes=0))
        batches[one.policy] = replace(
            known,
            attempts=known.attempts + one.attempts,
            successes=known.successes + one.successes,
        )
        self._belief = None


def _by_policy(batches: Sequence[Batch]) -> list[list[Batch]]:
    """The batches of each policy, in the order in which policies occur."""
    names = dict.fromkeys(batch.policy for batch in batches)
    return [[batch for batch in batches if batch.policy == name] for name in names]
