"""The posterior of a policy that improves by a search of its parameters.

The learner deploys the middle of its latest successes, so the deployed competence is a function of
the number n of successes. The samples of the search fail far more often. With n successes so far:

    competence            c(n) = ceiling - (ceiling - start) left^n
    no success in t       exp(-(chance t)^EVEN): samples are spread evenly, so the chance of a
                          first success rises with every failure
    chance of a sample    λ(n) = min(MOST, chance GROWTH^n) from then on, as the search narrows
    no effect of practice c = λ = level for every n, probably below the stated start

Measured on skills in physics and on hidden regions, ``left`` is 0.05 to 0.45: the first success
is worth most, the fourth nearly nothing; and ``EVEN`` is 1.3 to 1.4. The posterior over (start,
chance, left, ceiling) is exact on a grid; expectations over the successes to come are taken by
dynamic programming, once for all.

``RATE_BIAS``, ``NOWHERE``, ``OUTSIDE`` and the weights of ceilings were chosen on the development
regions of ``benchmarks/search_forecasts.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

import numpy as np

from deliberate_practice.beliefs.belief import Batch
from deliberate_practice.beliefs.hypotheses import CEILINGS, DEAD_LEVELS, STARTS
from deliberate_practice.beliefs.population import Population, Usual
from deliberate_practice.beliefs.prior import (
    DEAD_SD,
    QUALITIES,
    Quality,
    ceiling_weights,
    dead_weights,
    log_within,
    logit,
    spread,
    stated_start,
)
from deliberate_practice.beliefs.stated import Stated
from deliberate_practice.foundation.arrays import FloatArray, IntArray

LOG_CHANCES: FloatArray = np.linspace(np.log(0.003), np.log(0.5), 14)
LEFT: FloatArray = np.array([0.05, 0.2, 0.45])
LEFT_WEIGHTS: FloatArray = np.array([0.4, 0.4, 0.2])
EVEN, GROWTH, MOST = 1.35, 1.3, 0.85
CEILING_WEIGHTS: FloatArray = np.array([0.01, 0.02, 0.03, 0.12, 0.82])
CEILING_SD = 0.01
"""Standard deviation of the error of a stated ceiling: the ends of searches are known well."""

RATE_BIAS = 0.5
"""Part of the bias of a quality's rates that the speed of a search has."""

OUTSIDE = 0.3
"""Probability that nothing deployed works before the first success, whatever was stated: the prior
mean lies outside of the region, as it did in all skills that were measured in physics."""

NOWHERE = 0.2
"""A region that is out of reach, relative to practice without effect along a curve; of the skills
that were measured in physics, none was."""

CHANCE_SD = 0.35
"""Least sd of log(chance): the size of a region of success is never known well."""

MANY = 12
"""Further successes change nothing."""

BELOW_ONE = float(np.nextafter(1.0, 0.0))
"""After so many failures that the chance of a sample rounds to 1, another one stays possible."""

LAST = 1023
"""Curves are constant after this many attempts."""


@dataclass(frozen=True, eq=False)
class SearchPosterior:
    """The posterior of one policy under each of C prior qualities; made by :func:`searched`.

    Attributes:
        prior: Probability of each hypothesis before any attempt, shape (C, H).
        log_likelihood: Of all attempts so far under each, shape (H,).
        practised: Attempts of the policy so far.
        successes: How many of them succeeded.
        log_evidence: Logarithm of the probability of the attempts under each quality, shape (C,).
    """

    prior: FloatArray
    log_likelihood: FloatArray
    practised: int
    successes: int
    log_evidence: FloatArray

    def after(self, batch: Batch) -> SearchPosterior:
        """The posterior once a batch has been seen; only samples of the learner are practice."""
        table = grid()
        if not batch.explore:
            chance = table.competence(self._n)
        elif self.successes:
            chance = table.sample(self._n)
        else:
            chance = table.first(self.practised, batch.attempts)
        failures = batch.attempts - batch.successes
        seen = batch.successes * np.log(chance) + failures * np.log1p(-chance)
        reached = batch.before + (batch.attempts if batch.explore else 0)
        return _posterior(
            self.prior,
            self.log_likelihood + seen,
            max(self.practised, reached),
            self.successes + (batch.successes if batch.explore else 0),
        )

    def mean(self, attempts: int) -> FloatArray:
        """Mean competence after 0, 1, ..., ``attempts`` more attempts, shape (C, attempts + 1)."""
        return _until(attempts, self._mean)

    def mean_square(self, attempts: int) -> FloatArray:
        """Mean of the squared competence, shape (C, attempts + 1)."""
        return _until(attempts, self._mean_square)

    @cached_property
    def _mean(self) -> FloatArray:
        table, weights = grid(), self._weights
        most: FloatArray = (weights * table.ceiling).sum(axis=1, keepdims=True)
        return most - _sum(weights * table.gap, self._expected(1))

    @cached_property
    def _mean_square(self) -> FloatArray:
        table, weights = grid(), self._weights
        most: FloatArray = (weights * table.ceiling**2).sum(axis=1, keepdims=True)
        once = _sum(weights * (2 * table.ceiling * table.gap), self._expected(1))
        return most - once + _sum(weights * table.gap**2, self._expected(2))

    def _expected(self, power: int) -> FloatArray:
        """Expected left^(power n) after 0, 1, ..., LAST more attempts, shape (cells, LAST + 1)."""
        if self.successes:
            return np.asarray(_expected_later(power)[self._n])
        return _expected_first(self.practised, power)

    @property
    def _n(self) -> int:
        """Successes that count."""
        return min(self.successes, MANY)

    @property
    def _weights(self) -> FloatArray:
        """Probability of each hypothesis now, shape (C, H)."""
        joint = self.prior * np.exp(self.log_likelihood - self.log_likelihood.max())
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))


@lru_cache(maxsize=1024)
def search_weights(stated: Stated, population: Population | None = None) -> FloatArray:
    """Probability of each hypothesis under each quality, shape (C, H); rows sum to 1.

    The chance of the first samples is chosen so that the initial slope is the stated one.

    Args:
        stated: The statement about the policy.
        population: The policies that it is taken from; by default the usual ones.
    """
    usual = usual_searches() if population is None else population
    weights = np.stack([_weights(stated, quality, usual) for quality in QUALITIES.values()])
    weights.setflags(write=False)
    return weights


def searched(prior: FloatArray) -> SearchPosterior:
    """The posterior before any attempt, from probabilities of each hypothesis of shape (C, H)."""
    return _posterior(prior, np.zeros(prior.shape[1]), 0, 0)


@cache
def usual_searches() -> Population:
    """All policies that improve by a search; no start and no chance is more usual than others."""
    return Population(None, None, tuple(CEILING_WEIGHTS.tolist()), tuple(LEFT_WEIGHTS.tolist()))


def _weights(stated: Stated, quality: Quality, population: Population) -> FloatArray:
    table = grid()
    centre = stated_start(stated) + quality.start_bias
    log_chance = log_within(stated_chance(stated), LOG_CHANCES) + RATE_BIAS * quality.rate_bias
    starts = first_starts(centre, quality.start_sd, population.start)
    chances = spread(LOG_CHANCES, log_chance, max(quality.rate_sd, CHANCE_SD), population.speed)
    levels = dead_weights(centre - DEAD_SD, quality.start_sd)
    ceilings = ceiling_weights(stated, quality, np.asarray(population.ceilings), CEILING_SD)
    left = np.asarray(population.shapes)
    alive = starts[table.i] * chances[table.j] * left[table.k] * ceilings[table.i, table.m]
    dead = NOWHERE * quality.dead if population.impossible is None else population.impossible
    weights: FloatArray = np.append((1 - dead) * alive, dead * levels)
    weights /= weights.sum()
    return weights


def first_starts(centre: float, sd: float, usual: Usual | None = None) -> FloatArray:
    """Probability of each competence before the first success."""
    starts = (1 - OUTSIDE) * spread(logit(STARTS), centre, sd, usual)
    starts[0] += OUTSIDE
    return np.asarray(starts)


def stated_chance(stated: Stated) -> float:
    """The chance of a first sample with which the initial slope is the stated one."""
    return float(stated.rate / max(stated.ceiling - stated.start, 0.05) / (1 - LEFT @ LEFT_WEIGHTS))


def _posterior(
    prior: FloatArray, log_likelihood: FloatArray, practised: int, successes: int
) -> SearchPosterior:
    largest = log_likelihood.max()
    total = (prior * np.exp(log_likelihood - largest)).sum(axis=1)
    return SearchPosterior(prior, log_likelihood, practised, successes, np.log(total) + largest)


@dataclass(frozen=True, eq=False)
class Grid:
    """The H hypotheses: all combinations of the levels, then those without effect of practice.

    Attributes:
        i, j, k, m: Level of start, chance, left and ceiling of each combination.
        start, ceiling: Competence without success, and after many, shape (H,); they are equal if
            practice has no effect.
        cell: The combination of chance and left, shape (H,); any if practice has no effect.
    """

    i: IntArray
    j: IntArray
    k: IntArray
    m: IntArray
    start: FloatArray
    ceiling: FloatArray
    cell: IntArray

    @property
    def gap(self) -> FloatArray:
        """The possible gain in competence, shape (H,)."""
        return self.ceiling - self.start

    def competence(self, successes: int) -> FloatArray:
        """Competence of the deployed policy after so many successes, shape (H,)."""
        return self.ceiling - self.gap * LEFT[self.cell % len(LEFT)] ** successes

    def sample(self, successes: int) -> FloatArray:
        """Chance of a sample after so many successes, shape (H,)."""
        return np.append(_chances(successes)[self.j], self.start[len(self.j) :])

    def first(self, tried: int, more: int) -> FloatArray:
        """Mean chance of each of the next samples if all so far have failed, shape (H,)."""
        chances = -np.expm1(-_hazard(tried, [more])[:, 0] / max(more, 1))
        chances = np.minimum(chances, BELOW_ONE)
        return np.append(chances[self.j], self.start[len(self.j) :])


@cache
def grid() -> Grid:
    """All hypotheses."""
    possible = [
        (i, j, k, m)
        for i in range(len(STARTS))
        for j in range(len(LOG_CHANCES))
        for k in range(len(LEFT))
        for m in range(len(CEILINGS))
        if STARTS[i] < CEILINGS[m]
    ]
    i, j, k, m = (np.array(column, dtype=np.int64) for column in zip(*possible, strict=True))
    cell = np.append(j * len(LEFT) + k, np.zeros(len(DEAD_LEVELS), dtype=np.int64))
    start = np.append(STARTS[i], DEAD_LEVELS)
    return Grid(i, j, k, m, start, np.append(CEILINGS[m], DEAD_LEVELS), cell)


def _chances(successes: int) -> FloatArray:
    return np.asarray(np.minimum(MOST, np.exp(LOG_CHANCES) * GROWTH**successes))


def _hazard(tried: int, more: Sequence[int]) -> FloatArray:
    """-log of the probability that so many further samples fail, shape (chances, len(more))."""
    longer = np.array([(tried + b) ** EVEN - tried**EVEN for b in more])
    return np.asarray(np.exp(EVEN * LOG_CHANCES)[:, None] * longer)


@lru_cache(maxsize=256)
def _expected_first(tried: int, power: int) -> FloatArray:
    """Expected left^(power n) after 0, 1, ..., LAST more attempts if none of ``tried`` succeeded.

    The first success comes with the j-th of b attempts, and then b - j are left; or it never does.
    """
    none = np.exp(-_hazard(tried, range(LAST + 1)))
    comes = np.repeat(none[:, :-1] - none[:, 1:], len(LEFT), axis=0)
    then = _expected_later(power)[1][:, :-1]
    expected = np.repeat(none, len(LEFT), axis=0)
    length = 2 * LAST  # so that the convolution does not come round
    both = np.fft.rfft(comes, length) * np.fft.rfft(then, length)
    expected[:, 1:] += np.fft.irfft(both, length)[:, :LAST]
    return expected


@cache
def _expected_later(power: int) -> FloatArray:
    """The same from every number n >= 1 of successes, shape (MANY + 1, cells, LAST + 1).

    An attempt more is the first of them: it succeeds, or it does not.
    """
    chance = np.stack([np.repeat(_chances(n), len(LEFT)) for n in range(MANY + 1)])
    left = np.tile(LEFT**power, len(LOG_CHANCES))
    values = np.empty((LAST + 1, MANY + 1, len(left)))
    values[0] = left ** np.arange(MANY + 1)[:, None]
    for b in range(LAST):
        more = np.concatenate([values[b][1:], values[b][-1:]])
        values[b + 1] = values[b] + chance * (more - values[b])
    return np.ascontiguousarray(values.transpose(1, 2, 0))


def _sum(weights: FloatArray, expected: FloatArray) -> FloatArray:
    """Sum over all hypotheses of weights, shape (C, H), times what is expected in their cell."""
    by_cell = np.stack([np.bincount(grid().cell, row, len(expected)) for row in weights])
    return np.asarray(np.einsum("ck,kb->cb", by_cell, expected))


def _until(attempts: int, values: FloatArray) -> FloatArray:
    """The first columns of the same sums, with the last one repeated if more are needed."""
    first = values[:, : attempts + 1]
    missing = attempts - LAST
    first = np.pad(first, ((0, 0), (0, missing)), mode="edge") if missing > 0 else first.view()
    first.setflags(write=False)
    return first
