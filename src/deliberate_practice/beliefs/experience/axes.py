"""The coordinates of a table of hypotheses: start, speed, ceiling and shape; or no effect."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from deliberate_practice.beliefs import search
from deliberate_practice.beliefs.hypotheses import (
    CEILINGS,
    DEAD,
    LOG_RATES,
    STARTS,
    hypotheses,
)
from deliberate_practice.beliefs.population import USUAL, USUAL_START, Population, Usual
from deliberate_practice.beliefs.prior import (
    DEAD_SD,
    Quality,
    log_within,
    stated_start,
)
from deliberate_practice.beliefs.stated import Stated
from deliberate_practice.foundation.arrays import FloatArray, IntArray

USUALLY_IMPOSSIBLE = 0.1
"""Probability that practice along a curve has no effect."""

USUAL_CHANCE = Usual(float(np.log(0.03)), 1.0, 2.0)
"""log(chance) of the first samples of a search."""


@dataclass(frozen=True)
class Measured:
    """A statement as a measurement of the truth, if it has a certain quality.

    Attributes:
        start, start_sd: logit(competence) before practice, and the standard deviation of its error.
        speed, speed_sd: The same for the logarithm of the rate, or of the chance.
        level: logit(competence) of a policy that practice has no effect on.
    """

    start: float
    start_sd: float
    speed: float
    speed_sd: float
    level: float


@dataclass(frozen=True, eq=False)
class Axes:
    """The levels of each coordinate, and the hypotheses by their levels.

    Attributes:
        speeds: Logarithms of rates, or of chances of a first success.
        usual: All policies that improve in this way.
        outside: Probability that nothing works before the first success.
        i, j, k, f: Level of start, speed, ceiling and shape of each hypothesis; those without
            effect of practice come after them.
    """

    speeds: FloatArray
    usual: Population
    outside: float
    i: IntArray
    j: IntArray
    k: IntArray
    f: IntArray

    @property
    def alive(self) -> int:
        """How many hypotheses state that practice has an effect."""
        return len(self.i)


@cache
def axes(model: str) -> Axes:
    """The coordinates of policies that improve by a ``search``, or along a curve."""
    if model == "search":
        grid, other = search.grid(), search.usual_searches()
        impossible = search.NOWHERE * USUALLY_IMPOSSIBLE
        return Axes(
            search.LOG_CHANCES,
            Population(USUAL_START, USUAL_CHANCE, other.ceilings, other.shapes, impossible),
            search.OUTSIDE,
            *(grid.i, grid.j, grid.m, grid.k),
        )
    table = hypotheses()
    alive = table.family != DEAD
    return Axes(
        LOG_RATES,
        Population(USUAL.start, USUAL.speed, USUAL.ceilings, USUAL.shapes, USUALLY_IMPOSSIBLE),
        0.0,
        i=np.searchsorted(STARTS, table.start[alive]),
        j=np.searchsorted(LOG_RATES, table.log_rate[alive]),
        k=np.searchsorted(CEILINGS, table.ceiling[alive]),
        f=table.family[alive],
    )


def measured(stated: Stated, quality: Quality, model: str) -> Measured:
    """What a statement measures, as :mod:`..prior` and :mod:`..search` take it."""
    start = stated_start(stated) + quality.start_bias
    if model == "search":
        speed = log_within(search.stated_chance(stated), search.LOG_CHANCES)
        speed += search.RATE_BIAS * quality.rate_bias
        sd = max(quality.rate_sd, search.CHANCE_SD)
        return Measured(start, quality.start_sd, speed, sd, start - DEAD_SD)
    speed = log_within(stated.pace, LOG_RATES) + quality.rate_bias
    return Measured(start, quality.start_sd, speed, quality.rate_sd, start)
