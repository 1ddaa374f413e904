"""A belief: competence moves towards every batch's success rate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import deliberate_practice as dp


@dataclass(frozen=True)
class Latest(dp.Belief):
    """Weighs the latest attempts most.

    Attributes:
        rates: Competence of every policy as it is believed to be now.
        practised: Policies that practice may change.
        weight: Of one attempt.
    """

    rates: Mapping[str, float]
    practised: frozenset[str]
    weight: float

    @property
    def policies(self) -> list[str]:
        """Names of all policies of the task."""
        return list(self.rates)

    def after(self, batch: dp.Batch) -> Latest:
        """The belief once a batch has been seen."""
        if batch.policy not in self.practised or not batch.attempts:
            return self
        kept = (1 - self.weight) ** batch.attempts
        seen = batch.successes / batch.attempts
        rate = kept * self.rates[batch.policy] + (1 - kept) * seen
        return replace(self, rates={**self.rates, batch.policy: rate})

    def curve(self, policy: str, attempts: int) -> NDArray[np.float64]:
        """Every attempt closes a twentieth of the gap to 1."""
        if policy not in self.practised:
            return np.full(attempts + 1, self.rates[policy])
        return 1 - (1 - self.rates[policy]) * 0.95 ** np.arange(attempts + 1.0)


def latest(
    task: dp.Task, evidence: Mapping[str, dp.EvidenceModel], *, weight: float = 0.1
) -> Latest:
    """The belief before practice: as the task states."""
    rates = {name: policy.competence for name, policy in task.policies.items()}
    practised = frozenset(name for name, policy in task.policies.items() if policy.practisable)
    return Latest(rates, practised, weight)
