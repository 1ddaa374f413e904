"""(max, +) convolution against trying everything."""

from __future__ import annotations

import time

import numpy as np
import pytest

from deliberate_practice.allocation.max_plus import concave_pieces, convolve, is_concave
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.deadline import Late


def by_trying(table: FloatArray, cost: int, rest: FloatArray) -> list[float]:
    return [
        max(
            (table[k] + rest[b - cost * k] for k in range(min(len(table) - 1, b // cost) + 1)),
            default=-np.inf,
        )
        for b in range(len(rest))
    ]


def random_table(rng: np.random.Generator, kind: str) -> FloatArray:
    gains = rng.random(int(rng.integers(1, 120))) ** 4
    if kind != "any":
        gains = np.sort(gains)[::-1]
    if kind == "two pieces":
        gains = np.concatenate([gains, np.sort(rng.random(len(gains)))[::-1]])
    never = np.full(int(rng.integers(0, 3)), -np.inf)
    return np.concatenate([never, np.cumsum(gains) - 5])


@pytest.mark.parametrize("kind", ["concave", "two pieces", "any"])
def test_it_is_the_best_of_all_combinations(kind: str) -> None:
    rng = np.random.default_rng(11)
    for _ in range(60):
        table, cost = random_table(rng, kind), int(rng.integers(1, 6))
        rest = np.maximum.accumulate(
            np.concatenate([np.full(int(rng.integers(0, 4)), -np.inf), rng.normal(size=150)])
        )
        assert convolve(table, cost, rest) == pytest.approx(by_trying(table, cost, rest), rel=1e-13)


def test_pieces_cover_the_finite_part() -> None:
    rng = np.random.default_rng(12)
    for kind in ("concave", "two pieces", "any"):
        for _ in range(30):
            table = random_table(rng, kind)
            pieces = concave_pieces(table)
            covered = {k for first, last in pieces for k in range(first, last + 1)}
            assert covered == set(np.flatnonzero(np.isfinite(table)).tolist())
            assert all(is_concave(table[first : last + 1]) for first, last in pieces)


def test_a_slow_bend_is_no_rounding() -> None:
    """Gains that rise by less than rounding from one to the next, and by a lot in the end."""
    bent = np.cumsum(1e-6 + 1e-13 * np.arange(1_000_000.0))
    assert not is_concave(bent)
    assert is_concave(np.cumsum(1e-6 - 1e-13 * np.arange(1_000_000.0)))


def test_a_deadline_that_is_over_ends_it() -> None:
    table = np.log(1 - 0.9 * np.exp(-1e-3 * np.arange(2000.0)))
    with pytest.raises(Late, match="--time-limit"):
        convolve(table, 2, table, deadline=time.monotonic() - 1)
