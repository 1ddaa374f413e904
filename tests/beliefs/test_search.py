import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from expected_batches import forecasts

from deliberate_practice.beliefs.bayes import BayesBelief
from deliberate_practice.beliefs.belief import Batch
from deliberate_practice.beliefs.hypotheses import CEILINGS, DEAD_LEVELS, STARTS
from deliberate_practice.beliefs.prior import QUALITIES
from deliberate_practice.beliefs.search import (
    EVEN,
    GROWTH,
    LAST,
    LEFT,
    LOG_CHANCES,
    MANY,
    MOST,
    SearchPosterior,
    search_weights,
    searched,
)
from deliberate_practice.beliefs.stated import Stated
from deliberate_practice.learners.cma_es import CmaEs
from deliberate_practice.strategies.strategy import ROUND
from deliberate_practice.task.curves import Exponential
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Parameter, Skill

SAID = Stated(0.12, 0.03, 1.0, 0.03)
BATCHES = [
    Batch("A", 0, 6, 0),
    Batch("A", 6, 6, 2),
    Batch("A", 12, 4, 3, explore=False),
    Batch("A", 12, 6, 1),
]


def _searched(said: Stated, quality: str) -> SearchPosterior:
    """The posterior before any attempt if the stated figures have a quality."""
    return searched(search_weights(said)[[list(QUALITIES).index(quality)]])


def _task(parameters: int, start: float = 0.12, rate: float = 0.03) -> Task:
    searched_for = tuple(Parameter(f"x{i}", 0.0, 1.0, -5.0, 5.0) for i in range(parameters))
    curve = Exponential(rate=rate)
    skill = Skill("A", {"x": "0"}, {"x": "1"}, start, curve=curve, parameters=searched_for)
    return Task("one", {"x": ["0", "1"]}, [Goal("g", 1.0, {"x": "1"})], [skill])


def _survived(chance: float, tried: int) -> float:
    """That none of so many samples succeeds."""
    return float(np.exp(-((chance * tried) ** EVEN)))


@cache
def _expected_left(chance: float, left: float, n: int, tried: int, attempts: int) -> float:
    """By hand: what an attempt may do, one after the other."""
    n = min(n, MANY)
    if attempts == 0:
        return left**n
    p = min(MOST, chance * GROWTH**n)
    if n == 0:
        p = 1 - _survived(chance, tried + 1) / _survived(chance, tried)
    failed = _expected_left(chance, left, n, tried + 1, attempts - 1)
    return (1 - p) * failed + p * _expected_left(chance, left, n + 1, tried + 1, attempts - 1)


@pytest.mark.parametrize("batches", [BATCHES, BATCHES[:1], []])
def test_posterior_and_forecast_are_those_of_brute_force(batches: list[Batch]) -> None:
    found = _searched(SAID, "noisy")
    for batch in batches:
        found = found.after(batch)
    ahead = (0, 1, 7, 25)
    n = sum(batch.successes for batch in batches if batch.explore)
    tried = sum(batch.attempts for batch in batches if batch.explore)
    alive = [
        (start, chance, left, ceiling)
        for start, chance, left, ceiling in itertools.product(
            STARTS.tolist(), np.exp(LOG_CHANCES).tolist(), LEFT.tolist(), CEILINGS.tolist()
        )
        if start < ceiling
    ]
    everything = [*alive, *((level, level, 1.0, level) for level in DEAD_LEVELS.tolist())]
    total, mean, square = 0.0, np.zeros(len(ahead)), np.zeros(len(ahead))
    for row, (start, chance, left, ceiling) in enumerate(everything):
        weight, so_far, in_vain = float(found.prior[0, row]), 0, row >= len(alive)
        for batch in batches:
            p = ceiling - (ceiling - start) * left**so_far
            if batch.explore:
                p = chance if in_vain else _of_a_sample(chance, so_far, batch)
                so_far += batch.successes
            weight *= p**batch.successes * (1 - p) ** (batch.attempts - batch.successes)
        total += weight
        for i, b in enumerate(ahead):
            once = 1.0 if in_vain else _expected_left(chance, left, n, tried, b)
            twice = 1.0 if in_vain else _expected_left(chance, left**2, n, tried, b)
            gap = ceiling - start
            mean[i] += weight * (ceiling - gap * once)
            square[i] += weight * (ceiling**2 - 2 * ceiling * gap * once + gap**2 * twice)
    assert found.successes == n
    assert found.practised == tried
    assert found.log_evidence == pytest.approx([np.log(total)], abs=1e-9)
    assert found.mean(25)[0, list(ahead)] == pytest.approx(mean / total)
    assert found.mean_square(25)[0, list(ahead)] == pytest.approx(square / total)


def _of_a_sample(chance: float, successes: int, batch: Batch) -> float:
    if successes:
        return min(MOST, chance * GROWTH**successes)
    all_fail = _survived(chance, batch.before + batch.attempts) / _survived(chance, batch.before)
    return 1 - float(all_fail ** (1 / batch.attempts))


def test_even_samples_come_nearer_the_longer_they_fail() -> None:
    """Where the region is known to be there, failures bring the first success closer."""
    known = _searched(Stated(0.12, 0.03, 1.0, 0.03), "accurate")
    there = known.prior.copy()
    there[:, -len(DEAD_LEVELS) :] = 0.0
    known = replace(known, prior=there / there.sum())
    gains = []
    for _ in range(4):
        gains.append(float(known.mean(24)[0, -1]))
        known = known.after(Batch("A", known.practised, 6, 0))
    assert gains == sorted(gains)  # with independent samples they would fall


@pytest.mark.parametrize("quality", list(QUALITIES))
def test_endless_failures_end_in_the_least_level(quality: str) -> None:
    known = _searched(SAID, quality)
    for _ in range(20):
        known = known.after(Batch("A", known.practised, 20_000, 0))
    lucky = known.after(Batch("A", known.practised, 6, 6))
    for after in (known, lucky):
        assert after.mean(0)[0, 0] == pytest.approx(min(DEAD_LEVELS))
        assert np.isfinite(after.log_likelihood).all()
    assert (lucky.log_evidence < known.log_evidence - 6).all()


@pytest.mark.parametrize("quality", list(QUALITIES))
def test_the_prior_is_a_distribution_around_what_is_stated(quality: str) -> None:
    found = _searched(SAID, quality)
    assert found.prior.sum() == pytest.approx(1.0)
    assert (found.prior >= 0).all()
    if quality in ("accurate", "noisy"):
        assert found.mean(0)[0, 0] == pytest.approx(0.12, abs=0.05)


def test_the_stated_curve_is_met_in_the_middle() -> None:
    """Half of the gain comes about when it was stated to: after ln 2 / 0.03 = 23 attempts."""
    belief = BayesBelief.prior(_task(2), quality="accurate")
    curve = belief.curve("A", 100)
    half = int(np.argmax(curve > 0.12 + 0.44))
    assert 15 <= half <= 32


def test_a_first_success_says_most() -> None:
    prior = BayesBelief.prior(_task(3))
    competences = [
        prior.after(Batch("A", 0, 12, successes)).competence("A") for successes in range(6)
    ]
    gains = np.diff(competences)
    assert (gains > -0.01).all()  # very many early ones may be luck that cannot be repeated
    assert gains[0] > 0.4
    assert gains[0] > 2 * gains[1] > 2 * gains[2]


def test_deployed_failures_count_against_a_success() -> None:
    belief = BayesBelief.prior(_task(3)).after(Batch("A", 0, 6, 1))
    failed = belief.after(Batch("A", 6, 6, 0, explore=False))
    assert failed.competence("A") < belief.competence("A") - 0.25
    assert failed.posteriors["A"].practised == belief.posteriors["A"].practised == 6


def test_curves_are_long_enough_and_never_fall() -> None:
    belief = BayesBelief.prior(_task(2)).after(Batch("A", 0, 6, 1))
    curve = belief.curve("A", LAST + 100)
    assert curve.shape == (LAST + 101,)
    assert (np.diff(curve) >= 0).all()
    assert (belief.curve("A", 50) == curve[:51]).all()
    with pytest.raises(ValueError, match="read-only"):
        belief.mixture(30).curves["A"][0, 0] = 1.0


def test_forecasts_are_complete_and_agree_with_the_curve() -> None:
    belief = BayesBelief.prior(_task(3)).after(Batch("A", 0, 6, 1))
    expected = forecasts(belief, "A", 6, ROUND)
    assert sum(probability for probability, _ in expected) == pytest.approx(1.0)
    then = sum(p * changed.competence("A") for p, changed in expected)
    # A generation is drawn at once; the curve lets every success narrow the search at once.
    assert then == pytest.approx(belief.curve("A", ROUND)[-1], abs=0.02)


@pytest.mark.parametrize(("parameters", "wide"), [(2, 0.3), (2, 0.6), (3, 0.45), (3, 0.7)])
def test_real_searches_are_understood(parameters: int, wide: float) -> None:
    """The deployed competence of CMA-ES on hidden regions, known only by its samples' outcomes."""
    task = _task(parameters, 0.5**parameters, 0.03)
    errors, naive = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        learner = CmaEs(task.policies["A"].parameters, seed, "A")
        belief = BayesBelief.prior(task)
        plain = BayesBelief.prior(task, exploration=1.0)

        def works(x: np.ndarray, rng: np.random.Generator = rng) -> bool:
            executed = x + rng.normal(0, 0.15 * wide, parameters)
            return bool((abs(executed - wide) < wide).all())

        for generation in range(8):
            asked = [learner.ask() for _ in range(ROUND)]
            candidates = [candidate for candidate in asked if candidate]
            results = [works(np.array([*c.values.values()])) for c in candidates]
            for candidate, success in zip(candidates, results, strict=True):
                learner.tell(candidate.id, "success" if success else "failure")
            batch = Batch("A", generation * ROUND, ROUND, sum(results))
            belief, plain = belief.after(batch), plain.after(batch)
            deployed = np.array([*learner.deployed.values()])
            true = np.mean([works(deployed) for _ in range(40)])
            errors.append(belief.competence("A") - true)
            naive.append(plain.competence("A") - true)
    assert np.mean(np.abs(errors)) < 0.17
    assert np.mean(np.abs(errors)) < 0.5 * np.mean(np.abs(naive))
    assert abs(np.mean(errors)) < 0.15


def test_thirty_failures_of_what_is_deployed_are_believed() -> None:
    belief = BayesBelief.prior(_task(2, start=0.2))
    assert belief.after(Batch("A", 0, 30, 0, explore=False)).competence("A") < 0.03


def test_a_stated_ceiling_of_one_is_believed() -> None:
    belief = BayesBelief.prior(_task(2), quality="accurate").after(Batch("A", 0, 12, 1))
    assert belief.curve("A", 200)[-1] > 0.95
