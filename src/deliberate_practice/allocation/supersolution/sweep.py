"""The right side of condition (B), maximised over a box, for all actions at once.

With ρ of ``actions.py`` and d_k = η_{t_k} - η_s, condition (B) divided by own(b) is

    m_s >= Σ_k ρ_k(b_u) m_{t_k} exp(d_k h(b))
           + exp(-η_s h(b)) [k_s + gain(b_u) - Σ_k ρ_k(b_u) k_{t_k}].

Its right side is evaluated for every b_u of the action's own policy u. In every other coordinate
each term of the sum is convex in h_v(b_v), so an end of the interval is worst. Where the terms of
an action disagree about the end, both ends are tried for the ``MIXED`` coordinates that matter
most, and each term takes its own worst end in the others. The bracket does so everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.supersolution.actions import Actions
from deliberate_practice.allocation.supersolution.shape import Box, Shape
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.rounding import EPS

MIXED = 5
"""The most coordinates of an action of which both ends are tried."""

WORK = 4_000_000
"""Products per policy and sweep beyond which fewer coordinates are tried."""


@dataclass(frozen=True, eq=False)
class _Block:
    """The actions of one policy u, over its episodes e and the tried ends z.

    Attributes:
        index: These actions, shape (n,).
        target: Their targets, shape (n, K).
        rate: ρ_k(e) exp(d_ku h_u(e)), shape (n, E, K).
        ends: exp of what the other coordinates add, shape (n, K, Z).
        extra: The largest value of the bracket's term, shape (n, E).
        noise: Relative rounding error of the terms, shape (n,).
        size: The sum of the absolute terms of ``extra``, shape (n, E).
    """

    index: IntArray
    target: IntArray
    rate: FloatArray
    ends: FloatArray
    extra: FloatArray
    noise: FloatArray
    size: FloatArray


class BoxRates:
    """The rates of all actions on a box, by policy; all shapes on the box share them."""

    def __init__(self, actions: Actions, box: Box) -> None:
        self.actions = actions
        order = np.argsort(actions.policy, kind="stable")
        borders = np.flatnonzero(np.diff(actions.policy[order])) + 1
        rows = np.split(order, borders) if len(order) else []
        self.groups = [_group(actions, box, one) for one in rows]


class _Group(NamedTuple):
    """The actions of one policy: their indices, themselves, ρ (n, K, E) and gain (n, E)."""

    rows: IntArray
    part: Actions
    rho: FloatArray
    gain: FloatArray


def _group(actions: Actions, box: Box, rows: IntArray) -> _Group:
    part = actions.only(rows)
    table = box.tables[int(part.policy[0])]
    return _Group(rows, part, *part.rates(np.broadcast_to(table, (len(rows), len(table)))))


class Sweep:
    """All actions of a box, for one shape; tabulates everything that does not depend on m."""

    def __init__(self, rates: BoxRates, shape: Shape) -> None:
        self.actions = rates.actions
        self._blocks = [_block(group, shape) for group in rates.groups]

    def best(self, m: FloatArray, *, outward: bool = False) -> FloatArray:
        """The largest right side of each action, shape (A,); ``outward`` never rounds it down."""
        right = np.zeros(len(self.actions.state))
        for block in self._blocks:
            ahead = m[block.target]
            values = np.matmul(block.rate, ahead[:, :, None] * block.ends)
            if outward:
                values *= (1.0 + block.noise)[:, None, None]
                extra = block.extra + block.noise[:, None] * block.size
                largest = values.max(axis=2) + extra
                right[block.index] = largest.max(axis=1) + EPS * np.abs(largest).max(axis=1)
            else:
                right[block.index] = (values.max(axis=2) + block.extra).max(axis=1)
        return right

    def choices(self, m: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, IntArray]:
        """The same with its worst place: right side, weights of m at the targets, rest, episode."""
        count, width = self.actions.target.shape
        right, rest, level = np.zeros(count), np.zeros(count), np.zeros(count, dtype=np.int64)
        rows = np.zeros((count, width))
        for block in self._blocks:
            ahead = m[block.target]
            values = np.matmul(block.rate, ahead[:, :, None] * block.ends)
            values += block.extra[:, :, None]
            flat = values.reshape(len(values), -1)
            worst = flat.argmax(axis=1)
            n = np.arange(len(flat))
            e, z = np.divmod(worst, values.shape[2])
            right[block.index] = flat[n, worst]
            rows[block.index] = block.rate[n, e] * block.ends[n, :, z]
            rest[block.index] = block.extra[n, e]
            level[block.index] = e
        return right, rows, rest, level


def _block(group: _Group, shape: Shape) -> _Block:
    rows, part, rho, gain = group
    u = int(part.policy[0])
    height = shape.heights[u]
    eta = shape.weights[part.state]
    rise = shape.weights[part.target] - eta[:, None, :]  # (n, K, V)
    leads = rho.max(axis=2) > 0
    rise = np.where(leads[:, :, None], rise, 0.0)
    own = rise[:, :, u, None] * height
    others = shape.tops.copy()
    others[u] = 0.0
    slopes = rise * others
    ends = _ends(slopes, rho.size)
    k_s, k_t = shape.offsets[part.state], shape.offsets[part.target]
    charged = np.einsum("nke,nk->ne", rho, k_t)
    bracket = k_s[:, None] + gain - charged
    fall = np.exp(-eta[:, u, None] * height)
    least = np.exp(-(eta @ others))[:, None]
    factor = fall * np.where(bracket > 0, 1.0, least)
    reach = np.abs(slopes).sum(axis=(1, 2)) + np.abs(own).max(axis=(1, 2), initial=0.0)
    reach += eta @ shape.tops
    return _Block(
        index=rows,
        target=part.target,
        rate=(rho * np.exp(own)).transpose(0, 2, 1),
        ends=ends,
        extra=bracket * factor,
        noise=(64.0 + 8.0 * len(shape.tops) * (1.0 + reach)) * EPS,
        size=(k_s[:, None] + np.abs(gain) + charged) * factor,
    )


def _ends(slopes: FloatArray, work: int) -> FloatArray:
    """exp(Σ_v slope_kv z_v) for the tried ends z, other terms at their own worst, (n, K, Z)."""
    up, down = slopes.max(axis=1), -slopes.min(axis=1)
    effect = np.minimum(up, down)  # positive where terms disagree
    most = int((effect > 0).sum(axis=1).max(initial=0))
    limit = int(np.log2(max(1.0, WORK / max(work, 1))))
    tried = min(most, MIXED, limit)
    worst = np.maximum(slopes, 0.0)
    chosen = np.argsort(-effect, axis=1)[:, :tried]
    index = np.broadcast_to(chosen[:, None, :], (*slopes.shape[:2], tried))
    base = worst.sum(axis=2) - np.take_along_axis(worst, index, axis=2).sum(axis=2)
    bits = (np.arange(2**tried)[None, :] >> np.arange(tried)[:, None]) & 1
    ends: FloatArray = np.exp(base[:, :, None] + np.take_along_axis(slopes, index, axis=2) @ bits)
    return ends
