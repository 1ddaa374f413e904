"""The last bits of what is believed decide nothing: they differ between processors."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from exact_belief import situation

from deliberate_practice.beliefs.belief import BELIEFS, Batch, Belief, Mixture, usual_evidence
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.practice.domain import load_task
from deliberate_practice.strategies.strategy import STRATEGIES

COFFEE = Path(__file__).parents[2] / "examples" / "coffee_station.toml"


@dataclass(frozen=True)
class Blurred(Belief):
    """Another belief, with the last bits that another processor might have."""

    exact: Belief
    seed: int

    @property
    def policies(self) -> Collection[str]:
        return self.exact.policies

    def after(self, batch: Batch) -> Belief:
        return replace(self, exact=self.exact.after(batch))

    def curve(self, policy: str, attempts: int) -> FloatArray:
        return self._blurred(policy, self.exact.curve(policy, attempts))

    def band(self, policy: str, attempts: int) -> FloatArray:
        return self._blurred(policy, self.exact.band(policy, attempts))

    def mixture(self, attempts: int) -> Mixture:
        exact = self.exact.mixture(attempts)
        curves = {name: self._blurred(name, curve) for name, curve in exact.curves.items()}
        return Mixture(exact.weights, curves)

    def _blurred(self, policy: str, values: FloatArray) -> FloatArray:
        rng = np.random.default_rng([self.seed, *policy.encode()])
        return np.minimum(values * (1 + np.finfo(float).eps * rng.integers(-2, 3)), 1.0)


@pytest.mark.parametrize("file", ["cleanup-multi", str(COFFEE)], ids=["cleanup-multi", "coffee"])
@pytest.mark.parametrize("belief", BELIEFS)
@pytest.mark.parametrize("name", STRATEGIES)
def test_last_bits_decide_nothing(name: str, belief: str, file: str) -> None:
    """In Cleanup-Multi most skills look alike, and coffee may be brewed before milk is foamed."""
    task = load_task(file)
    exact = BELIEFS[belief](task, usual_evidence(task))
    for policy in [p.name for p in task.policies.values() if p.practisable][-2:]:
        exact = exact.after(Batch(policy, 0, 6, 3))
    decisions = set()
    for seed in range(6):
        decision = STRATEGIES[name](situation(task, Blurred(exact, seed), 400))
        assert decision is not None
        decisions.add((decision.policy, decision.plan))
    assert len(decisions) == 1
