"""Kinds of chains: how much of the value behind a chain is left in front of it.

A chain of skills 0 ... k-1 climbs from its first state to the state behind it. A success of skill i
leads one step up; every other outcome stays, falls back to an earlier step, or is lost. Let h_i be
the discounted chance to get from step i to step i+1, H_ji = h_j ... h_{i-1}, and n_ij the
discounted chance that skill i falls back to j < i. Then

    h_i = γ w_i p_i / own_i,   own_i = γ w_i p_i + leak_i + Σ_{j<i} n_ij (1 - H_ji),

where leak_i is 1 - γ plus the discounted loss, and the factor of the chain is F = h_0 ... h_{k-1}.
With step costs the value in front is F (V - e), where F e is the expected discounted cost.
1 - H_ji is computed as a sum as well, so that nothing cancels.

1/F and e are multilinear in 1/p_0 ... 1/p_{k-1}. Where all their coefficients are nonnegative,
log F is concave and log e convex in the logarithms of the competences.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray

Row = list[Fraction]


@dataclass(frozen=True)
class Step:
    """One skill of a chain, at position i.

    Attributes:
        policy: Index of its policy.
        onward: Probability that a success leads to the next position.
        success_back: Probability that a success leads to each earlier position, shape (i,).
        failure_back: The same for a failure.
        lost_success: Probability that a success is worth nothing.
        lost_failure: The same for a failure.
        cost: Cost of executing it, >= 0.
    """

    policy: int
    onward: float
    success_back: tuple[float, ...]
    failure_back: tuple[float, ...]
    lost_success: float
    lost_failure: float
    cost: float


class Terms(NamedTuple):
    """A sum Σ_t exp(log_coefficient_t) Π_i p_i^(-power_ti), shapes (T,) and (T, k)."""

    log_coefficient: FloatArray
    power: FloatArray


class Climb(NamedTuple):
    """What becomes of the value V behind some skills: factor V - cost is in front of them.

    Attributes:
        factor: F.
        cost: F e, the expected discounted cost.
        missing: 1 - F.
    """

    factor: FloatArray
    cost: FloatArray
    missing: FloatArray

    def then(self, other: Climb) -> Climb:
        """These skills, and then others."""
        return Climb(
            np.minimum(self.factor * other.factor, 1.0),
            self.cost + self.factor * other.cost,
            self.missing + self.factor * other.missing,
        )


@dataclass(frozen=True)
class Kind:
    """A way of using skills; all chains of a kind have the same F and e."""

    steps: tuple[Step, ...]
    gamma: float

    @cached_property
    def policies(self) -> tuple[int, ...]:
        """The policy of each position."""
        return tuple(step.policy for step in self.steps)

    def climb(self, p: FloatArray) -> Climb:
        """F, F e and 1 - F for the competences of all positions, shape (..., k)."""
        hit: list[FloatArray] = []
        miss: list[FloatArray] = []
        cost: list[FloatArray] = []
        gamma = self.gamma
        for i, step in enumerate(self.steps):
            good, bad = p[..., i], 1.0 - p[..., i]
            forward = gamma * step.onward * good
            away = (1.0 - gamma) + gamma * (step.lost_success * good + step.lost_failure * bad)
            spent = np.full_like(forward, step.cost)
            not_back, way_back = np.zeros_like(forward), np.zeros_like(forward)
            for j in reversed(range(i)):
                not_back = miss[j] + hit[j] * not_back
                way_back = cost[j] + hit[j] * way_back
                falls = gamma * (step.success_back[j] * good + step.failure_back[j] * bad)
                away = away + falls * not_back
                spent = spent + falls * way_back
            own = away + forward
            safe = np.where(own > 0, own, 1.0)  # 0: it stays for ever, and F is 0
            hit.append(forward / safe)
            miss.append(np.where(own > 0, away / safe, 1.0))
            cost.append(spent / safe)
        whole = Climb(np.ones_like(hit[0]), np.zeros_like(hit[0]), np.zeros_like(hit[0]))
        for h, c, m in zip(reversed(hit), reversed(cost), reversed(miss), strict=True):
            whole = Climb(h, c, m).then(whole)
        return whole

    @cached_property
    def inverse(self) -> Terms | None:
        """1/F as a sum of terms; None if a coefficient is negative."""
        return self._terms(first_column=None)

    @cached_property
    def effort(self) -> Terms | None:
        """The expansion of e as a sum of terms; None if a coefficient is negative."""
        return self._terms(first_column=[Fraction(step.cost) for step in self.steps])

    def _terms(self, first_column: Row | None) -> Terms | None:
        """det(M) / Π γ w_i p_i, expanded in 1/p; M is I - N or, for e, has a column of costs.

        Row i of M is f_i + p_i (s_i - f_i), with s_i and f_i its rows for a sure success and a sure
        failure. Divided by p_i it is f_i / p_i + (s_i - f_i), and a determinant is linear in its
        rows. Rational arithmetic makes the signs certain.
        """
        success, failure = (self._rows(good) for good in (True, False))
        if first_column is not None:
            for rows in (success, failure):
                for row, cost in zip(rows, first_column, strict=True):
                    row[0] = cost
        size = len(self.steps)
        scale = Fraction(1)
        for step in self.steps:
            scale *= Fraction(self.gamma) * Fraction(step.onward)
        coefficients, powers = [], []
        for power in itertools.product((0, 1), repeat=size):
            rows = [
                f if inverted else [a - b for a, b in zip(s, f, strict=True)]
                for inverted, s, f in zip(power, success, failure, strict=True)
            ]
            coefficient = _determinant(rows) / scale
            if coefficient < 0:
                return None
            if coefficient > 0:
                coefficients.append(_log(coefficient))
                powers.append(power)
        return Terms(np.array(coefficients), np.array(powers, dtype=np.float64).reshape(-1, size))

    def _rows(self, good: bool) -> list[Row]:
        """The rows of I - N if every skill surely succeeds, or surely fails."""
        gamma, size = Fraction(self.gamma), len(self.steps)
        rows = []
        for i, step in enumerate(self.steps):
            back = step.success_back if good else step.failure_back
            lost = step.lost_success if good else step.lost_failure
            row = [-gamma * Fraction(weight) for weight in back] + [Fraction(0)] * (size - i)
            own = (1 - gamma) + gamma * Fraction(lost) - sum(row, Fraction(0))
            if good:
                own += gamma * Fraction(step.onward)
                if i + 1 < size:
                    row[i + 1] = -gamma * Fraction(step.onward)
            row[i] = own
            rows.append(row)
        return rows


def _determinant(rows: list[Row]) -> Fraction:
    """The determinant of a small matrix, by elimination."""
    rows = [list(row) for row in rows]
    result = Fraction(1)
    for i in range(len(rows)):
        pivot = next((k for k in range(i, len(rows)) if rows[k][i]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != i:
            rows[i], rows[pivot] = rows[pivot], rows[i]
            result = -result
        result *= rows[i][i]
        for k in range(i + 1, len(rows)):
            if rows[k][i]:
                share = rows[k][i] / rows[i][i]
                rows[k] = [a - share * b for a, b in zip(rows[k], rows[i], strict=True)]
    return result


def _log(number: Fraction) -> float:
    """The logarithm of a positive fraction of any size."""
    shift = number.numerator.bit_length() - number.denominator.bit_length()
    scaled = number / Fraction(2) ** shift
    return float(np.log(float(scaled)) + shift * np.log(2.0))
