"""A belief of your own: it sees attempts and predicts each policy's learning curve.

Run it with ``python examples/own_belief.py``. It compares the new belief with ours.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import deliberate_practice as dp
from deliberate_practice.testing import check_belief


@dataclass(frozen=True)
class CountingBelief(dp.Belief):
    """Competence is the success rate so far; practice closes a part of the gap to 1.

    The stated competence counts as ``weight`` attempts. ``dp.Belief`` adds ``competence``, ``band``
    and ``mixture`` of a belief that claims no uncertainty.

    Attributes:
        seen: Attempts and successes of each policy that is practised.
        stated: Competence of every policy before practice.
        rate: Part of the gap that one attempt closes.
    """

    seen: Mapping[str, tuple[float, float]]
    stated: Mapping[str, float]
    rate: float

    @property
    def policies(self) -> list[str]:
        """Names of all policies of the task."""
        return list(self.stated)

    def after(self, batch: dp.Batch) -> "CountingBelief":
        """A new belief; a belief itself never changes."""
        if batch.policy not in self.seen:
            return self  # it is not practised, so it keeps its stated competence
        attempts, successes = self.seen[batch.policy]
        counted = (attempts + batch.attempts, successes + batch.successes)
        return replace(self, seen={**self.seen, batch.policy: counted})

    def curve(self, policy: str, attempts: int) -> NDArray[np.float64]:
        """Competence after 0, 1, ..., ``attempts`` more attempts; it never decreases."""
        if policy not in self.seen:
            return np.full(attempts + 1, self.stated[policy])
        tried, succeeded = self.seen[policy]
        return 1 - (1 - succeeded / tried) * np.exp(-self.rate * np.arange(attempts + 1.0))


def counting(
    task: dp.Task, evidence: object, *, weight: float = 6.0, rate: float = 0.03
) -> CountingBelief:
    """The belief before practice. It sees all learners alike, whatever their ``evidence``."""
    stated = {name: policy.competence for name, policy in task.policies.items()}
    practised = [name for name, policy in task.policies.items() if policy.practisable]
    seen = {name: (weight, weight * stated[name]) for name in practised}
    return CountingBelief(seen, stated, rate)


dp.register_belief("counting", counting)

if __name__ == "__main__":
    check_belief(counting)
    for belief in ("bayes", "running-average:charged=false", "counting", "counting:weight=20"):
        done = dp.run("cleanup", "curves", 150, belief=belief, approach="free", journal=None)
        print(f"{belief:29}  aims for {done.goal:6}  reward {done.reward_after:.3f}")
