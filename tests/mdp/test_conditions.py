"""Conditions that hold in states, against looking at every pair."""

from __future__ import annotations

import tracemalloc

import numpy as np
from counts import count

from deliberate_practice.mdp.conditions import Conditions


def test_every_pair_is_found_in_order() -> None:
    rng = np.random.default_rng(3)
    for _ in range(count(500)):
        sizes = rng.integers(1, 6, size=rng.integers(1, 4)).tolist()
        total = int(rng.integers(0, 12))
        states = np.array([rng.integers(size, size=total) for size in sizes], dtype=np.uint8)
        conditions = [
            {
                v: frozenset(rng.integers(size, size=rng.integers(1, 4)).tolist())
                for v, size in enumerate(sizes)
                if rng.random() < 0.6
            }
            for _ in range(int(rng.integers(1, 8)))
        ]
        among = np.asarray(rng.random(total) < 0.8)
        expected = [
            (i, where)
            for i, condition in enumerate(conditions)
            if (
                where := [
                    k
                    for k in range(total)
                    if among[k] and all(states[v, k] in values for v, values in condition.items())
                ]
            )
        ]
        found = Conditions(conditions, sizes).holding(states, among)
        assert [(i, where.tolist()) for i, where in found] == expected


def test_memory_grows_with_the_pairs_that_match() -> None:
    """A table of all conditions and values would have 100 million entries."""
    size = 10_000
    tracemalloc.start()
    conditions = Conditions([{0: frozenset([value])} for value in range(size)], [size])
    states = np.arange(size, dtype=np.uint32)[None]
    found = sum(len(where) for _, where in conditions.holding(states, np.ones(size, dtype=bool)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == size
    assert peak < 30e6
