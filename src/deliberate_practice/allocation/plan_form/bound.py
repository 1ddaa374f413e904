"""Bounds of nodes: sets of plans, a box of splits, and an interval of every T_j.

In a node, x_j <= T_j <= y_j. The chord of exp on [x_j, y_j] lies above it, so with

    max_j a_j <= Σ_j a_j - (Σ_j l_j - max_j l_j)   for a_j >= l_j

the value Σ_i w_i max_j exp T_j lies below a constant plus a weighted sum of T_j, which lies below a
separable function (model.py), whose maximum over box and budget is simple (spend.py). Splits of the
box with some T_j outside its interval need no attention: there a chord lies below exp, so these
splits only count for less. With step costs plans are bounded in groups (cost_bounds.py).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deliberate_practice.allocation.plan_form.cost_bounds import by_groups
from deliberate_practice.allocation.plan_form.model import FLOOR, Model
from deliberate_practice.allocation.plan_form.nodes import Nodes, surplus
from deliberate_practice.allocation.plan_form.plan_bounds import PlanBounds
from deliberate_practice.allocation.plan_form.spend import maximise
from deliberate_practice.allocation.plan_form.tilt import tilted
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray

NARROW = 1e-7
"""An interval of T_j shorter than this has a constant in place of a chord."""

TOUCHES = 2
"""How often planes are moved to the maximiser of the last bound."""


def evaluate(model: Model, plan_bounds: PlanBounds, nodes: Nodes, enough: float = -np.inf) -> Nodes:
    """Tighten boxes, intervals and sets of plans, and compute bounds not above the present ones.

    Args:
        model: The plans.
        plan_bounds: Functions above each of them.
        nodes: The nodes.
        enough: Nodes with a bound up to this need no better one.
    """
    spare = (model.budget - nodes.low @ model.cost)[:, None] // model.cost
    high = np.minimum(nodes.high, nodes.low + spare)
    x = np.maximum(nodes.x, model.values(nodes.low)[0])
    y = np.minimum(nodes.y, model.values(np.maximum(high, 0))[1])
    y = np.maximum(np.minimum(y, plan_bounds.within(nodes.low, high, nodes.alive)), FLOOR)
    empty = (high < nodes.low).any(axis=1) | (nodes.alive & (y < x)).any(axis=1)
    nodes = replace(nodes, high=np.maximum(high, nodes.low), x=x, y=y)
    nodes = replace(nodes, alive=_undominated(model, nodes))
    point = np.clip(nodes.point, nodes.low, nodes.high)
    bound = np.minimum(nodes.bound, _by_intervals(model, nodes))
    if model.sequences is not None:
        bounded = by_groups(model, plan_bounds, nodes, point)
        bound = np.minimum(bound, bounded.bound)
        return replace(bounded, bound=np.where(empty, -np.inf, bound))
    by_chords, maximiser = _by_chords(model, nodes, point)
    bound = np.minimum(bound, by_chords)
    left = np.flatnonzero(~empty & (bound > enough))
    if len(left):
        tilted = _by_tilt(model, nodes.take(left), maximiser[left])
        bound[left] = np.minimum(bound[left], tilted)
    return replace(nodes, point=maximiser, bound=np.where(empty, -np.inf, bound))


def chords(nodes: Nodes) -> tuple[FloatArray, FloatArray]:
    """Slope of the chord of exp on each interval, and its value at y, shape (K, J).

    Without a lower limit of T_j the chord is the constant exp y.
    """
    top = np.exp(nodes.y)
    width = np.maximum(nodes.y - nodes.x, 0.0)
    wide = (width > NARROW) & (nodes.x > FLOOR)
    return np.where(wide, -top * np.expm1(-width) / np.where(wide, width, 1.0), 0.0), top


def _undominated(model: Model, nodes: Nodes) -> BoolArray:
    """Plans that can exceed the best lower limit of their start."""
    lower = np.where(nodes.alive, nodes.x, -np.inf)
    starts = np.diff(np.append(model.first_plan, len(model.owner)))
    best = np.maximum.reduceat(lower, model.first_plan, axis=1)
    best = np.repeat(best, starts, axis=1)
    order = np.arange(len(model.owner))
    at_best = np.where(lower >= best, order, len(order))
    leader = np.minimum.reduceat(at_best, model.first_plan, axis=1)
    leads = order == np.repeat(leader, starts, axis=1)
    return np.asarray(nodes.alive & (leads | (nodes.y > best)))


def _by_intervals(model: Model, nodes: Nodes) -> FloatArray:
    """Σ_i w_i max_j exp y_j."""
    top = np.where(nodes.alive, np.exp(nodes.y), 0.0)
    largest = np.maximum.reduceat(top, model.first_plan, axis=1)
    bound: FloatArray = largest @ model.weight[model.first_plan] * (1 + model.noise)
    return bound


def _by_chords(model: Model, nodes: Nodes, point: IntArray) -> tuple[FloatArray, IntArray]:
    """The bound by chords, and the split at which it is attained."""
    slope, top = chords(nodes)
    weight = np.where(nodes.alive, model.weight, 0.0)
    omega = weight * slope
    fixed = (weight * (top - slope * nodes.y)).sum(axis=1)
    size = (weight * (top + slope * np.abs(nodes.y))).sum(axis=1)
    fixed -= surplus(model, nodes.alive, np.exp(nodes.x)).sum(axis=1)
    sums = model.weigh(omega)
    bound = np.full(len(nodes), np.inf)
    best = point
    above = model.above(sums, point, nodes.high)
    for last in range(TOUCHES if model.curved else 1)[::-1]:
        most, terms, spent = maximise(model, above, nodes.low, nodes.high)
        total = fixed + most + model.noise * (size + terms)
        better = total < bound
        bound = np.where(better, total, bound)
        best = np.where(better[:, None], spent.split, best)
        if last:
            above = above.mean(model.above(sums, spent.split, nodes.high))
    return np.maximum(bound, 0.0), best


def _by_tilt(model: Model, nodes: Nodes, point: IntArray) -> FloatArray:
    """The bound on sums of plans that differ in few kinds."""
    possible, above = tilted(model, nodes.alive, nodes.low, nodes.high, point)
    bound = np.where(nodes.alive.any(axis=1), np.inf, 0.0)
    if possible.any():
        rows = np.flatnonzero(possible)
        most, terms, _ = maximise(model, above.take(rows), nodes.low[rows], nodes.high[rows])
        bound[rows] = np.exp(most + model.noise * (64 + terms)) * (1 + model.noise)
    return bound
