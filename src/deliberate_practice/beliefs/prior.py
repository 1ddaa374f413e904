"""The probability of each curve of the table before any attempt, given the stated curve."""

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
    """

    weight: float
    start_bias: float
    start_sd: float
    rate_bias: float
    rate_sd: float
    dead: float


QUALITIES = {
    "accurate": Quality(0.28, 0.0, 0.25, 0.0, 0.20, dead=0.03),
    "noisy": Quality(0.25, 0.0, 0.60, 0.0, 0.70, dead=0.06),
    "optimistic": Quality(0.30, -0.8, 0.60, -1.05, 0.60, dead=0.10),
    "pessimistic": Quality(0.05, 0.8, 0.60, 0.70, 0.60, dead=0.03),
    "vague": Quality(0.12, 0.0, 1.50, 0.0, 1.20, dead=0.08),
}

FAMILY_WEIGHTS: FloatArray = np.array([0.4, 0.4, 0.2])  # linear, exponential, s-shaped

CEILING_WEIGHTS: FloatArray = np.array([0.03, 0.04, 0.08, 0.35, 0.50])
STATED_CEILING_WEIGHT = 0.7
"""How much a stated ceiling below 1 counts against ``CEILING_WEIGHTS``."""
STATED_CEILING_SD = 0.05

DEAD_SD = 1.0
"""Least sd of logit(level) of a dead policy: it may also start far from what was stated."""

FLOOR = 0.01
"""Share of each prior that is spread evenly over its levels, so that none is ruled out."""

_QUANTILES: FloatArray = np.array([NormalDist().inv_cdf((i + 0.5) / 200) for i in range(200)])


@lru_cache(maxsize=1024)
def prior_weights(stated: Stated) -> FloatArray:
    """Probability of each curve of the table under each quality, shape (C, H); rows sum to 1.

    Start, rate, ceiling and family are independent, but that a ceiling lies above its start:
    normal on logit(start) and on log(rate) around the stated values shifted by the quality's
    biases. Stated values beyond the table's levels count as its first or last level.
    """
    weights = np.stack([_weights(stated, quality) for quality in QUALITIES.values()])
    weights.setflags(write=False)
    return weights


def _weights(stated: Stated, quality: Quality) -> FloatArray:
    table = hypotheses()
    stated_start = np.clip(stated.start, STARTS[0], STARTS[-1])
    stated_log_rate = np.log(np.clip(stated.rate, *np.exp(LOG_RATES[[0, -1]])))
    centre = float(logit(stated_start)) + quality.start_bias
    log_rate = float(stated_log_rate) + quality.rate_bias
    start = spread(logit(STARTS), centre, quality.start_sd)
    rate = spread(LOG_RATES, log_rate, quality.rate_sd)
    level = spread(logit(DEAD_LEVELS), centre, max(quality.start_sd, DEAD_SD))

    alive = table.family != DEAD
    i = np.searchsorted(STARTS, table.start[alive])
    j = np.searchsorted(LOG_RATES, table.log_rate[alive])
    k = np.searchsorted(CEILINGS, table.ceiling[alive])
    family = FAMILY_WEIGHTS[table.family[alive]]
    weights: FloatArray = np.empty(len(alive))
    ceiling = ceiling_weights(stated)[i, k]
    weights[alive] = (1 - quality.dead) * start[i] * rate[j] * ceiling * family
    weights[~alive] = quality.dead * level
    weights /= weights.sum()
    return weights


def ceiling_weights(stated: Stated, unstated: FloatArray = CEILING_WEIGHTS) -> FloatArray:
    """Probability of each ceiling given the start, shape (starts, ceilings)."""
    weights = unstated
    if stated.ceiling < 1:
        near = spread(CEILINGS, stated.ceiling, STATED_CEILING_SD)
        weights = STATED_CEILING_WEIGHT * near + (1 - STATED_CEILING_WEIGHT) * unstated
    possible: FloatArray = np.where(STARTS[:, None] < CEILINGS, weights, 0.0)
    possible /= possible.sum(axis=1, keepdims=True)
    return possible


def spread(levels: FloatArray, mean: float, sd: float) -> FloatArray:
    """A normal distribution on levels: each quantile is shared by the two levels beside it.

    That keeps the mean where it was, also of a normal much narrower than the levels are apart.
    """
    points = np.clip(mean + sd * _QUANTILES, levels[0], levels[-1])
    above = np.clip(np.searchsorted(levels, points), 1, len(levels) - 1)
    share = (points - levels[above - 1]) / (levels[above] - levels[above - 1])
    count = len(levels)
    near = np.bincount(above, share, count) + np.bincount(above - 1, 1 - share, count)
    return (1 - FLOOR) * near / len(points) + FLOOR / count


def logit(p: FloatArray) -> FloatArray:
    """Logarithm of the odds."""
    return np.asarray(np.log(p) - np.log1p(-p))
