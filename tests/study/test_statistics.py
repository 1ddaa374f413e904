"""Statistics: by their properties, and against scipy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.estimates import Estimate, exact_rate, rate
from deliberate_practice.study import statistics

rewards = st.lists(st.floats(0, 4).map(lambda x: round(x, 3)), min_size=1, max_size=25)
pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=20)
counts = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def _interval(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval


@given(rewards)
def test_means_lie_within_their_intervals_and_those_within_the_data(values: list[float]) -> None:
    for estimate in (statistics.mean(values), statistics.interquartile_mean(values)):
        if len(values) == 1:
            assert estimate.interval is None
            continue
        low, high = _interval(estimate)
        slack = 1e-9
        assert low - slack <= estimate.value <= high + slack
        if len(values) >= statistics.FEWEST:
            assert min(values) - slack <= low <= high <= max(values) + slack
    assert statistics.mean(values).value == pytest.approx(np.mean(values))
    assert statistics.mean(values) == statistics.mean(values)


@given(rewards, st.floats(0.1, 3), st.floats(-2, 2))
def test_scaling_rewards_scales_intervals(
    values: list[float], factor: float, offset: float
) -> None:
    plain = statistics.interquartile_mean(values)
    scaled = statistics.interquartile_mean([factor * value + offset for value in values])
    assert scaled.value == pytest.approx(factor * plain.value + offset)
    if len(values) > 1:
        expected = [factor * end + offset for end in _interval(plain)]
        assert _interval(scaled) == pytest.approx(expected)


@given(rewards)
def test_the_interquartile_mean_is_scipys_trimmed_mean(values: list[float]) -> None:
    expected = stats.trim_mean(values, 0.25)
    assert statistics.interquartile_mean(values).value == pytest.approx(expected)


@pytest.mark.parametrize("n", [5, 20])
def test_the_bootstrap_agrees_with_scipys(n: int) -> None:
    values = np.random.default_rng(n).normal(2, 1, n)
    ours = _interval(statistics.mean(values.tolist()))
    widened = 2 * stats.norm.cdf(np.sqrt(n / (n - 1)) * stats.t.ppf(0.975, n - 1)) - 1
    theirs = stats.bootstrap(
        (values,),
        np.mean,
        method="percentile",
        confidence_level=widened,
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    noise = 0.06 * values.std()
    assert ours == pytest.approx((theirs.low, theirs.high), abs=noise)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_few_values_have_students_interval(n: int) -> None:
    values = np.random.default_rng(n).normal(2, 1, n)
    theirs = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    expected = pytest.approx((theirs.low, theirs.high))
    assert _interval(statistics.mean(values.tolist())) == expected


@given(counts)
def test_rates_have_wilsons_interval(counts: tuple[int, int]) -> None:
    ours = rate(*counts)
    theirs = stats.binomtest(*counts).proportion_ci(method="wilson")
    assert ours.value == counts[0] / counts[1]
    assert _interval(ours) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@given(counts)
def test_exact_rates_have_the_interval_of_clopper_and_pearson(counts: tuple[int, int]) -> None:
    ours = exact_rate(*counts)
    theirs = stats.binomtest(*counts).proportion_ci(method="exact")
    assert ours.value == counts[0] / counts[1]
    assert _interval(ours) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@given(st.integers(1, 100))
def test_the_exact_interval_rises_with_every_half(n: int) -> None:
    ends = [_interval(exact_rate(halves / 2, n)) for halves in range(2 * n + 1)]
    for (low, high), (later_low, later_high) in itertools.pairwise(ends):
        assert low <= later_low
        assert high <= later_high
    mirrored = [(1 - high, 1 - low) for low, high in reversed(ends)]
    assert np.allclose(ends, mirrored)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_whoever_is_settled_as_better_passes_the_sign_test(won: int, lost: int, tied: int) -> None:
    if won + lost + tied == 0:
        return
    better = exact_rate(won + tied / 2, won + lost + tied)
    passes = won + lost > 0 and stats.binomtest(won, won + lost).pvalue <= 0.05
    assert passes or not statistics.is_settled(better)
    if not tied:
        assert passes == statistics.is_settled(better)


def test_six_pairs_are_the_fewest_that_settle_something() -> None:
    settled = [statistics.is_settled(exact_rate(n, n)) for n in range(1, 8)]
    assert settled == [False] * 5 + [True] * 2


@given(pairs)
def test_one_of_two_is_better_or_the_other(values: list[tuple[int, int]]) -> None:
    ours, theirs = zip(*values, strict=True)
    better = statistics.probability_of_improvement(ours, theirs)
    worse = statistics.probability_of_improvement(theirs, ours)
    assert better.value + worse.value == pytest.approx(1)
    low, high = _interval(better)
    assert 0 <= low <= better.value <= high <= 1
    wins = sum(a > b for a, b in values) + sum(a == b for a, b in values) / 2
    assert better.value == pytest.approx(wins / len(values))


def test_improvement_is_of_pairs() -> None:
    """Always a little better with the same seed, although seeds differ far more."""
    theirs = [0.0, 1.0, 2.0, 3.0]
    ours = [reward + 0.1 for reward in theirs]
    assert statistics.probability_of_improvement(ours, theirs) == exact_rate(4, 4)
    with pytest.raises(ArgumentError, match="3 values; give one for each of 4"):
        statistics.probability_of_improvement(ours, theirs[:3])


def test_the_bootstrap_covers_the_mean() -> None:
    """About 95 % with many seeds, and not far below with 5."""
    rng = np.random.default_rng(0)
    covered = {}
    for n in (5, 20):
        found = [_interval(statistics.mean(rng.normal(size=n).tolist())) for _ in range(400)]
        covered[n] = np.mean([low <= 0 <= high for low, high in found])
    assert 0.89 < covered[5] < 0.96
    assert 0.92 < covered[20] < 0.98


def test_five_seeds_cover_as_often_as_the_page_on_studies_says() -> None:
    rng = np.random.default_rng(1)
    normal = rng.normal(size=(2000, 5))
    ours = [_interval(statistics.mean(values.tolist())) for values in normal]
    assert np.mean([low <= 0 <= high for low, high in ours]) == pytest.approx(0.92, abs=0.015)
    means = normal[:, rng.integers(5, size=(1000, 5))].mean(axis=2)
    low, high = np.quantile(means, (0.025, 0.975), axis=1)
    assert np.mean((low <= 0) & (high >= 0)) == pytest.approx(0.84, abs=0.02)
    coins = (rng.random((2000, 5)) < 0.8).astype(float)
    found = [_interval(statistics.mean(values.tolist())) for values in coins]
    assert np.mean([low <= 0.8 <= high for low, high in found]) == pytest.approx(2 / 3, abs=0.03)


@pytest.mark.parametrize("executions", [10, 100, 400])
def test_the_half_width_is_that_of_the_widest_interval(executions: int) -> None:
    intervals = [_interval(rate(k, executions)) for k in range(executions + 1)]
    widest = max(high - low for low, high in intervals)
    assert statistics.half_width(executions) == pytest.approx(widest / 2)


@given(st.floats(0.005, 0.45))
def test_no_fewer_executions_would_do(width: float) -> None:
    enough = statistics.executions_for(width)
    assert statistics.half_width(enough) <= width * (1 + 1e-9)
    assert enough == 1 or statistics.half_width(enough - 1) > width * (1 - 1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: statistics.mean([]), "values: give at least one"),
        (lambda: rate(3, 2), "3 of 2 is not a rate"),
        (lambda: rate(0, 0), "0 of 0 is not a rate"),
        (lambda: exact_rate(3, 2), "3 of 2 is not a rate"),
        (lambda: statistics.half_width(0), "executions: 0"),
        (lambda: statistics.executions_for(0.7), r"width: 0\.7"),
    ],
)
def test_refuses_what_makes_no_sense(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ArgumentError, match=message):
        call()
