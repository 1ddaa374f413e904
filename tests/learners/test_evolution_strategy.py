"""Our CMA-ES follows the package ``cmaes`` step by step, and finds optima by itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cmaes import CMA  # type: ignore[import-untyped]  # it publishes no type information
from counts import count
from hypothesis import given, settings, strategies as st

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.learners import evolution_strategy
from deliberate_practice.learners.evolution_strategy import EvolutionStrategy, rates

GENERATIONS = 25


class Deviates:
    """The same normal deviates for both implementations, each in its own words."""

    def __init__(self, seed: int, dimension: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._dimension = dimension

    def draw(self) -> FloatArray:
        return self._rng.standard_normal(self._dimension)

    def randn(self, dimension: int) -> FloatArray:
        return self._rng.standard_normal(dimension)


dimensions = st.integers(1, 10)
populations = st.integers(4, 20)
seeds = st.integers(0, 2**32 - 1)
widths = st.sampled_from([None, 5.0, 1.0, 0.1])
objectives = st.sampled_from(["sphere", "ellipsoid", "slope", "chance"])


@settings(max_examples=count(600), deadline=None)
@given(dimensions, populations, seeds, widths, objectives, st.booleans())
def test_every_step_is_that_of_the_package(
    n: int, population: int, seed: int, width: float | None, objective: str, injected: bool
) -> None:
    rng = np.random.default_rng(seed)
    mean, sigma = rng.standard_normal(n), float(np.exp(rng.normal()))
    bounds = None
    if width is not None:  # the mean lies anywhere between them, also on one of them
        below = rng.choice([0.0, 0.5, 1.0], n)
        bounds = np.column_stack([mean - below * width, mean + (1 - below) * width + 0.01])
    reference = CMA(mean, sigma, bounds=bounds, population_size=population)
    search = EvolutionStrategy(
        mean, sigma, *(bounds.T if bounds is not None else ()), population=population
    )
    goal = mean + rng.standard_normal(n)
    for generation in range(GENERATIONS):
        deviates = Deviates(generation, n)
        reference._rng = Deviates(generation, n)
        samples = [search.sample(deviates.draw) for _ in range(population)]
        expected = [reference.ask() for _ in range(population)]
        _same(samples, expected, search.sigma)
        if injected:  # as the learner does with the middle of its successes
            samples[0] = np.mean(samples[1:3], axis=0)
        if objective == "chance":
            order = rng.permutation(population).tolist()
        else:
            order = np.argsort([_loss(objective, x, goal) for x in samples]).tolist()
        with np.errstate(all="ignore"):
            search.update(np.array([samples[i] for i in order]))
            reference.tell([(samples[i], float(rank)) for rank, i in enumerate(order)])
            reference._eigen_decomposition()
        _same(search.mean, reference.mean, search.sigma)
        _same(search.sigma, reference._sigma, search.sigma)
        _same(search.covariance, reference._C, np.abs(search.covariance).max())
        _same(search._p_sigma, reference._p_sigma, 1.0)
        _same(search._p_c, reference._pc, 1.0)


def _loss(objective: str, x: FloatArray, goal: FloatArray) -> float:
    """What is to be small."""
    scales = 10 ** np.linspace(0, 2, len(x)) if objective == "ellipsoid" else np.ones(len(x))
    return float(x.sum() if objective == "slope" else np.sum(scales * (x - goal) ** 2))


def _same(ours: object, theirs: object, scale: float) -> None:
    np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-8, atol=1e-8 * scale)


@pytest.mark.parametrize("n", range(1, 11))
@pytest.mark.parametrize("population", [4, 5, 6, 7, 12, 50])
def test_constants_are_those_of_the_package(n: int, population: int) -> None:
    ours, theirs = rates(n, population), CMA(np.zeros(n), 1.0, population_size=population)
    assert ours.weights == pytest.approx(theirs._weights)
    assert ours.mu == theirs._mu
    for name in ("mu_eff", "c_sigma", "d_sigma", "chi_n"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, f"_{name}")), name
    assert (ours.c_c, ours.c_1, ours.c_mu) == pytest.approx((theirs._cc, theirs._c1, theirs._cmu))


@settings(max_examples=count(400), deadline=None)
@given(dimensions, populations)
def test_weights_keep_the_covariance_positive(n: int, population: int) -> None:
    """The positive ones sum to 1, and the negative ones cannot outweigh what is kept of C."""
    r = rates(n, population)
    positive, negative = r.weights[r.weights > 0].sum(), -r.weights[r.weights < 0].sum()
    assert positive == pytest.approx(1.0)
    assert 1 - r.c_1 - r.c_mu * (positive - negative) >= n * r.c_mu * negative - 1e-12
    assert 0 < r.c_1 + r.c_mu <= 1
    assert all(0 < rate < 1 for rate in (r.c_sigma, r.c_c, r.c_1, r.c_mu))
    assert 1 <= r.mu_eff <= r.mu


@settings(max_examples=count(100), deadline=None)
@given(st.integers(1, 5), seeds)
def test_an_ellipsoid_is_solved(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    goal, population = rng.standard_normal(n), 4 + math.floor(3 * math.log(n)) + 2
    search = EvolutionStrategy(np.zeros(n), 1.0, population=population)
    for _ in range(400):
        samples = [search.sample(lambda: rng.standard_normal(n)) for _ in range(population)]
        samples.sort(key=lambda x: _loss("ellipsoid", x, goal))
        search.update(np.array(samples))
        if _loss("ellipsoid", search.mean, goal) < 1e-10:
            return
    pytest.fail(f"{search.mean} is not {goal}")


def test_the_farthest_sample_is_moved_to_its_bounds() -> None:
    low, high = np.array([-0.1, -0.1]), np.array([0.1, 0.1])
    search = EvolutionStrategy(np.zeros(2), 1.0, low, high, population=6)
    drawn: list[FloatArray] = []

    def far() -> FloatArray:
        drawn.append(np.array([5.0, -5.0]))
        return drawn[-1]

    assert search.sample(far).tolist() == [0.1, -0.1]
    assert len(drawn) == evolution_strategy.RESAMPLES + 1


@pytest.mark.parametrize("population", [-1, 0, 3])
def test_a_population_without_weights_is_refused(population: int) -> None:
    with pytest.raises(ArgumentError, match=f"{population}.*at least 4"):
        EvolutionStrategy(np.zeros(2), 1.0, population=population)
