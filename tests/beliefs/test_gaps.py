"""The belief about composition gaps, compared with an enumeration of everything possible."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from counts import count
from scipy.stats import beta

from deliberate_practice.beliefs.gaps import (
    COMPETENCES,
    GAPS,
    NO_GAPS,
    SHARE_PRIOR,
    SHARES,
    SIZE_PRIOR,
    SIZES,
    Gaps,
    Losses,
    Pair,
    Seen,
)
from deliberate_practice.foundation.errors import ArgumentError

AB, BC, CA = ("a", "b"), ("b", "c"), ("c", "a")


def enumerated(gaps: Gaps) -> tuple[dict[Pair, float], dict[Pair, float], float]:
    """E[g] and E[p (1 - g)] / m of each pair, and E[π]: every combination, one after the other."""
    pairs = list(gaps.seen)
    tables = {pair: likelihoods(gaps, pair) for pair in pairs}
    total = share_mean = 0.0
    means, keeps = dict.fromkeys(pairs, 0.0), dict.fromkeys(pairs, 0.0)
    for share, prior in zip(SHARES, SHARE_PRIOR, strict=True):
        for sizes in itertools.product(range(len(GAPS)), repeat=len(pairs)):
            weight = float(prior)
            for pair, i in zip(pairs, sizes, strict=True):
                weight *= (1 - share) if i == 0 else share * SIZE_PRIOR[i - 1]
                weight *= tables[pair][i][0]
            total += weight
            share_mean += weight * share
            for pair, i in zip(pairs, sizes, strict=True):
                means[pair] += weight * GAPS[i]
                keeps[pair] += weight * (1 - GAPS[i]) * tables[pair][i][1]
    return (
        {pair: mean / total for pair, mean in means.items()},
        {pair: kept / total for pair, kept in keeps.items()},
        share_mean / total,
    )


def likelihoods(gaps: Gaps, pair: Pair) -> list[tuple[float, float]]:
    """For every gap: the likelihood of what was seen, and the mean of p / m given that."""
    mean, deviation = gaps.believed[pair[1]]
    if deviation:
        size = mean * (1 - mean) / deviation**2 - 1
        density = beta.pdf(COMPETENCES, size * mean, size * (1 - mean))
        chances = dict(zip(COMPETENCES.tolist(), (density / density.sum()).tolist(), strict=True))
    else:
        chances = {mean: 1.0}
    usual = sum(p * chance for p, chance in chances.items())
    rows = []
    for gap in GAPS:
        seen = dict.fromkeys(chances, 1.0)
        for p, one in itertools.product(chances, gaps.seen[pair]):
            works = min(1 - 1e-6, p * one.mean / usual) * (1 - gap)
            failures = one.executions - one.successes
            seen[p] *= works**one.successes * (1 - works) ** failures
        both = math.fsum(chances[p] * seen[p] for p in chances)
        ratio = math.fsum(chances[p] * seen[p] * p for p in chances) / (both * usual)
        rows.append((both, ratio))
    return rows


@pytest.mark.parametrize("seed", range(count(60)))
def test_the_posterior_is_that_of_an_enumeration(seed: int) -> None:
    rng = np.random.default_rng([11, seed])
    pairs = [AB, BC, CA][: 1 + seed % 2]
    seen: dict[Pair, list[Seen]] = {}
    believed = {}
    for pair in pairs:
        mean = float(rng.uniform(0.2, 0.95))
        widest = math.sqrt(mean * (1 - mean))
        believed[pair[1]] = mean, float(rng.choice([0.0, 0.15, 0.35])) * widest
        for _ in range(rng.integers(1, 4)):
            executions = int(rng.integers(1, 8))
            successes = int(rng.integers(0, executions + 1))
            then = float(np.clip(mean * rng.uniform(0.6, 1.1), 0.05, 0.99))
            seen.setdefault(pair, []).append(Seen(then, executions, successes))
    gaps = Gaps(seen, believed)
    means, keeps, share = enumerated(gaps)
    assert float(gaps.shares @ SHARES) == pytest.approx(share, rel=1e-9)
    for found in gaps.pairs():
        pair = found.before, found.policy
        assert found.gap == pytest.approx(means[pair], rel=1e-9)
        assert gaps.losses.kept(*pair) == pytest.approx(keeps[pair], rel=1e-6)
        assert found.low <= found.high
    expected = 1 - share * float(SIZE_PRIOR @ SIZES)
    assert gaps.losses.kept("c", "b") == pytest.approx(expected, rel=1e-9)


def test_draws_have_the_posterior_mean() -> None:
    seen = {AB: [Seen(0.8, 10, 5)], BC: [Seen(0.9, 4, 4)]}
    gaps = Gaps(seen, {"b": (0.8, 0.1), "c": (0.9, 0.0)})
    pairs = [AB, BC, CA]
    drawn = gaps.draw(pairs, np.random.default_rng(3).random((4, 20_000)))
    for pair in pairs:
        assert drawn[pair].mean() == pytest.approx(gaps.losses.kept(*pair), abs=0.01)


def test_failures_after_a_skill_raise_the_gap_and_successes_lower_it() -> None:
    def gap(successes: int) -> float:
        return Gaps({AB: [Seen(0.9, 10, successes)]}, {"b": (0.9, 0.02)}).pairs()[0].gap

    found = [gap(successes) for successes in range(11)]
    assert found == sorted(found, reverse=True)
    assert found[0] > 0.7
    assert found[10] < 0.02


def test_an_uncertain_competence_explains_failures_too() -> None:
    seen = {AB: [Seen(0.7, 10, 3)]}
    sure, unsure = (Gaps(seen, {"b": (0.7, deviation)}) for deviation in (0.0, 0.2))
    assert unsure.pairs()[0].gap < sure.pairs()[0].gap
    assert unsure.losses.kept("a", "b") < 1


def test_a_plan_that_works_makes_other_gaps_less_likely() -> None:
    fresh = Gaps().losses.otherwise
    works = Gaps({AB: [Seen(0.9, 20, 18)]}, {"b": (0.9, 0.0)}).losses.otherwise
    fails = Gaps({AB: [Seen(0.9, 20, 9)]}, {"b": (0.9, 0.0)}).losses.otherwise
    assert fails < fresh < works < 1


def test_pairs_that_are_practised_together_have_no_gap() -> None:
    gaps = Gaps({AB: [Seen(0.9, 10, 2)]}, {"b": (0.9, 0.0)}, frozenset([AB]))
    assert gaps.pairs() == []
    assert gaps.losses.kept("a", "b") == 1
    assert gaps.draw([AB], np.full((2, 3), 0.5))[AB].tolist() == [1, 1, 1]


def test_without_a_probe_nothing_is_lost() -> None:
    assert not NO_GAPS.losses
    assert NO_GAPS.pairs() == []
    assert NO_GAPS.losses.kept("a", "b") == 1


def test_losses_come_back_from_plain_data() -> None:
    losses = Losses({AB: 0.7, BC: 1.02}, 0.93)
    assert Losses.from_data(losses.as_data()) == losses
    assert losses.kept(None, "b") == 1


@pytest.mark.parametrize("values", [(0.5, 2, 3), (0.5, -1, -1), (1.5, 2, 1)])
def test_impossible_counts_are_refused(values: tuple[float, int, int]) -> None:
    with pytest.raises(ArgumentError, match="give 0 <= successes"):
        Seen(*values)
