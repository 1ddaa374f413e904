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
from deliberate_practice.beliefs.prior import (
    CEILING_WEIGHTS,
    FAMILY_WEIGHTS,
    STATED_CEILING_SD,
    above_starts,
    dead_weights,
    log_within,
    spread,
)
from deliberate_practice.beliefs.stated import Stated
from deliberate_practice.foundation.arrays import FloatArray, IntArray

USUALLY_IMPOSSIBLE = 0.1
"""Probability that practice along a curve has no effect."""


@dataclass(frozen=True, eq=False)
class Axes:
    """The levels of each coordinate, and the hypotheses by their levels.

    Attributes:
        speeds: Logarithms of rates, or of chances of a first success.
        ceilings: Usual probability of each ceiling.
        shapes: Usual probability of each shape.
        impossible: Usual probability that practice has no effect.
        outside: Probability that nothing works before the first success.
        ceiling_sd: Standard deviation of the error of a stated ceiling.
        i, j, k, f: Level of start, speed, ceiling and shape of each hypothesis; those without
            effect of practice come after them.
    """

    speeds: FloatArray
    ceilings: FloatArray
    shapes: FloatArray
    impossible: float
    outside: float
    ceiling_sd: float
    i: IntArray
    j: IntArray
    k: IntArray
    f: IntArray

    @property
    def alive(self) -> int:
        """How many hypotheses say that practice has an effect."""
        return len(self.i)

    def joint(
        self,
        start: tuple[float, float],
        speed: tuple[float, float],
        ceiling: FloatArray,
        shape: FloatArray,
        impossible: float,
    ) -> FloatArray:
        """Probability of each hypothesis, from independent coordinates.

        Args:
            start, speed: Mean and standard deviation.
            ceiling: Probability of each ceiling; those below the start are left out.
            shape: Probability of each shape.
            impossible: Probability of no effect.
        """
        starts = search.first_starts(*start, self.outside)
        speeds = spread(self.speeds, *speed)
        levels = dead_weights(*start)
        possible = above_starts(ceiling)
        effect = starts[self.i] * speeds[self.j] * possible[self.i, self.k] * shape[self.f]
        weights = np.append((1 - impossible) * effect, impossible * levels)
        return np.asarray(weights / weights.sum())


@cache
def axes(model: str) -> Axes:
    """The coordinates of policies that improve by a ``search``, or along a curve."""
    if model == "search":
        grid = search.grid()
        return Axes(
            search.LOG_CHANCES,
            search.CEILING_WEIGHTS,
            search.LEFT_WEIGHTS,
            search.NOWHERE * USUALLY_IMPOSSIBLE,
            search.OUTSIDE,
            search.CEILING_SD,
            *(grid.i, grid.j, grid.m, grid.k),
        )
    table = hypotheses()
    alive = table.family != DEAD
    return Axes(
        LOG_RATES,
        CEILING_WEIGHTS,
        FAMILY_WEIGHTS,
        USUALLY_IMPOSSIBLE,
        0.0,
        STATED_CEILING_SD,
        i=np.searchsorted(STARTS, table.start[alive]),
        j=np.searchsorted(LOG_RATES, table.log_rate[alive]),
        k=np.searchsorted(CEILINGS, table.ceiling[alive]),
        f=table.family[alive],
    )


def stated_speed(stated: Stated, model: str) -> float:
    """Logarithm of the stated rate, or of the chance that it stands for, within the levels."""
    speed = search.stated_chance(stated) if model == "search" else stated.pace
    return log_within(speed, axes(model).speeds)
