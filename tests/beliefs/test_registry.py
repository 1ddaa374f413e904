"""Every registered belief keeps the contract on every built-in task."""

from __future__ import annotations

import numpy as np
import pytest

from deliberate_practice.beliefs.belief import BELIEFS, Batch, Belief
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import load_task


@pytest.mark.parametrize("name", BELIEFS)
@pytest.mark.parametrize("task_name", ["counterexample", "breakfast", "cleanup", "cleanup-multi"])
def test_contract(name: str, task_name: str) -> None:
    task = load_task(task_name)
    belief: Belief = make_belief(name, task)
    practised = next(policy.name for policy in task.policies.values() if policy.practisable)
    later = belief.after(Batch(practised, 0, 6, 2))
    for held in (belief, later, later.forecasts(practised, 6)[6][1]):
        mixture = held.mixture(40)
        assert set(mixture.curves) == set(task.policies)
        assert mixture.weights.sum() == pytest.approx(1)
        for policy in task.policies:
            curve = held.curve(policy, 40)
            assert curve.shape == held.band(policy, 40).shape == (41,)
            assert mixture.weights @ mixture.curves[policy] == pytest.approx(curve)
            assert held.competence(policy) == pytest.approx(curve[0])
            assert (np.diff(curve) >= 0).all()
            assert (curve >= 0).all()
            assert (curve <= 1).all()
            assert sum(p for p, _ in held.forecasts(policy, 3)) == pytest.approx(1)


def test_options_reach_the_belief() -> None:
    task = load_task("breakfast")
    assert len(make_belief("bayes", task, quality="noisy").mixture(3).weights) == 1
    with pytest.raises(ArgumentError, match="bayes, running-average"):
        make_belief("bays", task)
    with pytest.raises(ArgumentError, match="quality, exploration"):
        make_belief("bayes", task, eps=0.5)
