"""Sums of terms in the logarithms of competences: 1/F and e of several kinds at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.plan_form.kinds import Kind, Terms
from deliberate_practice.foundation.arrays import FloatArray, IntArray

NOTHING = -1e5
"""The logarithm of a sum without terms."""


class Sums(NamedTuple):
    """S_k(x) = Σ_t exp(coefficient_t - power_t · x) over the terms t of each kind k.

    log S_k is convex in x; here x are the logarithms of the practised competences.

    Attributes:
        coefficient: Shape (T,).
        power: Shape (T, Q), >= 0.
        first: The first term of each kind, shape (M,).
    """

    coefficient: FloatArray
    power: FloatArray
    first: IntArray

    def logs(self, x: FloatArray) -> FloatArray:
        """log S of each kind at the points x, shape (K, Q) -> (K, M)."""
        return self._evaluate(x)[0]

    def logs_and_slopes(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """log S, shape (K, M), and -d log S / dx, shape (K, M, Q)."""
        logs, shares = self._evaluate(x)
        weighted = shares[:, :, None] * self.power[None]
        return logs, np.add.reduceat(weighted, self.first, axis=1)

    def _evaluate(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        sizes = np.diff(np.append(self.first, len(self.coefficient)))
        z = self.coefficient - x @ self.power.T
        most = np.maximum.reduceat(z, self.first, axis=1)
        parts = np.exp(z - np.repeat(most, sizes, axis=1))
        sums = np.add.reduceat(parts, self.first, axis=1)
        return most + np.log(sums), parts / np.repeat(sums, sizes, axis=1)


def collect(
    kinds: Sequence[Kind],
    parts: Sequence[Terms],
    practised: Sequence[int],
    log_fixed: FloatArray,
) -> Sums:
    """Join the terms of several kinds.

    Args:
        kinds: The kinds.
        parts: The terms of each.
        practised: Policies in the order of x.
        log_fixed: log competence of every policy that practice cannot change.
    """
    column = {u: q for q, u in enumerate(practised)}
    coefficients: list[FloatArray] = []
    powers: list[FloatArray] = []
    first: list[int] = []
    for kind, terms in zip(kinds, parts, strict=True):
        first.append(sum(len(part) for part in coefficients))
        power = np.zeros((len(terms.log_coefficient), len(practised)))
        fixed = terms.log_coefficient.copy()
        for i, u in enumerate(kind.policies):
            if u in column:
                power[:, column[u]] += terms.power[:, i]
            else:
                fixed -= np.where(terms.power[:, i] > 0, terms.power[:, i] * log_fixed[u], 0.0)
        coefficients.append(fixed if len(fixed) else np.array([NOTHING]))
        powers.append(power if len(fixed) else np.zeros((1, len(practised))))
    return Sums(np.concatenate(coefficients), np.concatenate(powers), np.array(first))
