"""Upper bounds of single plans in boxes, by prices.

For any price λ >= 0 and any separable function above T_j,

    max_b T_j <= λ B + constant_j + Σ_q max_{low <= b <= high} (t_jq(b) - λ cost_q b).

t_jq is concave, so the best b of a box is the best b of all, moved into the box. So functions and
prices are chosen once, and a box costs one look-up for each plan and policy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deliberate_practice.allocation.plan_form.model import FLOOR, Model
from deliberate_practice.allocation.plan_form.spend import maximise
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.foundation.deadline import check

CHUNK = 256
"""Plans that are bounded at once."""

ROUNDS = 10
"""How often planes are moved to the maximiser of the function that they make."""

FACTORS = (0.5, 1.0, 2.0)
"""Prices, as multiples of the price of the whole budget."""


@dataclass(frozen=True, eq=False)
class PlanBounds:
    """Functions above all T_j, with prices; none if tables are not concave.

    Attributes:
        model: The plans.
        constant: Shape (J,).
        coefficient: Of the atoms, shape (J, A).
        price: Shape (J, R).
        best: The best level of each policy at each price, shape (J, R, Q).
    """

    model: Model
    constant: FloatArray
    coefficient: FloatArray
    price: FloatArray
    best: IntArray

    def within(self, low: IntArray, high: IntArray, alive: BoolArray) -> FloatArray:
        """Upper bounds of T_j in K boxes, shape (K, J); infinite where a plan is not alive."""
        model = self.model
        result = np.full(alive.shape, np.inf)
        if not self.price.shape[1]:
            return result
        node, plan = np.nonzero(alive)
        for r in range(self.price.shape[1]):
            b = np.clip(self.best[plan, r], low[node], high[node])
            parts = self.coefficient[plan] * model.atoms(b)
            paid = self.price[plan, r] * (model.budget - b @ model.cost)
            total = self.constant[plan] + parts.sum(axis=1) + paid
            size = np.abs(self.constant[plan]) + np.abs(parts).sum(axis=1) + np.abs(paid)
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
    pieces = []
    for first in range(0, len(model.owner), CHUNK):
        plans = np.arange(first, min(first + CHUNK, len(model.owner)))
        pieces.append(_some_bounds(model, plans, deadline))
    constant, coefficient, price, best, top, split = (
        np.concatenate(parts) for parts in zip(*pieces, strict=True)
    )
    return PlanBounds(model, constant, coefficient, price, best), top, split


def _some_bounds(
    model: Model, plans: IntArray, deadline: float | None
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray, FloatArray, IntArray]:
    sums = model.each(plans)
    low = np.zeros((len(plans), len(model.policies)), dtype=np.int64)
    high = np.broadcast_to(np.minimum(model.most, model.budget // model.cost), low.shape)
    top = np.full(len(plans), np.inf)
    constant, price = np.zeros(len(plans)), np.zeros(len(plans))
    coefficient, split = np.zeros((len(plans), len(model.atom))), low
    above = model.above(sums, _even(model, low), high)
    for _ in range(ROUNDS if model.curved else 1):
        check(deadline)
        most, terms, spent = maximise(model, above, low, high)
        most = np.maximum(most + model.noise * (64 + terms), FLOOR)
        better = most < top
        top, price = np.where(better, most, top), np.where(better, spent.price, price)
        constant = np.where(better, above.constant, constant)
        coefficient = np.where(better[:, None], above.coefficient, coefficient)
        split = np.where(better[:, None], spent.split, split)
        above = above.mean(model.above(sums, spent.split, high))
    prices = price[:, None] * np.array(FACTORS)
    if model.bent or not model.concave.all():
        prices = prices[:, :0]
    best = np.empty((*prices.shape, len(model.policies)), dtype=np.int64)
    for j in range(len(plans) if prices.shape[1] else 0):
        gains = np.add.reduceat(coefficient[j, :, None] * model.step, model.first_atom, axis=0)
        worth = gains[None] > prices[j, :, None, None] * model.cost[None, :, None]
        best[j] = worth.sum(axis=2)
    return constant, coefficient, prices, best, top, split


def _even(model: Model, low: IntArray) -> IntArray:
    """The budget in equal parts."""
    share = model.budget // (len(model.policies) * model.cost)
    return np.broadcast_to(np.minimum(model.most, share), low.shape)
