"""The probability of each curve of the table before any attempt, given the stated curve.

A statement is a measurement of the truth with an error that depends on its quality. Truths also
have a usual distribution, over all policies that are practised:

    P(truth | stated, quality) ∝ usual(truth) N(stated; truth - bias, sd)

So little is left of a vague statement, and of an accurate one nearly everything. Experience
replaces the usual distribution by that of a kind of skill.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from deliberate_practice.beliefs.hypotheses import (
    CEILINGS,
    DEAD,
    DEAD_LEVELS,
    LOG_RATES,
    STARTS,
    hypotheses,
)
from deliberate_practice.beliefs.population import CEILING_WEIGHTS, USUAL, Population, Usual
from deliberate_practice.beliefs.stated import Stated
from deliberate_practice.foundation.arrays import FloatArray


@dataclass(frozen=True)
class Quality:
    """One explanation of how good the stated priors are, shared by all policies of a task.

    Attributes:
        weight: Its probability.
        start_bias: Mean of logit(true start) - logit(stated competence).
        start_sd: Standard deviation of the same.
        rate_bias: Mean of log(true rate) - log(stated rate).
        rate_sd: Standard deviation of the same.
        dead: Probability that practice does not improve a policy at all.
        ceiling: Weight of a stated ceiling of 1 against ``CEILING_WEIGHTS``.
    """

    weight: float
    start_bias: float
    start_sd: float
    rate_bias: float
    rate_sd: float
    dead: float
    ceiling: float


QUALITIES = {
    "accurate": Quality(0.28, 0.0, 0.25, 0.0, 0.20, dead=0.03, ceiling=0.85),
    "noisy": Quality(0.25, 0.0, 0.60, 0.0, 0.70, dead=0.10, ceiling=0.7),
    "optimistic": Quality(0.30, -0.8, 0.60, -1.05, 0.60, dead=0.12, ceiling=0.3),
    "pessimistic": Quality(0.05, 0.8, 0.60, 0.70, 0.60, dead=0.10, ceiling=0.7),
    "vague": Quality(0.12, 0.0, 1.50, 0.0, 1.20, dead=0.12, ceiling=0.3),
}


STATED_CEILING_SD = 0.05
LOWER_CEILING = 0.7
"""Least weight of a stated ceiling below 1: optimists do not state one without a reason."""

DEAD_SD = 1.0
"""Least sd of logit(level) of a dead policy: it may also start far from what was stated."""

NEVER = 0.5
"""Share of the dead policies that never succeed, whatever was stated."""

FLOOR = 0.01
"""Share of each prior that is spread evenly over its levels, so that none is ruled out."""

QUANTILES: FloatArray = np.array([NormalDist().inv_cdf((i + 0.5) / 200) for i in range(200)])
"""Equally likely errors of a statement, in standard deviations."""


@lru_cache(maxsize=1024)
def prior_weights(stated: Stated, population: Population = USUAL) -> FloatArray:
    """Probability of each curve of the table under each quality, shape (C, H); rows sum to 1.

    Start, rate, ceiling and family are independent, but that a ceiling lies above its start.
    Stated values of logit(start) and log(rate) have normal errors with the quality's biases.
    Stated values beyond the table's levels count as its first or last level.

    Args:
        stated: The statement about the policy.
        population: The policies that it is taken from.
    """
    weights = np.stack([_weights(stated, quality, population) for quality in QUALITIES.values()])
    weights.setflags(write=False)
    return weights


def _weights(stated: Stated, quality: Quality, population: Population) -> FloatArray:
    table = hypotheses()
    said_start, said_rate = _said(stated, quality)
    start = spread(logit(STARTS), said_start, quality.start_sd, population.start)
    rate = spread(LOG_RATES, said_rate, quality.rate_sd, population.speed)
    dead = quality.dead if population.impossible is None else population.impossible

    alive = table.family != DEAD
    i = np.searchsorted(STARTS, table.start[alive])
    j = np.searchsorted(LOG_RATES, table.log_rate[alive])
    k = np.searchsorted(CEILINGS, table.ceiling[alive])
    family = np.asarray(population.shapes)[table.family[alive]]
    weights: FloatArray = np.empty(len(alive))
    ceiling = ceiling_weights(stated, quality, np.asarray(population.ceilings))[i, k]
    weights[alive] = (1 - dead) * start[i] * rate[j] * ceiling * family
    weights[~alive] = dead * dead_weights(said_start, quality.start_sd)
    weights /= weights.sum()
    return weights


def statement_evidence(stated: Stated, population: Population = USUAL) -> FloatArray:
    """Logarithm of the density of a statement under each quality, up to a constant; shape (C,).

    A start or rate that few policies have was rather stated by an optimist, or at random.
    """
    found = []
    for quality in QUALITIES.values():
        said_start, said_rate = _said(stated, quality)
        start = density(said_start, quality.start_sd, population.start)
        rate = density(said_rate, quality.rate_sd, population.speed)
        found.append(np.log(start) + np.log(rate))
    return np.array(found)


def density(said: float, sd: float, usual: Usual | None) -> float:
    """Density of a statement with a normal error, up to a constant."""
    return float(usual.density(said + sd * QUANTILES).mean()) if usual else 1.0


def _said(stated: Stated, quality: Quality) -> tuple[float, float]:
    """logit(start) and log(rate) as stated, less the biases of the quality."""
    rate = log_within(stated.pace, LOG_RATES)
    return stated_start(stated) + quality.start_bias, rate + quality.rate_bias


def stated_start(stated: Stated) -> float:
    """logit of the stated competence, within the levels of the table."""
    return float(logit(np.clip(stated.start, STARTS[0], STARTS[-1])))


def log_within(value: float, levels: FloatArray) -> float:
    """Logarithm of a value, within levels of that logarithm."""
    return float(np.log(np.clip(value, *np.exp(levels[[0, -1]]))))


def dead_weights(said_start: float, sd: float) -> FloatArray:
    """Probability of each level of a dead policy: it never succeeds, or about as often as said."""
    near = spread(logit(DEAD_LEVELS), said_start, max(sd, DEAD_SD))
    never = np.zeros(len(DEAD_LEVELS))
    never[0] = 1.0
    return np.asarray(NEVER * never + (1 - NEVER) * near)


def ceiling_weights(
    stated: Stated,
    quality: Quality,
    unstated: FloatArray = CEILING_WEIGHTS,
    sd: float = STATED_CEILING_SD,
) -> FloatArray:
    """Probability of each ceiling given the start, shape (starts, ceilings).

    Args:
        stated: The stated curve.
        quality: How much its ceiling counts.
        unstated: Probability of each ceiling if it counts nothing.
        sd: Standard deviation of its error.
    """
    near = spread(CEILINGS, stated.ceiling, sd)
    trust = quality.ceiling if stated.ceiling >= 1 else max(quality.ceiling, LOWER_CEILING)
    weights = trust * near + (1 - trust) * unstated
    return above_starts(weights)


def above_starts(ceilings: FloatArray) -> FloatArray:
    """Probability of each ceiling that lies above the start, shape (starts, ceilings)."""
    possible: FloatArray = np.where(STARTS[:, None] < CEILINGS, ceilings, 0.0)
    possible /= possible.sum(axis=1, keepdims=True)
    return possible


def spread(levels: FloatArray, said: float, sd: float, usual: Usual | None = None) -> FloatArray:
    """The distribution on levels of a truth that was said with a normal error.

    The truths that the error may have come from, weighted by how usual they are, are each shared
    by the two levels beside them. That keeps the mean where it was, also of a normal much narrower
    than the levels are apart.
    """
    truths = said + sd * QUANTILES
    weights = np.ones(len(truths)) if usual is None else usual.density(truths)
    points = np.clip(truths, levels[0], levels[-1])
    above = np.clip(np.searchsorted(levels, points), 1, len(levels) - 1)
    share = (points - levels[above - 1]) / (levels[above] - levels[above - 1])
    count = len(levels)
    near = np.bincount(above, weights * share, count)
    near += np.bincount(above - 1, weights * (1 - share), count)
    return np.asarray((1 - FLOOR) * near / weights.sum() + FLOOR / count)


def logit(p: FloatArray) -> FloatArray:
    """Logarithm of the odds."""
    return np.asarray(np.log(p) - np.log1p(-p))
