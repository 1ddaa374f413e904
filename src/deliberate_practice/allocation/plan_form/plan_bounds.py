"""Upper bounds of single plans in boxes, by prices.

For any price λ >= 0 and any separable function above T_j,

    max_b T_j <= λ B + constant_j + Σ_q max_{low <= b <= high} (t_jq(b) - λ cost_q b).

t_jq is concave, so the best b of a box is the best b of all, moved into the box. So functions and
prices are chosen once, and a box costs one look-up for each plan and policy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deliberate_practice.allocation.plan_form.model import FLOOR, Above, Model
from deliberate_practice.allocation.plan_form.spend import falling, maximise
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.foundation.deadline import check

CHUNK = 256
"""Plans that are bounded at once."""

MOST_ENTRIES = 4_000_000
"""The most entries of all tables of the plans that are bounded at once."""

ROUNDS = 10
"""How often planes are moved to the maximiser of the function that they make."""

FACTORS = (0.5, 1.0, 2.0)
"""Prices, as multiples of the price of the whole budget."""


@dataclass(frozen=True, eq=False)
class PlanBounds:
    """Functions above all T_j, with prices; none if tables are not concave.

    Attributes:
        model: The plans.
        above: The functions, with tables that are concave.
        price: Shape (J, R).
        best: The best level of each policy at each price, shape (J, R, Q).
        split: A good split of each plan, shape (J, Q).
    """

    model: Model
    above: Above
    price: FloatArray
    best: IntArray
    split: IntArray
    top: FloatArray

    def within(self, low: IntArray, high: IntArray, alive: BoolArray) -> FloatArray:
        """Upper bounds of T_j in K boxes, shape (K, J); infinite where a plan is not alive."""
        model, above = self.model, self.above
        result = np.full(alive.shape, np.inf)
        if not self.price.shape[1]:
            return result
        node, plan = np.nonzero(alive)
        for r in range(self.price.shape[1]):
            b = np.clip(self.best[plan, r], low[node], high[node])
            parts = above.coefficient[plan] * model.atoms(b)
            if above.extra is not None:
                rises = above.extra[plan[:, None], np.arange(b.shape[1]), b]
                parts = np.concatenate([parts, rises], axis=1)
            paid = self.price[plan, r] * (model.budget - b @ model.cost)
            total = above.constant[plan] + parts.sum(axis=1) + paid
            size = np.abs(above.constant[plan]) + np.abs(parts).sum(axis=1) + np.abs(paid)
            size += self.price[plan, r] * model.budget
            result[node, plan] = np.minimum(result[node, plan], total + model.noise * (64 + size))
        return result


def plan_bounds(
    model: Model, deadline: float | None = None
) -> tuple[PlanBounds, FloatArray, IntArray]:
    """Functions above all plans with their prices; an upper bound and a good split of each plan.

    Planes touch at the maximiser of the function before them, ``ROUNDS`` times; the function with
    the least maximum is kept.

    Args:
        model: The plans.
        deadline: When to give up.

    Raises:
        Late: The deadline passed.
    """
    chunk = max(min(CHUNK, MOST_ENTRIES // model.log_p.size), 1)
    pieces = [
        _some_bounds(model, np.arange(first, min(first + chunk, len(model.owner))), deadline)
        for first in range(0, len(model.owner), chunk)
    ]
    functions, *arrays = zip(*pieces, strict=True)
    price, best, top, split = (np.concatenate(parts) for parts in arrays)
    return PlanBounds(model, Above.joined(functions), price, best, split, top), top, split


def _some_bounds(
    model: Model, plans: IntArray, deadline: float | None
) -> tuple[Above, FloatArray, IntArray, FloatArray, IntArray]:
    sums = model.each(plans)
    low = np.zeros((len(plans), len(model.policies)), dtype=np.int64)
    high = np.broadcast_to(np.minimum(model.most, model.budget // model.cost), low.shape)
    top = np.full(len(plans), np.inf)
    price, split = np.zeros(len(plans)), low
    above = model.above(sums, _even(model, low), high)
    least = above
    for _ in range(ROUNDS if model.curved else 1):
        check(deadline)
        most, terms, spent = maximise(model, above, low, high)
        most = np.maximum(most + model.noise * (64 + terms), FLOOR)
        better = most < top
        top, price = np.where(better, most, top), np.where(better, spent.price, price)
        split = np.where(better[:, None], spent.split, split)
        least = above.where(better, least)
        above = above.mean(model.above(sums, spent.split, high))
    prices = price[:, None] * np.array(FACTORS)
    if model.bent or not model.concave.all():
        none = np.zeros((len(plans), 0, len(model.policies)), dtype=np.int64)
        return least._replace(extra=None), prices[:, :0], none, top, split
    gains = np.add.reduceat(
        least.coefficient[:, :, None] * model.step[None], model.first_atom, axis=1
    )
    if least.extra is not None:
        gains, least = _concave(gains, least)
    worth = gains[:, None] > prices[:, :, None, None] * model.cost[None, None, :, None]
    return least, prices, worth.sum(axis=3), top, split


def _concave(gains: FloatArray, above: Above) -> tuple[FloatArray, Above]:
    """Gains of concave tables above those of functions, and the functions with such tables."""
    assert above.extra is not None
    rises = np.diff(above.extra, axis=2)
    total = gains + rises
    hull = np.array([[falling(table) for table in tables] for tables in total])
    extra = above.extra.copy()
    extra[:, :, 1:] += np.cumsum(hull - total, axis=2)
    return hull, above._replace(extra=extra)


def _even(model: Model, low: IntArray) -> IntArray:
    """The budget in equal parts."""
    share = model.budget // (len(model.policies) * model.cost)
    return np.broadcast_to(np.minimum(model.most, share), low.shape)
