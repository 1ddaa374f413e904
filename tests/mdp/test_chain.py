"""Chains that hardly ever end, against rational arithmetic and against each other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.mdp import chain
from deliberate_practice.mdp.chain import chain_values, chain_visits


def random_chain(
    rng: np.random.Generator, n: int, smallest: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rates between states, rates of ending and rewards that differ by orders of magnitude."""
    onward = 10.0 ** rng.uniform(np.log10(smallest), 0, (n, n)) * (rng.random((n, n)) < 0.5)
    np.fill_diagonal(onward, 0.0)
    leak = 10.0 ** rng.uniform(np.log10(smallest), 0, n) * (rng.random(n) < 0.7)
    leak[0] += smallest
    onward[1:, 0] += smallest  # every state can come to the first, which ends
    return onward, leak, 10.0 ** rng.uniform(-12, 12, (n, 2))


def exact_values(onward: FloatArray, leak: FloatArray, right: FloatArray) -> list[Fraction]:
    """(diag(own) - N) v = r by elimination of rational numbers."""
    n = len(leak)
    rows = [[Fraction(-float(x)) for x in row] for row in onward]
    for i in range(n):
        rows[i][i] = Fraction(float(leak[i])) + sum(Fraction(float(x)) for x in onward[i])
    total = [Fraction(float(r)) for r in right]
    for k in range(n):
        for i in range(n):
            if i != k and rows[i][k]:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
                total[i] -= factor * total[k]
    return [total[k] / rows[k][k] for k in range(n)]


@pytest.mark.parametrize("smallest", [1e-2, 1e-9, 1e-15])
def test_every_value_keeps_its_digits(smallest: float) -> None:
    rng = np.random.default_rng(7)
    for _ in range(25):
        onward, leak, right = random_chain(rng, int(rng.integers(1, 7)), smallest)
        dense = chain_values(onward, leak, right)
        by_classes = chain_values(sparse.csr_array(onward), leak, right)
        for column in range(2):
            exact = exact_values(onward, leak, right[:, column])
            for values in (dense, by_classes):
                pairs = zip(values[:, column], exact, strict=True)
                assert all(abs(Fraction(float(v)) / e - 1) < Fraction(1, 10**12) for v, e in pairs)


def test_visits_are_the_other_side_of_values() -> None:
    """Σ_i e_i v_i = Σ_i μ_i r_i."""
    rng = np.random.default_rng(8)
    for n in (1, 3, 6, 90):
        onward, leak, right = random_chain(rng, n, 1e-6)
        start = rng.random(n)
        for rates in (onward, sparse.csr_array(onward)):
            visits = chain_visits(rates, leak, start)
            expected = start @ chain_values(onward, leak, right)
            assert visits @ right == pytest.approx(expected, rel=1e-10)


def test_a_class_without_a_way_out_is_worth_nothing_or_without_end() -> None:
    onward = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]])
    leak = np.array([0.0, 0.0, 0.5])
    right = np.array([[0.0, 1.0], [0.0, 0.0], [3.0, 3.0]])
    for rates in (onward, sparse.csr_array(onward)):
        values = chain_values(rates, leak, right)
        assert values.tolist() == [[0.0, np.inf], [0.0, np.inf], [3.0, np.inf]]


def test_a_way_into_a_class_without_end_counts() -> None:
    onward, leak = np.array([[0.0, 0.5], [0.0, 0.0]]), np.array([0.5, 0.0])
    right = np.array([[0.5, 0.5], [0.0, 1.0]])
    for rates in (onward, sparse.csr_array(onward)):
        assert chain_values(rates, leak, right).tolist() == [[0.5, np.inf], [0.0, np.inf]]
        assert chain_visits(rates, leak, np.array([1.0, 0.0]))[0] == 1.0


def test_large_classes_that_hardly_end_are_right_or_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    n = 60
    onward = sparse.csr_array(np.roll(np.eye(n), 1, axis=1))
    monkeypatch.setattr(chain, "ELIMINATE", 10)
    for leak in (1e-3, 1e-9, 1e-12):
        values = chain_values(onward, np.full(n, leak), np.full((n, 1), leak))
        assert values == pytest.approx(np.ones((n, 1)), rel=1e-10)
    with pytest.raises(TaskError, match="60 states lead to each other and hardly ever end"):
        chain_values(onward, np.full(n, 1e-19), np.full((n, 1), 1e-19))


def test_large_classes_are_factorised_to_the_same_values(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(9)
    onward, leak, right = random_chain(rng, 80, 1e-3)
    expected = chain_values(onward, leak, right)
    monkeypatch.setattr(chain, "ELIMINATE", 10)
    assert chain_values(sparse.csr_array(onward), leak, right) == pytest.approx(expected, rel=1e-9)


def test_long_chains_without_circles_need_no_elimination() -> None:
    n = 500
    onward = sparse.diags_array(np.full(n - 1, 0.5), offsets=1, format="csr")
    leak = np.full(n, 0.5)
    right = np.zeros((n, 1))
    right[-1] = 1.0
    values = chain_values(onward, leak, right)[:, 0]
    assert values[-1] == 2.0  # the last state only ends
    assert values[:-1] == pytest.approx(2.0 * 0.5 ** np.arange(n - 1, 0, -1), rel=1e-13)


def test_large_chains_are_swept_and_never_factorised(monkeypatch: pytest.MonkeyPatch) -> None:
    """A random graph of 5,000 states has factors of hundreds of megabytes."""
    rng = np.random.default_rng(9)
    n, ways = chain.LARGE, 4
    places = (np.repeat(np.arange(n), ways), rng.integers(n, size=n * ways))
    onward = sparse.csr_array((rng.random(n * ways), places), shape=(n, n))
    onward.setdiag(0.0)
    leak = rng.uniform(0.02, 0.1, n)
    right = rng.random((n, 1))
    monkeypatch.setattr(chain, "_by_factors", lambda *_: pytest.fail("factorised"))
    monkeypatch.setattr(chain, "_factorised_visits", lambda *_: pytest.fail("factorised"))
    values = chain_values(onward, leak, right)
    left = (leak + onward.sum(axis=1))[:, None] * values
    assert left == pytest.approx(right + onward @ values, rel=1e-12)
    again = chain_values(onward, leak, right, guess=0.9 * values)
    assert again == pytest.approx(values, rel=1e-12)
    start = rng.random(n)
    assert chain_visits(onward, leak, start) @ right[:, 0] == pytest.approx(start @ values[:, 0])


def test_the_guess_matters_only_to_large_chains() -> None:
    onward, leak, right = random_chain(np.random.default_rng(10), 50, 1e-3)
    values = chain_values(onward, leak, right)
    assert np.array_equal(chain_values(onward, leak, right, guess=2 * values), values)


def test_visits_of_hundreds_of_states_are_found_fast_and_exactly() -> None:
    rng = np.random.default_rng(11)
    onward, leak, _ = random_chain(rng, 300, 1e-4)
    start = rng.random(300)
    by_factors = chain_visits(sparse.csr_array(onward), leak, start)
    assert by_factors == pytest.approx(chain_visits(onward, leak, start), rel=1e-8)
