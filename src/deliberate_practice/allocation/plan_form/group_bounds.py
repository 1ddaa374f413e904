"""With step costs: one separable function above the sum of a group of plans, in a node.

In a node v0 <= V_c <= v1 (groups.py): V_c is at least every V_j. Where V_j may be negative it
counts as 0; its chord on [v0, v1] gives max(0, V_c - E_j) <= s_j (V_c - a_j), with

    s_j = 1,  a_j = E_j             where V_j is positive in the whole node,
    s_j = 1,  a_j = min E_j         else, if min E_j <= v0,
    s_j = (v1 - min E_j) / (v1 - v0),  a_j = v0     else.

With σ_j the share of w_j s_j G_j in their sum G, Σ_j w_j V_j <= G (V_c - ε), ε = Σ_j σ_j a_j. The
logarithm of G lies below a separable function (tilt.py). ε is at least its sum with least shares,
and E_j at least a sum of terms in 1/p with nonnegative coefficients; so V_c - ε is below the value
of a sequence whose first step has factor 1 and such an effort, and its logarithm below planes, the
best order of c below their hull (step_costs.py). ε is also at least its least value at the corners
of the box of the head's kinds: it is a quotient of functions that are linear in each competence.
The larger of the two lower bounds at the point is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.plan_form.groups import Front, Group
from deliberate_practice.allocation.plan_form.model import FLOOR, Above, Model, Weighted
from deliberate_practice.allocation.plan_form.step_costs import CLEAR, NU, RANGE, WORTHLESS
from deliberate_practice.allocation.plan_form.tilt import tilt
from deliberate_practice.foundation.arrays import FloatArray, IntArray

STEEP = 0.1
"""A function touches where the value is at least this part of its absolute terms, if possible."""

TINY = float(np.finfo(np.float64).tiny)


class At(NamedTuple):
    """A split, n kinds.

    Attributes:
        x: log competences, shape (Q,).
        logs: log F of the kinds, and 0 for the padding, shape (n + 1,).
        effort: e of the kinds, and 0, shape (n + 1,).
        slopes: d log F / dx, shape (n, Q).
        falls: -d log e / dx, shape (n, Q).
    """

    x: FloatArray
    logs: FloatArray
    effort: FloatArray
    slopes: FloatArray
    falls: FloatArray


class Box(NamedTuple):
    """The heads of a group in a node.

    Attributes:
        constant: log Σ_j w_j s_j.
        table: Tables above log G - log Σ_j w_j s_j, shape (Q, L + 1).
        scale: Coefficients of the terms of ``always`` in ε, shape (t,).
        fixed: Constant part of ε beside them.
        flat: Least value of ε in the node.
        cap: An upper bound of Σ_j w_j V_j.
        slope, offset: s_j and the least a_j, shape (n,).
        least: min E_j, shape (n,).
        share: Least share of each plan in G (V_c - ε), shape (n,).
    """

    constant: float
    table: FloatArray
    scale: FloatArray
    fixed: float
    flat: float
    cap: float
    slope: FloatArray
    offset: FloatArray
    least: FloatArray
    share: FloatArray

    def effort(self, terms: Front, at: At) -> tuple[FloatArray, float]:
        """The terms of ε at a split, and a lower bound of ε there."""
        with np.errstate(invalid="ignore", over="ignore"):
            front = self.scale * at.effort[terms.kind] * np.exp(-(terms.after @ at.logs))
        paid = float(front.sum()) + self.fixed
        return (front[:0], self.flat) if self.flat > paid else (front, paid)


def places(model: Model, b: IntArray) -> list[At]:
    """Some splits with what functions need to touch there."""
    assert model.sequences is not None
    x = model.x(b)
    slopes = model.sequences.inverse.logs_and_slopes(x)[1]
    falls = model.sequences.effort.logs_and_slopes(x)[1]
    parts = x, model.padded_logs(b), model.sequences.efforts(x), slopes, falls
    return [At(*of_one) for of_one in zip(*parts, strict=True)]


def boxed(
    model: Model, one: Group, limits: tuple[FloatArray, FloatArray], low: At, high: At
) -> Box | None:
    """Bound the heads of a group in a node; None if no plan is ever worth anything.

    Args:
        model: The plans.
        one: The group.
        limits: Lower and upper limits of its T_j, shape (n,) each.
        low: The lower corner of the box.
        high: The upper corner.
    """
    plans, (x, y) = one.heads.plans, limits
    v1 = tail_value(one, high)
    if one.whole is not None:
        v1 = min(v1, float(np.exp(y[one.whole])) * (1 + NU))
    v0 = min(float(np.exp(x.max())) * (1 - NU), v1)
    if v1 <= 0:
        return None
    least, most = _efforts(one, low, high)
    sure = (x > FLOOR) | (most <= v0)
    chord = ~sure & (least > v0)
    left = np.maximum(v1 - least, 0.0)
    slope = np.ones(len(plans))
    np.divide(left, max(v1 - v0, TINY), out=slope, where=chord)
    slope = np.minimum(slope * (1 + NU), 1.0)
    offset = np.where(chord, v0, least)
    reach = np.exp(high.logs[one.heads.kinds] @ one.heads.used)
    cap = model.weight[plans] @ np.minimum(np.exp(y), reach * left * (1 + NU)) * (1 + NU)
    if cap <= 0:
        return None
    with np.errstate(divide="ignore"):
        weights = np.log(model.weight[plans]) + np.log(slope)
    constant, table, shares = tilt(model, one.heads, weights, low.logs, high.logs)
    share = np.maximum(shares.min(axis=0) * (1 - model.noise) - model.noise, 0.0)
    lead = np.exp(one.always.before @ low.logs) * (1 - NU)
    away = np.where(sure, most, offset)
    kept = np.where(away < v0, 1 - np.minimum(away, v0) / max(v0, TINY), away == 0) * (1 - NU)
    return Box(
        constant,
        table,
        scale=np.where(sure, share, 0.0)[one.always.owner] * lead,
        fixed=float(share @ np.where(sure, 0.0, offset)) * (1 - NU),
        flat=_flat(one, shares, np.where(sure, np.nan, offset), low, high),
        cap=float(cap),
        slope=slope,
        offset=offset,
        least=least,
        share=share * kept,
    )


def _efforts(one: Group, low: At, high: At) -> tuple[FloatArray, FloatArray]:
    """Bounds of the best E_j in a box: e and 1/F fall with every competence."""
    ways, count = one.ways, len(one.heads.plans)
    least, most = np.full(count, np.inf), np.full(count, np.inf)
    with np.errstate(over="ignore", invalid="ignore"):
        few = high.effort[ways.kind] * np.exp(ways.before @ low.logs - ways.after @ high.logs)
        many = low.effort[ways.kind] * np.exp(-(ways.after @ low.logs))
    few, many = np.where(np.isnan(few), 0.0, few), np.where(np.isnan(many), np.inf, many)
    sums = [np.bincount(ways.owner, part, minlength=len(one.plan)) for part in (few, many)]
    np.minimum.at(least, one.plan, sums[0] * (1 - NU))
    np.minimum.at(most, one.plan, sums[1] * (1 + NU))
    return least, most


def _flat(one: Group, shares: FloatArray, offset: FloatArray, low: At, high: At) -> float:
    """The least value of ε at the corners; E_j counts where the offset is not a number."""
    if one.corners is None or not len(one.ways.kind):
        return 0.0
    kinds, ways, at = one.heads.kinds, one.ways, one.corners.astype(np.int64)
    logs, efforts = np.stack([low.logs, high.logs]), np.stack([low.effort, high.effort])
    with np.errstate(over="ignore", invalid="ignore"):
        ratio = ways.before @ low.logs - logs[at, kinds] @ ways.after[:, kinds].T
        terms = efforts[at[:, np.searchsorted(kinds, ways.kind)], ways.kind] * np.exp(ratio)
        sums = np.zeros((len(one.plan), len(at)))
        np.add.at(sums, ways.owner, terms.T)
        each = np.full((len(offset), len(at)), np.inf)
        np.minimum.at(each, one.plan, sums)
        least = (shares * np.where(np.isnan(offset), each.T, offset)).sum(axis=1).min()
    return float(least) * (1 - NU) if np.isfinite(least) else 0.0


def tail_value(one: Group, at: At) -> float:
    """An upper bound of V_c at a split."""
    value = np.full(len(one.tails), one.reward * (1 + NU))
    factor = np.exp(at.logs)
    for kinds in one.tails.T[::-1]:
        value = np.maximum(value - at.effort[kinds] * (1 - NU), 0.0) * factor[kinds] * (1 + NU)
    return float(value.max())


def functions(
    model: Model, groups: Sequence[Group], boxes: Sequence[Box], touches: Sequence[IntArray]
) -> Above:
    """A separable function above log Σ_j w_j V_j of each group in its node.

    Args:
        model: The plans.
        groups: The groups.
        boxes: Their boxes.
        touches: Splits at which functions may touch, shape (G, Q) each; the first one that suits is
            used. The last ones are the upper corners; if a group has no clearly positive value even
            there, its bracket there is the bound.
    """
    count = len(groups)
    bracket, chosen = np.zeros(count), touches[-1].copy()
    least, most = np.zeros(chosen.shape), np.zeros(chosen.shape)
    left = list(range(count))
    for number, touch in enumerate(touches):
        clear = CLEAR if number == len(touches) - 1 else STEEP
        waiting = []
        for g, at in zip(left, places(model, touch[left]), strict=True):
            hull = _touch(groups[g], boxes[g], at, clear)
            if hull is None:
                waiting.append((g, at))
            else:
                bracket[g], least[g], most[g] = hull
                chosen[g] = touch[g]
        left = [g for g, _ in waiting]
        if not left:
            break
    else:
        for g, at in waiting:
            value = tail_value(groups[g], at)
            logs = at.logs[groups[g].tails[0]].sum()
            bracket[g] = np.log(value) - logs if value > 0 else WORTHLESS
    none = np.zeros(0, dtype=np.int64)
    common = np.array([one.heads.common for one in groups])
    shared = np.array([one.heads.shared for one in groups])
    sums = Weighted(np.zeros(count), common, shared, none, none, np.zeros(0))
    above = model.above(sums, chosen, touches[-1])
    x = model.x(chosen)
    above.coefficient[:, np.append(model.first_atom[1:], len(model.atom)) - 1] += least
    constant = above.constant + bracket - np.einsum("gq,gq->g", least, x)
    constant += np.array([box.constant for box in boxes])
    extra = np.array([box.table for box in boxes])
    extra += (most - least)[:, :, None] * np.maximum(model.log_p - x[:, :, None], 0.0)
    return Above(constant, above.coefficient, extra)


def _touch(
    one: Group, box: Box, at: At, clear: float
) -> tuple[float, FloatArray, FloatArray] | None:
    """log (V_c - ε) / Π F at a split, and the least and largest slopes over the orders of c.

    None if V_c - ε is not at least a part of its absolute terms.
    """
    tails, n = one.tails, len(at.logs)
    products = np.cumprod(np.exp(at.logs)[tails], axis=1)
    with np.errstate(invalid="ignore", over="ignore"):
        spent = products * at.effort[tails]
    front, paid = box.effort(one.always, at)
    earned = one.reward * products[:, -1]
    cost = spent.sum(axis=1) + paid
    value = earned - cost
    if not (np.isfinite(cost).all() and (value > clear * (earned + cost)).all()):
        return None
    beta = spent / value[:, None]
    before = np.cumsum(beta, axis=1) - beta + (paid / value)[:, None]
    cell = (np.arange(len(tails))[:, None] * n + tails).ravel()

    def by_kind(amount: FloatArray) -> FloatArray:
        total = np.bincount(cell, amount.ravel(), minlength=len(tails) * n).astype(np.float64)
        return total.reshape(len(tails), n)[:, :-1]

    plane = by_kind(before) @ at.slopes + by_kind(beta) @ at.falls
    if len(front):
        falls = front @ (at.falls[one.always.kind] + one.always.after[:, :-1] @ at.slopes)
        plane += falls / value[:, None]
    rounding = NU * (earned + cost) / value
    bracket = np.log(value) - at.logs[tails].sum(axis=1)
    bracket += rounding * (16 + RANGE * plane.sum(axis=1))
    return float(bracket.max()), plane.min(axis=0), plane.max(axis=0)
