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
A group may also count with an upper bound of its sum.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.plan_form.model import Above, Model
from deliberate_practice.allocation.plan_form.spend import Spent, maximise
from deliberate_practice.foundation.arrays import FloatArray, IntArray

KNOTS = {
    2: (-6.0, -4.0, -2.8, -2.0, -1.4, -0.9, -0.4),
    3: (-5.0, -2.5, -1.2, -0.5),
}
"""Ends of cells, for two and for three groups."""

MOST_GROUPS = 3
"""The other groups count with an upper bound of their sums."""

EXACT = 12
"""The most cells of a node whose largest value is computed; others are bounded by prices."""

FACTORS = (1.0, 0.8, 1.25)
"""Prices that are tried, as multiples of the mean of the prices of the groups."""


MARGIN = 1e-9
"""Relative margin of ranges, far above their rounding."""


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
    model: Model, groups: Groups, box: tuple[IntArray, IntArray], point: IntArray
) -> tuple[FloatArray, IntArray]:
    """Upper bounds of Φ in K nodes, and the splits at which they are attained.

    Args:
        model: The plans.
        groups: Functions of the groups.
        box: Corners of the boxes, shape (K, Q) each.
        point: Splits that are returned for nodes without groups.
    """
    low, high = box
    alone = Above(groups.constant, np.zeros((len(groups.row), len(model.atom))), groups.table)
    at = low[groups.row], high[groups.row]
    most, terms, spent = maximise(model, alone, *at, hull=False)
    with np.errstate(over="ignore"):
        tops = np.exp(most + model.noise * (64 + terms + groups.size)) * (1 + model.noise)
    groups = groups._replace(cap=np.minimum(groups.cap, tops))
    bound = np.bincount(groups.row, groups.cap, minlength=len(low)).astype(np.float64)
    order = np.lexsort((-groups.cap, groups.row))
    lead = order[np.flatnonzero(np.diff(groups.row[order], prepend=-1))]
    split = point.copy()
    split[groups.row[lead]] = spent.split[lead]
    edges = [*np.flatnonzero(np.diff(groups.row, prepend=-1)).tolist(), len(groups.row)]
    cells = [
        _Cells(model, groups, order[first : first + size], order[first + size : end], spent, box)
        for first, end in itertools.pairwise(edges)
        for size in range(2, min(end - first, MOST_GROUPS) + 1)
    ]
    _compute(model, groups, cells, box)
    for some in cells:
        if some.bound < bound[some.node]:
            bound[some.node] = some.bound
            split[some.node] = some.split
    return bound * (1 + model.noise), split


class _Cells:
    """The cells of one node, each with an upper bound of log Φ in it.

    Attributes:
        node: The node.
        chosen: The groups that count with their functions.
        theta: Weights of these groups, shape (cells, g).
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
        spent: Spent,
        box: tuple[IntArray, IntArray],
    ) -> None:
        self.node = int(groups.row[chosen[0]])
        self.chosen = chosen
        self._rest = float(groups.cap[others].sum())
        self.splits: dict[int, IntArray] = {}
        low, high = (corner[self.node] for corner in box)
        levels = slice(int(low.min()), int(high.max()) + 1)
        level = np.arange(levels.start, levels.stop)
        inside = (level >= low[:, None]) & (level <= high[:, None])
        tables = groups.table[chosen][:, :, levels]
        starts = _Starts.of(groups, chosen)
        differences = np.where(inside, tables[:, None] - tables[None], -np.inf).max(axis=3)
        ranges = differences.sum(axis=2) + np.subtract.outer(*[groups.constant[chosen]] * 2)
        self.theta, alpha = _cells(ranges + MARGIN * (1 + np.abs(ranges)), starts)
        self.constant = alpha + self.theta @ groups.constant[chosen]
        sizes = np.abs(groups.constant[chosen]) + groups.size[chosen]
        self.size = np.abs(alpha) + np.abs(self.theta) @ sizes
        self.value = np.full(len(alpha), -np.inf)
        reached = self._reached(groups, starts, spent)
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

    def _reached(self, groups: Groups, starts: _Starts, spent: Spent) -> float:
        """log Φ at the best of the maximisers of single groups: no bound can be below."""
        values = np.array(
            [
                groups.values(self.chosen, np.repeat(spent.split[[g]], len(self.chosen), axis=0))
                for g in self.chosen
            ]
        )
        return float(starts.log_phi(values).max())

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
        rows = np.arange(len(guess))
        finite = np.where(np.isfinite(tables), tables, 0.0).reshape(len(tables), -1)
        outside = np.where(np.isfinite(tables[0]), 0.0, -np.inf)
        mean = (self.theta @ finite).reshape(-1, *tables.shape[1:]) + outside
        dual = np.full(len(guess), np.inf)
        for factor in FACTORS:
            price = factor * guess[rows]
            inner = (mean[rows] - price[:, None, None] * paid).max(axis=2).sum(axis=1)
            dual[rows] = np.minimum(dual[rows], inner + price * model.budget)
            rounding = 64 + self.size + np.abs(dual) + 2 * guess * model.budget
            self.value = self.constant + dual + model.noise * rounding
            rows = np.flatnonzero(self.value > reached)
            if not len(rows):
                break


def _compute(
    model: Model, groups: Groups, cells: list[_Cells], box: tuple[IntArray, IntArray]
) -> None:
    """Replace bounds by largest values, until in each node the largest bound is one."""
    low, high = box
    for _ in range(EXACT):
        cells = [some for some in cells if some.top not in some.splits]
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


class _Starts(NamedTuple):
    """Plans of some groups: their group, least share, and start."""

    group: IntArray
    share: FloatArray
    owner: IntArray

    @classmethod
    def of(cls, groups: Groups, chosen: IntArray) -> _Starts:
        """The plans of some groups."""
        ends = np.append(groups.first[1:], len(groups.share))
        parts = [np.arange(groups.first[g], ends[g]) for g in chosen]
        plans = np.concatenate(parts)
        group = np.repeat(np.arange(len(chosen)), [len(part) for part in parts])
        return cls(group, groups.share[plans], groups.owner[plans])

    def log_phi(self, m: FloatArray) -> FloatArray:
        """log Φ for M_1 ... M_g, shape (..., g)."""
        shift = m.max(axis=-1, keepdims=True)
        parts = np.exp(m - shift)
        each = self.share * parts[..., self.group]
        total = parts.sum(axis=-1)
        for start in np.unique(self.owner):
            own = each[..., self.owner == start]
            total = total - (own.sum(axis=-1) - own.max(axis=-1))
        return np.asarray(shift[..., 0] + np.log(total))


def _cells(ranges: FloatArray, starts: _Starts) -> tuple[FloatArray, FloatArray]:
    """Weights of the M_G, shape (cells, g), and constants of the cells, shape (cells,).

    Args:
        ranges: The largest M_i - M_j in the box, shape (g, g).
        starts: The plans of the groups.
    """
    size = len(ranges)
    theta, alpha = [], []
    for largest in range(size):
        others = [g for g in range(size) if g != largest]
        if (ranges[largest, others] < 0).any():
            continue  # another group is larger everywhere
        ends = [_knots(-ranges[largest, g], min(ranges[g, largest], 0.0), size) for g in others]
        delta = np.zeros((*(len(x) for x in ends), size))
        for axis, (g, x) in enumerate(zip(others, ends, strict=True)):
            delta[..., g] = x.reshape([-1 if a == axis else 1 for a in range(len(ends))])
        slopes, constants = _affine(ends, starts.log_phi(delta))
        weights = np.empty((len(slopes), size))
        weights[:, others] = slopes
        weights[:, largest] = 1 - slopes.sum(axis=1)
        theta.append(weights)
        alpha.append(constants)
    return np.concatenate(theta), np.concatenate(alpha)


def _knots(least: float, most: float, groups: int) -> FloatArray:
    inner = [knot for knot in KNOTS[groups] if least < knot < most]
    return np.array([min(least, most - MARGIN), *inner, most])


def _affine(ends: list[FloatArray], phi: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Affine functions equal to φ at the corners of cells: slopes and constants."""
    if len(ends) == 1:
        (x,) = ends
        slope = np.diff(phi) / np.diff(x)
        return slope[:, None], phi[:-1] - slope * x[:-1]
    x, y = ends
    along_x, along_y = np.diff(phi, axis=0) / np.diff(x)[:, None], np.diff(phi, axis=1) / np.diff(y)
    slopes, constants = [], []
    for a, b, z, u, v in (
        (along_x[:, :-1], along_y[:-1], phi[:-1, :-1], x[:-1], y[:-1]),
        (along_x[:, 1:], along_y[1:], phi[1:, 1:], x[1:], y[1:]),
    ):
        slopes.append(np.stack([a, b], axis=-1).reshape(-1, 2))
        constants.append((z - a * u[:, None] - b * v).ravel())
    return np.concatenate(slopes), np.concatenate(constants)
