"""Plans with step costs: V_{L+1} = R, V_i = F_i (V_{i+1} - e_i).

So V_1 = Π F_i [R - Σ_i e_i / Π_{m>i} F_m]. The bracket is R minus a sum of terms in 1/p with
nonnegative coefficients, so it is concave in x = log p where it is positive, and so is its
logarithm: for every b and every point b^ with V_1(b^) > 0

    log bracket(b) <= log bracket(b^) + D · (x(b) - x(b^)).

With β_i = F_1 ... F_i e_i / V_1, the slope needs no subtraction:

    D = Σ_i (β_1 + ... + β_{i-1}) d log F_i / dx  -  β_i d log e_i / dx.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.plan_form.kinds import Kind
from deliberate_practice.allocation.plan_form.terms import Sums, collect
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.foundation.rounding import EPS

NU = 4096 * EPS
"""Relative rounding of F and e, which are exponentials of sums of a few logarithms."""

CLEAR = 1e-6
"""A plane is used where V_1 is at least this part of its absolute terms."""

WORTHLESS = -1e4
"""The logarithm of a bracket that is never positive."""

RANGE = 100.0
"""Distance in log p over which the rounding of slopes counts."""


class Point(NamedTuple):
    """Splits at which planes touch.

    Attributes:
        x: log competences, shape (K, Q).
        logs: log F of the kinds, and 0 for the padding, shape (K, n + 1).
        slopes: d log F / dx, shape (K, n, Q).
    """

    x: FloatArray
    logs: FloatArray
    slopes: FloatArray


@dataclass(frozen=True, eq=False)
class Sequences:
    """All plans as sequences of kinds.

    Attributes:
        order: Kinds of each plan from start to goal, padded with n at the end, shape (J, L).
        reward: R of each plan, shape (J,).
        inverse: log 1/F of the n kinds.
        effort: log e of the n kinds.
    """

    order: IntArray
    reward: FloatArray
    inverse: Sums
    effort: Sums

    @classmethod
    def build(
        cls,
        kinds: Sequence[Kind],
        plans: Sequence[tuple[int, ...]],
        log_reward: FloatArray,
        policies: Sequence[int],
        log_fixed: FloatArray,
    ) -> Sequences:
        """Collect the plans; every kind must have both expansions."""
        order = np.full((len(plans), max(map(len, plans))), len(kinds))
        for j, plan in enumerate(plans):
            order[j, : len(plan)] = plan
        inverse = [terms for kind in kinds if (terms := kind.inverse) is not None]
        effort = [terms for kind in kinds if (terms := kind.effort) is not None]
        return cls(
            order,
            np.exp(log_reward),
            collect(kinds, inverse, policies, log_fixed),
            collect(kinds, effort, policies, log_fixed),
        )

    def values(self, logs: FloatArray, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Bounds of V_1 below and above, for all plans, shape (K, J)."""
        factor, effort = np.exp(logs), self._efforts(x)
        shape = (len(logs), len(self.order))
        low = np.broadcast_to(self.reward * (1 - NU), shape)
        high = np.broadcast_to(self.reward * (1 + NU), shape)
        for kinds in self.order.T[::-1]:
            f, e = factor[:, kinds], effort[:, kinds]
            low = np.maximum(low - e * (1 + NU), 0.0) * f * (1 - NU)
            high = np.maximum(high - e * (1 - NU), 0.0) * f * (1 + NU)
        return low, np.minimum(high, self.reward * (1 + NU))

    def planes(
        self, row: IntArray, plan: IntArray, weight: FloatArray, at: Sequence[Point]
    ) -> tuple[FloatArray, FloatArray]:
        """Weighted sums of planes above log bracket, K at a time.

        Args:
            row: The sum to which each term belongs, shape (n,).
            plan: Its plan, shape (n,).
            weight: Its weight, shape (n,).
            at: Points at which planes may touch; each term uses the first at which its plan has a
                clearly positive value. The last ones are the upper corners of the boxes: if even
                there the value is not clear, the bracket there is the bound.

        Returns:
            Slopes, shape (K, Q), and constants, shape (K,).
        """
        size = at[0].x.shape
        slope, constant = np.zeros(size), np.zeros(size[0])
        left = np.arange(len(row))
        for point in at:
            value, terms, tails = self._tails(point, row[left], plan[left])
            clear = value > CLEAR * terms
            self._touch(
                point,
                (row[left][clear], plan[left][clear], weight[left][clear]),
                (value[clear], terms[clear], tails[clear]),
                slope,
                constant,
            )
            left = left[~clear]
            if not len(left):
                return slope, constant
        last = at[-1]
        top = self.values(last.logs, last.x)[1][row[left], plan[left]]
        logs = np.log(np.where(top > 0, top, 1.0)) - self._log_factors(last, row[left], plan[left])
        logs = np.where(top > 0, logs, WORTHLESS)
        np.add.at(constant, row[left], weight[left] * logs)
        return slope, constant

    def _touch(
        self,
        point: Point,
        terms: tuple[IntArray, IntArray, FloatArray],
        evaluated: tuple[FloatArray, FloatArray, FloatArray],
        slope: FloatArray,
        constant: FloatArray,
    ) -> None:
        """Add the planes of terms that touch at one point."""
        row, plan, weight = terms
        value, size, beta = evaluated
        before = np.cumsum(beta, axis=1) - beta
        count, kinds = len(point.x), point.logs.shape[1]
        cell = (row[:, None] * kinds + self.order[plan]).ravel()

        def by_kind(amount: FloatArray) -> FloatArray:
            spread = (weight[:, None] * amount).ravel()
            total = np.bincount(cell, spread, minlength=count * kinds).astype(np.float64)
            return total.reshape(count, kinds)[:, :-1]

        effort_slope = self.effort.logs_and_slopes(point.x)[1]
        plane = np.einsum("kn,knq->kq", by_kind(before), point.slopes)
        plane += np.einsum("kn,knq->kq", by_kind(beta), effort_slope)
        logs = np.log(value) - self._log_factors(point, row, plan)
        rounding = NU * size / value
        tilt = np.bincount(row, weight * rounding, minlength=count)
        slope += plane
        constant += np.bincount(row, weight * (logs + 16 * rounding), minlength=count)
        constant += (
            tilt
            * RANGE
            * plane.sum(axis=1)
            / np.maximum(np.bincount(row, weight, minlength=count), np.finfo(np.float64).tiny)
        )
        constant -= np.einsum("kq,kq->k", plane, point.x)

    def _tails(
        self, point: Point, row: IntArray, plan: IntArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """V_1, its absolute terms, and β_i, for some plans at some points."""
        kinds = self.order[plan]
        f = np.exp(point.logs)[row[:, None], kinds]
        e = self._efforts(point.x)[row[:, None], kinds]
        with np.errstate(invalid="ignore"):
            spent = np.cumprod(f, axis=1) * e
        spent[np.isnan(spent)] = np.inf  # F = 0 with infinite effort
        earned = self.reward[plan] * np.prod(f, axis=1)
        cost = spent.sum(axis=1)
        value = np.where(np.isfinite(cost), earned - np.where(np.isfinite(cost), cost, 0.0), 0.0)
        clear: BoolArray = value > 0
        beta = np.where(clear[:, None], spent, 0.0) / np.where(clear, value, 1.0)[:, None]
        return value, earned + cost, beta

    def _log_factors(self, point: Point, row: IntArray, plan: IntArray) -> FloatArray:
        total: FloatArray = point.logs[row[:, None], self.order[plan]].sum(axis=1)
        return total

    def _efforts(self, x: FloatArray) -> FloatArray:
        """e of the kinds, and 0 for the padding, shape (K, n + 1)."""
        with np.errstate(over="ignore"):
            effort = np.exp(self.effort.logs(x))
        return np.concatenate([effort, np.zeros((len(x), 1))], axis=1)
