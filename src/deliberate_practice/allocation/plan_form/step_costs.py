"""Plans with step costs: V_{L+1} = R, V_i = F_i (V_{i+1} - e_i).

So V_1 = Π F_i [R - Σ_i e_i / Π_{m>i} F_m]. The bracket is R minus a sum of terms in 1/p with
nonnegative coefficients, so it is concave in x = log p where it is positive, and so is its
logarithm: for every b and every point b^ with V_1(b^) > 0

    log bracket(b) <= log bracket(b^) + D · (x(b) - x(b^)).

With β_i = F_1 ... F_i e_i / V_1, the slope needs no subtraction:

    D = Σ_i (β_1 + ... + β_{i-1}) d log F_i / dx  -  β_i d log e_i / dx.

A plan may have several orders. With D_q^- and D_q^+ the least and the largest slope of its orders,
each order, and so the best one, lies below the largest log bracket at b^ plus

    Σ_q D_q^+ (x_q - x^_q)  where x_q >= x^_q,  and  D_q^- (x_q - x^_q)  where x_q < x^_q.
"""

from __future__ import annotations

import itertools
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


class Hull(NamedTuple):
    """Functions above log brackets that touch at one kind of point.

    Attributes:
        term: Which of the terms touch there, shape (n,).
        value: Their log brackets there, shape (n,).
        least: Least slopes of their orders, shape (n, Q).
        most: Largest slopes of their orders, shape (n, Q).
    """

    term: IntArray
    value: FloatArray
    least: FloatArray
    most: FloatArray


@dataclass(frozen=True, eq=False)
class Sequences:
    """All plans as sequences of kinds, sorted by plan.

    Attributes:
        order: Kinds of each order from start to goal, padded with n at the end, shape (N, L).
        first: The first order of each plan, shape (J,).
        reward: R of each order, shape (N,).
        inverse: log 1/F of the n kinds.
        effort: log e of the n kinds.
    """

    order: IntArray
    first: IntArray
    reward: FloatArray
    inverse: Sums
    effort: Sums

    @classmethod
    def build(
        cls,
        kinds: Sequence[Kind],
        plans: Sequence[Sequence[tuple[int, ...]]],
        log_reward: FloatArray,
        policies: Sequence[int],
        log_fixed: FloatArray,
    ) -> Sequences:
        """Collect the orders of each plan; every kind must have both expansions."""
        orders = [order for plan in plans for order in plan]
        padded = np.full((len(orders), max(map(len, orders))), len(kinds))
        for j, order in enumerate(orders):
            padded[j, : len(order)] = order
        sizes = np.array([len(plan) for plan in plans])
        inverse = [terms for kind in kinds if (terms := kind.inverse) is not None]
        effort = [terms for kind in kinds if (terms := kind.effort) is not None]
        return cls(
            padded,
            np.cumsum(sizes) - sizes,
            np.repeat(np.exp(log_reward), sizes),
            collect(kinds, inverse, policies, log_fixed),
            collect(kinds, effort, policies, log_fixed),
        )

    @property
    def several(self) -> bool:
        """Whether some plan has several orders."""
        return len(self.first) < len(self.order)

    def values(self, logs: FloatArray, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Bounds below and above V_1 in the best order, for all plans, shape (K, J)."""
        factor, effort = np.exp(logs), self.efforts(x)
        shape = (len(logs), len(self.order))
        low = np.broadcast_to(self.reward * (1 - NU), shape)
        high = np.broadcast_to(self.reward * (1 + NU), shape)
        for kinds in self.order.T[::-1]:
            f, e = factor[:, kinds], effort[:, kinds]
            low = np.maximum(low - e * (1 + NU), 0.0) * f * (1 - NU)
            high = np.maximum(high - e * (1 - NU), 0.0) * f * (1 + NU)
        high = np.minimum(high, self.reward * (1 + NU))
        if self.several:
            low, high = (np.maximum.reduceat(v, self.first, axis=1) for v in (low, high))
        return low, high

    def hulls(self, row: IntArray, plan: IntArray, at: Sequence[Point]) -> list[Hull]:
        """Functions above the log brackets of plans, touching at some points.

        Args:
            row: The row of the points for each term, in rising order, shape (n,).
            plan: Its plan, shape (n,).
            at: Points at which functions may touch; each term uses the first at which all orders
                of its plan have a clearly positive value. The last ones are the upper corners of
                the boxes: if even there some value is not clear, the bracket there is the bound.

        Returns:
            One for each point, and one for the terms with constants.
        """
        left = np.arange(len(row))
        hulls = []
        for point in at:
            hull, clear = self._touch(point, row[left], plan[left])
            hulls.append(hull._replace(term=left[hull.term]))
            left = left[~clear]
        last, flat = at[-1], np.zeros((len(left), at[-1].x.shape[1]))
        if len(left):
            top = self.values(last.logs, last.x)[1][row[left], plan[left]]
            logs = np.log(np.where(top > 0, top, 1.0))
            logs -= self._log_factors(last, row[left], self.first[plan[left]])
            logs = np.where(top > 0, logs, WORTHLESS)
        else:
            logs = np.zeros(0)
        return [*hulls, Hull(left, logs, flat, flat)]

    def _touch(self, point: Point, row: IntArray, plan: IntArray) -> tuple[Hull, BoolArray]:
        """Functions of the terms that can touch at a point, and which these are."""
        if not len(row):
            flat = np.zeros((0, point.x.shape[1]))
            return Hull(row, np.zeros(0), flat, flat), np.zeros(0, dtype=np.bool_)
        sizes = np.diff(np.append(self.first, len(self.order)))[plan]
        begin = np.cumsum(sizes) - sizes
        order = np.arange(sizes.sum()) + np.repeat(self.first[plan] - begin, sizes)
        value, size, beta = self._tails(point, np.repeat(row, sizes), order)
        clear: BoolArray = np.logical_and.reduceat(value > CLEAR * size, begin)
        term = np.flatnonzero(clear)
        kept = np.repeat(clear, sizes)
        value, size, beta, order = value[kept], size[kept], beta[kept], order[kept]
        owner, sizes = np.repeat(row, sizes)[kept], sizes[clear]
        if not len(term):
            flat = np.zeros((0, point.x.shape[1]))
            return Hull(term, np.zeros(0), flat, flat), clear
        begin = np.cumsum(sizes) - sizes
        plane = self._slopes(point, owner, order, beta)
        rounding = NU * size / value
        logs = np.log(value) - self._log_factors(point, owner, order)
        logs += rounding * (16 + RANGE * plane.sum(axis=1))
        if len(term) == len(order):
            return Hull(term, logs, plane, plane), clear
        return Hull(
            term,
            np.maximum.reduceat(logs, begin),
            np.minimum.reduceat(plane, begin, axis=0),
            np.maximum.reduceat(plane, begin, axis=0),
        ), clear

    def _slopes(self, point: Point, row: IntArray, order: IntArray, beta: FloatArray) -> FloatArray:
        """Slopes D of the log brackets of some orders."""
        kinds = point.logs.shape[1]
        cell = (np.arange(len(order))[:, None] * kinds + self.order[order]).ravel()

        def by_kind(amount: FloatArray) -> FloatArray:
            total = np.bincount(cell, amount.ravel(), minlength=len(order) * kinds)
            return total.astype(np.float64).reshape(len(order), kinds)[:, :-1]

        before, own = by_kind(np.cumsum(beta, axis=1) - beta), by_kind(beta)
        effort = self.effort.logs_and_slopes(point.x)[1]
        plane = np.empty((len(order), point.x.shape[1]))
        ends = np.flatnonzero(np.diff(row, append=-1)) + 1
        for first, end in itertools.pairwise([0, *ends.tolist()]):
            k = row[first]
            plane[first:end] = before[first:end] @ point.slopes[k] + own[first:end] @ effort[k]
        return plane

    def _tails(
        self, point: Point, row: IntArray, order: IntArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """V_1, its absolute terms, and β_i, for some orders at some points."""
        kinds = self.order[order]
        f = np.exp(point.logs)[row[:, None], kinds]
        e = self.efforts(point.x)[row[:, None], kinds]
        with np.errstate(invalid="ignore"):
            spent = np.cumprod(f, axis=1) * e
        spent[np.isnan(spent)] = np.inf  # F = 0 with infinite effort
        earned = self.reward[order] * np.prod(f, axis=1)
        cost = spent.sum(axis=1)
        value = np.where(np.isfinite(cost), earned - np.where(np.isfinite(cost), cost, 0.0), 0.0)
        clear: BoolArray = value > 0
        beta = np.where(clear[:, None], spent, 0.0) / np.where(clear, value, 1.0)[:, None]
        return value, earned + cost, beta

    def _log_factors(self, point: Point, row: IntArray, order: IntArray) -> FloatArray:
        total: FloatArray = point.logs[row[:, None], self.order[order]].sum(axis=1)
        return total

    def efforts(self, x: FloatArray) -> FloatArray:
        """e of the kinds, and 0 for the padding, shape (K, n + 1)."""
        with np.errstate(over="ignore"):
            effort = np.exp(self.effort.logs(x))
        return np.concatenate([effort, np.zeros((len(x), 1))], axis=1)
