"""What was stated and seen about one skill, as evidence about the skills of its kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deliberate_practice.beliefs.experience.axes import axes, measured
from deliberate_practice.beliefs.experience.heights import Axis
from deliberate_practice.beliefs.experience.populations import WIDE
from deliberate_practice.beliefs.hypotheses import CEILINGS, STARTS
from deliberate_practice.beliefs.population import Usual
from deliberate_practice.beliefs.prior import (
    FLOOR,
    QUANTILES,
    Quality,
    above_starts,
    dead_weights,
    density,
    logit,
)
from deliberate_practice.beliefs.stated import Stated
from deliberate_practice.foundation.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Seen:
    """A policy of an earlier session.

    Attributes:
        model: How it improves.
        kind: The kind of skill.
        stated: The curve that its task stated.
        log_likelihood: Of its attempts under each hypothesis of the model's table.
        practised: Whether there were any attempts.
    """

    model: str
    kind: str
    stated: Stated
    log_likelihood: FloatArray
    practised: bool = True


@dataclass(frozen=True, eq=False)
class Shares:
    """What the skills of a kind share beside their heights.

    Attributes:
        ceilings, shapes: Probability of each.
        impossible: Probability that practice has no effect.
    """

    ceilings: FloatArray
    shapes: FloatArray
    impossible: float


@dataclass(frozen=True, eq=False)
class Counts:
    """What one skill is, after its attempts.

    Attributes:
        ceilings, shapes: Probability that practice has an effect, and of each.
        effect: Probability that practice has an effect.
    """

    ceilings: FloatArray
    shapes: FloatArray
    effect: float


class Evidence:
    """What was stated and seen about one skill, if its session's statements have a quality.

    Given the heights (μ, ν) of its kind:

        P(stated, seen | μ, ν)  =  (1 - d) Σ_ij start_i(μ) speed_j(ν) L_ij  +  d D

    with L_ij the likelihood of the attempts, averaged over ceilings and shapes, D that of policies
    that practice has no effect on, and d their share. Stated ceilings count nothing here: most are
    defaults.

    Args:
        seen: The policy.
        quality: The quality of the statement.
        start, speed: The grid of heights.
        repeated: How often the statement stands. It counts with the power of 1 / repeated, and so
            once in all.
    """

    def __init__(
        self, seen: Seen, quality: Quality, start: Axis, speed: Axis, repeated: int
    ) -> None:
        self.seen = seen
        table = self._table = axes(seen.model)
        likelihood = np.exp(seen.log_likelihood - seen.log_likelihood.max())
        self._alive = likelihood[: table.alive]
        says = measured(seen.stated, quality, seen.model)
        near = _truths(logit(STARTS), says.start, says.start_sd, start, repeated)
        outside = table.outside * near.sum(axis=1)
        self._start = (1 - table.outside) * near
        self._start[:, 0] += outside
        self._speed = _truths(table.speeds, says.speed, says.speed_sd, speed, repeated)
        stated = density(says.start, says.start_sd, table.usual.start)
        stated *= _evenly(table.usual.speed, table.speeds)
        levels = dead_weights(says.level, quality.start_sd)
        self._dead = stated ** (1 / repeated) * float(levels @ likelihood[table.alive :])

    def log_likelihood(self, shares: Shares) -> FloatArray:
        """Logarithm of the formula above, shape (G, G)."""
        table, count = self._table, len(self._table.speeds)
        ceilings = above_starts(shares.ceilings)[table.i, table.k]
        weights = ceilings * shares.shapes[table.f] * self._alive
        effect = _sums(table.i * count + table.j, weights, len(STARTS) * count).reshape(-1, count)
        alive = self._start @ effect @ self._speed.T
        return np.asarray(np.log((1 - shares.impossible) * alive + shares.impossible * self._dead))

    def counts(self, shares: Shares, heights: FloatArray) -> Counts:
        """What the skill itself is, given the probabilities of heights."""
        table = self._table
        both = self._start.T @ heights @ self._speed
        prior = both[table.i, table.j] * above_starts(shares.ceilings)[table.i, table.k]
        joint = (1 - shares.impossible) * prior * shares.shapes[table.f] * self._alive
        weights = joint / (joint.sum() + shares.impossible * self._dead)
        return Counts(
            _sums(table.k, weights, len(CEILINGS)),
            _sums(table.f, weights, len(shares.shapes)),
            float(weights.sum()),
        )


def _truths(levels: FloatArray, said: float, sd: float, axis: Axis, repeated: int) -> FloatArray:
    """Density of a statement and probability of each level of the truth, by height: (G, levels)."""
    truths = said + sd * QUANTILES
    skills = [Usual(height, axis.sd, WIDE * axis.sd) for height in axis.points]
    weights = np.stack([each.density(truths) for each in skills])
    points = np.clip(truths, levels[0], levels[-1])
    above = np.clip(np.searchsorted(levels, points), 1, len(levels) - 1)
    share = (points - levels[above - 1]) / (levels[above] - levels[above - 1])
    between = np.zeros((len(truths), len(levels)))
    between[np.arange(len(truths)), above] = share
    between[np.arange(len(truths)), above - 1] = 1 - share
    near = weights @ between
    total = weights.sum(axis=1, keepdims=True)
    level = (1 - FLOOR) * near / total + FLOOR / len(levels)
    return np.asarray(level * (total / len(truths)) ** (1 / repeated))


def _evenly(usual: Usual | None, levels: FloatArray) -> float:
    """Mean density over all levels: any speed may be stated of what never improves."""
    points = np.linspace(levels[0], levels[-1], 100)
    return float(usual.density(points).mean()) if usual else 1.0


def _sums(place: IntArray, weights: FloatArray, count: int) -> FloatArray:
    """Weights summed by place."""
    return np.asarray(np.bincount(place, weights, count), dtype=np.float64)
