"""Split a budget for a fixed decision rule, on uncertain curves, paying for approaches.

The value of a rule is not a product over its policies, as that of a plan is, but near a split b it
almost is. For any other split k, under each explanation c of a mixture,

    log J_c(k) ≈ log J_c(b) + Σ_u log (J_c(b with k_u in place of b_u) / J_c(b)),

which is exact for plans. So a search by exchanges works on tables of these terms, and the tables
are then made anew for the split that it found, until none is better.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from deliberate_practice.allocation.rules.chain import RuleChain
from deliberate_practice.allocation.rules.costs import PracticeCosts
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.foundation.rounding import rounded

KNOTS = 12
"""Numbers of attempts of one policy for which the value of a rule is computed; others are
interpolated."""

ROUNDS = 3
"""The most times that tables are made."""

GAIN = 1e-6
"""Relative gain in value for which a split is changed."""

LEAST = 1e-12
"""Competences and values below this count as this."""

COARSE = 16
"""Attempts are added in steps of at least this part of the most that can be had."""

CHEAPER = 1.0
"""Budget units that a split of equal value must save to be preferred."""

SCREENED = 64
"""Exchanges whose costs are computed at a time, largest gain first."""

PASSES = 60
"""The most changes of one search."""


@dataclass(frozen=True, eq=False)
class Outlook:
    """The curves on which a budget is split, for choices of 0, 1, ... steps of attempts.

    Attributes:
        weights: Probability of each explanation, shape (C,).
        curves: Mean competence of each policy for each choice, under each explanation, shape
            (C, policies, choices).
        costs: What the choices of a split cost.
    """

    weights: FloatArray
    curves: FloatArray
    costs: PracticeCosts

    @cached_property
    def means(self) -> FloatArray:
        """Mean competence of each policy for each choice, shape (policies, choices)."""
        return rounded(np.asarray(np.tensordot(self.weights, self.curves, 1)))

    def competence(self, split: IntArray) -> FloatArray:
        """Mean competences after a split, shape (policies,)."""
        return np.asarray(self.means[np.arange(len(split)), split])

    @cached_property
    def knots(self) -> IntArray:
        """Choices for which values are computed: dense at first, where curves rise most."""
        last = self.curves.shape[2] - 1
        return np.unique(np.round(np.linspace(0.0, 1.0, KNOTS) ** 2 * last).astype(np.int64))

    @cached_property
    def interpolation(self) -> _Interpolation:
        """From the knots to all choices: values are almost linear in the log of competence."""
        x = np.log(np.maximum(np.maximum.accumulate(self.curves, axis=2), LEAST))
        at_knots = x[:, :, self.knots]
        left = (at_knots[:, :, None, :] <= x[:, :, :, None]).sum(axis=3) - 1
        width = np.diff(at_knots, axis=2)
        distance = x - np.take_along_axis(at_knots, left, axis=2)
        return _Interpolation(left, distance, np.where(width > 0, width, np.inf))


@dataclass(frozen=True, eq=False)
class _Interpolation:
    """Where each choice lies between the knots, for each explanation and policy.

    Attributes:
        left: The last knot at or before each choice, shape (C, policies, choices).
        distance: Distance from it, of the same shape.
        width: Distance from each knot to the next, shape (C, policies, knots - 1).
    """

    left: IntArray
    distance: FloatArray
    width: FloatArray

    def between(self, at_knots: FloatArray, policies: list[int]) -> FloatArray:
        """Values of all choices of some policies, as :func:`numpy.interp` gives them.

        Args:
            at_knots: Values at the knots, shape (C, all policies, knots).
            policies: Indices of the policies.
        """
        values, left = at_knots[:, policies], self.left[:, policies]
        slopes = np.zeros_like(values)  # 0 after the last knot
        slopes[:, :, :-1] = np.diff(values, axis=2) / self.width[:, policies]
        begin = np.take_along_axis(values, left, axis=2)
        rise = np.take_along_axis(slopes, left, axis=2) * self.distance[:, policies]
        return np.asarray(rise + begin)


def best_split(outlook: Outlook, chain: RuleChain, around: IntArray) -> tuple[IntArray, float]:
    """A good split for a rule, and the expected value of the rule after it.

    Args:
        outlook: Curves and costs.
        chain: The decision rule.
        around: The split for which the first tables are made; it need not be affordable.
    """
    best, value = np.zeros_like(around), -np.inf
    tables, costs = _tables(outlook, chain, around), outlook.costs
    for _ in range(ROUNDS):
        found = outlook.costs.affordable_part(_search(costs, tables, best))
        tables, costs = _tables(outlook, chain, found), outlook.costs.around(found)
        if tables.value <= value * (1 + GAIN):
            break
        best, value = found, tables.value
    return best, value


@dataclass(frozen=True, eq=False)
class _Tables:
    """The value of a rule as a product over its policies.

    Attributes:
        weights: Probability of each explanation, shape (C,).
        base: Logarithm of the value after the split for which they were made, shape (C,).
        ratios: Logarithm of the ratio to it for each choice, shape (C, policies, choices).
        value: Expected value after that split.
    """

    weights: FloatArray
    base: FloatArray
    ratios: FloatArray
    value: float

    def log_values(self, splits: IntArray) -> FloatArray:
        """Logarithm of the expected value of each split, shape (splits,)."""
        u, base, top = self._common
        each = self.ratios[:, u, splits[:, u]].sum(axis=2)
        mean = self.weights @ np.exp(each + (base - top)[:, None])
        return np.asarray(top + np.log(np.maximum(mean, LEAST)))

    @cached_property
    def _common(self) -> tuple[IntArray, FloatArray, float]:
        """The policies that matter; and what all others add up to, with its largest value."""
        base = self.base + self.ratios[:, ~self.sensitive, 0].sum(axis=1)
        return np.flatnonzero(self.sensitive), base, float(base.max())

    @cached_property
    def sensitive(self) -> BoolArray:
        """Whether the value depends on the practice of each policy."""
        return np.asarray(np.ptp(self.ratios, axis=2).max(axis=0) > 0)


def _tables(outlook: Outlook, chain: RuleChain, split: IntArray) -> _Tables:
    policies, knots = np.arange(len(split)), outlook.knots
    response = chain.at(outlook.curves[:, policies, split])
    base = np.log(np.maximum(response.value, LEAST))
    ratios = np.zeros(outlook.curves.shape)
    at_knots = np.zeros((*ratios.shape[:2], len(knots)))
    used = response.used
    for u in used:
        changed = response.changed(u, outlook.curves[:, u][:, knots])
        at_knots[:, u] = np.log(np.maximum(changed, LEAST))
    ratios[:, used] = outlook.interpolation.between(at_knots, used) - base[:, None, None]
    return _Tables(outlook.weights, base, ratios, float(outlook.weights @ response.value))


def _search(costs: PracticeCosts, tables: _Tables, split: IntArray) -> IntArray:
    """Add attempts where they gain most per budget unit, then exchange them between policies."""
    useful = np.flatnonzero((tables.sensitive | costs.helpful) & (costs.most > 0))
    sizes = 2 ** np.arange(max(1, int(costs.most.max(initial=0)).bit_length()))
    coarse = sizes[sizes * COARSE >= sizes[-1]]
    value, spent = float(tables.log_values(split[None])[0]), float(costs.units(split[None])[0])
    for adding in (True, False):
        for _ in range(PASSES if len(useful) else 0):
            found = _added(split, useful, coarse if adding else sizes)
            if not adding:
                found = np.concatenate([found, _exchanged(costs, split, spent, useful, sizes)])
            found = found[(found <= costs.most).all(axis=1)]
            gains = tables.log_values(found) - value
            best = _best_change(costs, found, gains, spent, adding)
            if best is None:
                break
            split, value = found[best], value + float(gains[best])
            spent = float(costs.units(split[None])[0])
    return split


def _best_change(
    costs: PracticeCosts, found: IntArray, gains: FloatArray, spent: float, adding: bool
) -> int | None:
    """The affordable split that gains most, per budget unit if attempts are added.

    If nothing gains, the one that saves most: what is saved pays for something else.
    """
    order = np.argsort(-gains, kind="stable")
    rising = order[gains[order] > GAIN]
    for first in range(0, len(rising), SCREENED):
        some = rising[first : first + (len(rising) if adding else SCREENED)]
        units = costs.units(found[some])
        merit = gains[some] / np.maximum(units - spent, GAIN) if adding else gains[some]
        merit = np.where(units <= costs.budget, merit, -np.inf)
        if np.isfinite(merit).any():
            return int(some[np.argmax(merit)])
        if adding:
            break
    level = order[(gains[order] <= GAIN) & (gains[order] > -GAIN)]
    if costs.approaches is None or not len(level):
        return None
    units = costs.units(found[level])
    return int(level[np.argmin(units)]) if units.min() < spent - CHEAPER else None


def _added(split: IntArray, useful: IntArray, sizes: IntArray) -> IntArray:
    """The splits with more attempts of one policy."""
    found = np.repeat(split[None], len(useful) * len(sizes), axis=0)
    found[np.arange(len(found)), np.repeat(useful, len(sizes))] += np.tile(sizes, len(useful))
    return found


def _exchanged(
    costs: PracticeCosts, split: IntArray, spent: float, useful: IntArray, sizes: IntArray
) -> IntArray:
    """The splits with more attempts of one policy, and as many fewer of another as it takes."""
    each = costs.each(split)
    u, w, more = (grid.ravel() for grid in np.meshgrid(useful, useful, sizes, indexing="ij"))
    keep = (u != w) & (split[w] > 0)
    u, w, more = u[keep], w[keep], more[keep]
    fewer = np.ceil((more * each[u] - (costs.budget - spent)) / each[w] - 1e-9).astype(np.int64)
    fewer = fewer.clip(0, split[w])
    found = np.repeat(split[None], len(u), axis=0)
    rows = np.arange(len(u))
    found[rows, u] += more
    found[rows, w] -= fewer
    return found
