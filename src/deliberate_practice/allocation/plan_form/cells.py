"""The largest sum of several groups of plans within a box and a budget.

Let M_G lie above log Σ_j Q_j over the plans j of group G, where Q_j is at least w_j V_j, and let
l_j be at most the share of Q_j in the sum of its group. A start executes one plan, so its value is
at most, with j over the plans of start i,

    Φ = Σ_G e^{M_G} - Σ_i (Σ_j l_j e^{M_G(j)} - max_j l_j e^{M_G(j)}).

With exact shares and sums this is Σ_i max_j Q_j. The bracket rises with each share; with the shares
fixed Φ rises with each sum, because the shares of a group sum to at most 1.

Φ is a sum of maxima of exponentials, so log Φ is convex in M_1 ... M_g, and adding a number to all
M_G adds it to log Φ. With M_r the largest, log Φ = M_r + φ(δ), δ_G = M_G - M_r <= 0, and φ is
convex. Divide the range of δ into cells: intervals for two groups, triangles for three. In a cell φ
lies below the affine function that is equal to it at the corners. So log Φ lies below a weighted
sum of M_1 ... M_g with weights of sum 1, plus a constant: separable. Every split lies in some cell.
A group may also count with an upper bound of its sum, or with the chord of exp between M_G at the
lower corner and that bound, as M_G rises and its sum lies below both. From such a sum of all plans,
Σ_i w_i (Σ_j exp x_j - max_j exp x_j) may be subtracted, as in bound.py.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.plan_form.model import Above, Model
from deliberate_practice.allocation.plan_form.simplices import MARGIN, affine, first_cells
from deliberate_practice.allocation.plan_form.spend import Spent, maximise
from deliberate_practice.foundation.arrays import FloatArray, IntArray

FINE = 2e-3
"""A cell is divided if its function is farther above φ than this."""

MOST_GROUPS = 3
"""The other groups count with an upper bound of their sums."""

EXACT = 12
"""The most cells of a node whose largest value is computed; others are bounded by prices."""

FACTORS = (1.0, 0.8, 1.25)
"""Prices that are tried, as multiples of the mean of the prices of the groups."""


class Groups(NamedTuple):
    """Functions M = constant + Σ_q table_q(b_q) of G groups of plans, sorted by node.

    Attributes:
        row: Node of each group, shape (G,).
        constant: Shape (G,).
        table: Shape (G, Q, L + 1).
        size: Sum of absolute terms, for rounding, shape (G,).
        cap: An upper bound of the sum, shape (G,).
        first: The first of its plans, shape (G,).
        share: Least share of each plan in its group, shape (n,).
        owner: Start of each plan, shape (n,).
    """

    row: IntArray
    constant: FloatArray
    table: FloatArray
    size: FloatArray
    cap: FloatArray
    first: IntArray
    share: FloatArray
    owner: IntArray

    def values(self, group: IntArray, split: IntArray) -> FloatArray:
        """M of some groups after splits, shape (n,)."""
        parts = self.table[group[:, None], np.arange(self.table.shape[1]), split]
        return np.asarray(self.constant[group] + parts.sum(axis=1))


def best_cells(
    model: Model,
    groups: Groups,
    box: tuple[IntArray, IntArray],
    point: IntArray,
    less: FloatArray,
) -> tuple[FloatArray, IntArray]:
    """Upper bounds of the values of K nodes, and the splits at which they are attained.

    Args:
        model: The plans.
        groups: Functions of the groups.
        box: Corners of the boxes, shape (K, Q) each.
        point: Splits that are returned for nodes without groups.
        less: What the sums of all plans exceed the values by, at least, shape (K,).
    """
    low, high = box
    alone = Above(groups.constant, np.zeros((len(groups.row), len(model.atom))), groups.table)
    at = low[groups.row], high[groups.row]
    most, terms, spent = maximise(model, alone, *at, hull=False)
    tops = most + model.noise * (64 + terms + groups.size)
    with np.errstate(over="ignore"):
        caps = np.minimum(groups.cap, np.exp(tops) * (1 + model.noise))
    groups = groups._replace(cap=caps)
    bound = np.bincount(groups.row, groups.cap, minlength=len(low)).astype(np.float64)
    order = np.lexsort((-groups.cap, groups.row))
    lead = order[np.flatnonzero(np.diff(groups.row[order], prepend=-1))]
    split = point.copy()
    split[groups.row[lead]] = spent.split[lead]
    edges = [*np.flatnonzero(np.diff(groups.row, prepend=-1)).tolist(), len(groups.row)]
    cells = [
        _Cells(
            model, groups, order[first : first + size], order[first + size : end], tops, spent, box
        )
        for first, end in itertools.pairwise(edges)
        for size in range(2, min(end - first, MOST_GROUPS) + 1)
    ]
    _compute(model, groups, cells, box)
    by_chords, maximiser = _chords(model, groups, box)
    by_chords, bound = np.maximum(by_chords - less, 0.0), np.maximum(bound - less, 0.0)
    better = by_chords < bound
    bound, split = np.where(better, by_chords, bound), np.where(better[:, None], maximiser, split)
    for some in cells:
        if some.bound < bound[some.node]:
            bound[some.node] = some.bound
            split[some.node] = some.split
    return bound * (1 + model.noise), split


def _chords(
    model: Model, groups: Groups, box: tuple[IntArray, IntArray]
) -> tuple[FloatArray, IntArray]:
    """Upper bounds of Σ_G e^{M_G} by chords; infinite for nodes with one group."""
    low, high = box
    bound, split = np.full(len(low), np.inf), low.copy()
    number = np.bincount(groups.row, minlength=len(low))
    kept = np.flatnonzero(number[groups.row] > 1)
    if not len(kept):
        return bound, split
    rows, place = np.unique(groups.row[kept], return_inverse=True)
    x = groups.values(kept, low[groups.row[kept]])
    top = groups.cap[kept]
    with np.errstate(divide="ignore"):
        y = np.log(top)
    width = np.maximum(y - x, MARGIN)
    slope = -top * np.expm1(-width) / width
    weight = np.zeros((len(rows), len(kept)))
    weight[place, np.arange(len(kept))] = slope
    table = (weight @ groups.table[kept].reshape(len(kept), -1)).reshape(
        -1, *groups.table.shape[1:]
    )
    above = Above(weight @ groups.constant[kept], np.zeros((len(rows), len(model.atom))), table)
    most, terms, spent = maximise(model, above, low[rows], high[rows], hull=False)
    fixed = np.bincount(place, top - slope * y)
    size = np.bincount(place, top + slope * (np.abs(y) + groups.size[kept]))
    bound[rows] = fixed + most + model.noise * (64 * size + terms)
    split[rows] = spent.split
    return bound, split


class _Cells:
    """The cells of one node, each with an upper bound of log Φ in it.

    Attributes:
        node: The node.
        chosen: The groups that count with their functions.
        corners: δ at the corners of the cells, 0 for the largest group, shape (cells, g, g).
        theta: Weights of the groups, shape (cells, g).
        constant: Constants beside the tables, shape (cells,).
        size: Sums of absolute terms, shape (cells,).
        value: Upper bounds of log Φ, shape (cells,).
        splits: Where exact values are attained, by cell.
    """

    def __init__(
        self,
        model: Model,
        groups: Groups,
        chosen: IntArray,
        others: IntArray,
        tops: FloatArray,
        spent: Spent,
        box: tuple[IntArray, IntArray],
    ) -> None:
        self.node = int(groups.row[chosen[0]])
        self.chosen = chosen
        self.splits: dict[int, IntArray] = {}
        self._groups = groups
        self._rest = float(groups.cap[others].sum())
        self._starts = Starts.of(groups, chosen)
        low, high = (corner[self.node] for corner in box)
        levels = slice(int(low.min()), int(high.max()) + 1)
        level = np.arange(levels.start, levels.stop)
        inside = (level >= low[:, None]) & (level <= high[:, None])
        tables = groups.table[chosen][:, :, levels]
        differences = np.where(inside, tables[:, None] - tables[None], -np.inf).max(axis=3)
        ranges = differences.sum(axis=2) + np.subtract.outer(*[groups.constant[chosen]] * 2)
        self.corners = first_cells(ranges + MARGIN * (1 + np.abs(ranges)))
        self.theta, self.constant, self.size = self._functions(self.corners)
        # No M_G exceeds its maximum within the budget.
        above = np.where(self.theta > 0, self.theta, 0.0) @ tops[chosen]
        simple = self.constant - self.theta @ groups.constant[chosen] + above
        simple += model.noise * (64 + 2 * self.size)
        self.value = np.where((self.theta >= 0).all(axis=1), simple, np.inf)
        reached = self._reached(spent)
        self._bound_by_prices(model, np.where(inside, tables, -np.inf), spent, level, reached)

    @property
    def top(self) -> int:
        """The cell with the largest bound."""
        return int(np.argmax(self.value))

    @property
    def bound(self) -> float:
        """The bound of the node."""
        with np.errstate(over="ignore"):
            return float(np.exp(self.value[self.top])) + self._rest

    @property
    def split(self) -> IntArray:
        """Where the largest exact value is attained."""
        return self.splits[max(self.splits, key=lambda cell: self.value[cell])]

    def halve(self, cell: int) -> bool:
        """Divide a cell at the edge where its function is farthest above φ, if that is far."""
        corners = self.corners[cell]
        pairs = list(itertools.combinations(range(len(corners)), 2))
        middles = np.array([(corners[a] + corners[b]) / 2 for a, b in pairs])
        alpha = self.constant[cell] - self.theta[cell] @ self._groups.constant[self.chosen]
        error = middles @ self.theta[cell] + alpha - self._starts.log_phi(middles)
        edge = int(np.argmax(error))
        if error[edge] <= FINE:
            return False
        halves = np.stack([corners, corners])
        for half, end in enumerate(pairs[edge]):
            halves[half, end] = middles[edge]
        theta, constant, size = self._functions(halves)
        self.corners = np.concatenate([self.corners, halves[1:]])
        self.theta = np.concatenate([self.theta, theta[1:]])
        self.constant = np.append(self.constant, constant[1])
        self.size = np.append(self.size, size[1])
        self.value = np.append(self.value, self.value[cell])
        self.corners[cell], self.theta[cell] = halves[0], theta[0]
        self.constant[cell], self.size[cell] = constant[0], size[0]
        del self.splits[cell]
        return True

    def _functions(self, corners: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights, constants beside the tables, and absolute terms of functions of cells."""
        theta, alpha = affine(corners, self._starts.log_phi(corners))
        constants = self._groups.constant[self.chosen]
        size = np.abs(alpha) + np.abs(theta) @ (np.abs(constants) + self._groups.size[self.chosen])
        return theta, alpha + theta @ constants, size

    def _reached(self, spent: Spent) -> float:
        """log Φ at the best of the maximisers of single groups: no bound can be below."""
        number = len(self.chosen)
        values = [
            self._groups.values(self.chosen, np.repeat(spent.split[[g]], number, axis=0))
            for g in self.chosen
        ]
        return float(self._starts.log_phi(np.array(values)).max())

    def _bound_by_prices(
        self,
        model: Model,
        tables: FloatArray,
        spent: Spent,
        level: IntArray,
        reached: float,
    ) -> None:
        """max_b Σ_q t_q <= λ B + Σ_q max_b (t_q - λ cost_q b), for some prices λ."""
        guess = np.maximum(self.theta @ spent.price[self.chosen], 0.0)
        paid = model.cost[:, None] * level
        rows = np.flatnonzero(self.value > reached)
        finite = np.where(np.isfinite(tables), tables, 0.0).reshape(len(tables), -1)
        outside = np.where(np.isfinite(tables[0]), 0.0, -np.inf)
        mean = (self.theta[rows] @ finite).reshape(-1, *tables.shape[1:]) + outside
        for factor in FACTORS:
            price = factor * guess[rows]
            inner = (mean - price[:, None, None] * paid).max(axis=2).sum(axis=1)
            dual = inner + price * model.budget
            rounding = 64 + self.size[rows] + np.abs(dual) + 2 * price * model.budget
            bounds = self.constant[rows] + dual + model.noise * rounding
            self.value[rows] = np.minimum(self.value[rows], bounds)
            left = self.value[rows] > reached
            rows, mean = rows[left], mean[left]
            if not len(rows):
                break


def _compute(
    model: Model, groups: Groups, cells: list[_Cells], box: tuple[IntArray, IntArray]
) -> None:
    """Replace bounds by largest values, and divide cells, until the largest bounds are exact."""
    low, high = box
    for _ in range(EXACT):
        cells = [some for some in cells if some.top not in some.splits or some.halve(some.top)]
        if not cells:
            return
        top = [some.top for some in cells]
        rows = np.array([some.node for some in cells])
        table = [
            np.tensordot(some.theta[cell], groups.table[some.chosen], axes=1)
            for some, cell in zip(cells, top, strict=True)
        ]
        constant = np.array([some.constant[cell] for some, cell in zip(cells, top, strict=True)])
        above = Above(constant, np.zeros((len(cells), len(model.atom))), np.array(table))
        most, terms, spent = maximise(model, above, low[rows], high[rows], hull=False)
        for some, cell, value, size, split in zip(
            cells, top, most.tolist(), terms.tolist(), spent.split, strict=True
        ):
            exact = value + model.noise * (64 + size + some.size[cell])
            some.value[cell] = min(some.value[cell], exact)
            some.splits[cell] = split


class Starts(NamedTuple):
    """Plans of some groups, sorted by start.

    Attributes:
        group: The group of each plan, shape (n,).
        share: Its least share, shape (n,).
        first: The first plan of each start.
    """

    group: IntArray
    share: FloatArray
    first: IntArray

    @classmethod
    def of(cls, groups: Groups, chosen: IntArray) -> Starts:
        """The plans of some groups."""
        ends = np.append(groups.first[1:], len(groups.share))
        parts = [np.arange(groups.first[g], ends[g]) for g in chosen]
        plans = np.concatenate(parts)
        order = np.argsort(groups.owner[plans], kind="stable")
        group = np.repeat(np.arange(len(chosen)), [len(part) for part in parts])[order]
        owner = groups.owner[plans][order]
        return cls(group, groups.share[plans][order], np.flatnonzero(np.diff(owner, prepend=-1)))

    def log_phi(self, m: FloatArray) -> FloatArray:
        """log Φ for M_1 ... M_g, shape (..., g)."""
        shift = m.max(axis=-1, keepdims=True)
        parts = np.exp(m - shift)
        each = self.share * parts[..., self.group]
        most = np.maximum.reduceat(each, self.first, axis=-1).sum(axis=-1)
        return np.asarray(shift[..., 0] + np.log(parts.sum(axis=-1) - each.sum(axis=-1) + most))
