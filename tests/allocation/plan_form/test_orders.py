"""Orders of two parts of a plan: the index against values of both orders."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from counts import count

from deliberate_practice.allocation.plan_form.kinds import Kind, Step
from deliberate_practice.allocation.plan_form.orders import find_orders, settled
from deliberate_practice.foundation.arrays import FloatArray


def _kind(rng: np.random.Generator, policy: int) -> Kind:
    lost = float(rng.choice([0.0, 0.3, 1.0]))
    cost = float(rng.choice([0.01, 0.02]))
    return Kind((Step(policy, 1.0, (), (), 0.0, lost, cost),), 0.95)


def _value(kinds: tuple[Kind, ...], plan: tuple[int, ...], p: FloatArray, reward: float) -> float:
    value = reward
    for k in reversed(plan):
        climb = kinds[k].climb(p[[k]])
        value = float(climb.factor) * value - float(climb.cost)
    return value


def test_settled_orders_keep_the_best_value() -> None:
    rng = np.random.default_rng(10)
    fewer = 0
    for _ in range(count(300)):
        kinds = tuple(_kind(rng, k) for k in range(4))
        plans = list(itertools.permutations(range(4), 4))
        low = rng.uniform(0.05, 0.9, 4)
        high = np.minimum(1.0, low + rng.choice([0.0, 0.05, 0.5]))
        orders = find_orders([(0, plan) for plan in plans])
        kept = settled(orders, kinds, low, high, len(plans))
        fewer += kept.sum() < len(plans)
        assert kept.any()
        for _ in range(5):
            p = rng.uniform(low, high)
            values = np.array([_value(kinds, plan, p, 1.0) for plan in plans])
            assert values[kept].max() >= values.max() - 1e-10
            everything = np.ones(len(plans), dtype=np.bool_)
            for pair in range(len(orders.parts)):
                decided = np.zeros((2, len(orders.parts)), dtype=np.int64)
                decided[:, pair] = 1, -1
                either = [values[orders.left(everything, way)].max() for way in decided]
                assert max(either) == pytest.approx(values.max(), rel=1e-12)
    assert fewer > 0


def test_equal_indices_leave_one_order() -> None:
    kinds = tuple(Kind((Step(k, 1.0, (), (), 0.0, 0.0, 0.01),), 0.95) for k in range(4))
    plans = list(itertools.permutations(range(4), 4))
    orders = find_orders([(0, plan) for plan in plans])
    low, high = np.full(4, 0.1), np.ones(4)
    assert settled(orders, kinds, low, high, len(plans)).sum() == 1


def test_plans_of_other_starts_or_kinds_are_no_pairs() -> None:
    assert not find_orders([(0, (1, 2)), (1, (2, 1)), (0, (1, 3))]).parts
    assert find_orders([(0, (0, 1, 2, 3)), (0, (0, 2, 1, 3))]).parts == (((1,), (2,)),)
    assert find_orders([(0, (1, 2, 3)), (0, (3, 1, 2))]).parts == (((1, 2), (3,)),)
