"""Children of nodes: three ways to divide a node into two.

At the maximiser b^ of a node's bound two things make the bound too large: a start counts several
plans of which only one is executed, and chords lie above exp. The first is reduced by separating a
plan from the others of its start, the second by dividing the range of a policy or of a T_j.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deliberate_practice.allocation.plan_form.bound import chords
from deliberate_practice.allocation.plan_form.model import Model
from deliberate_practice.allocation.plan_form.nodes import Nodes, surplus
from deliberate_practice.allocation.plan_form.plan_bounds import PlanBounds
from deliberate_practice.foundation.arrays import FloatArray

PLANS = 0.1
"""Plans are separated if this costs at least this part of the largest error of a chord."""

ROUGH = 0.5
"""A roughly known group is divided by its value if this explains at least this part of the error
of ranges."""

BELOW = 0.25
"""It is divided this far below its logarithm at the point,"""

UPPER = 0.7
"""and at least this far below the upper limit."""

LOW = 5.0
"""A plan whose sign is open is divided at exp(-LOW) times the best value."""

SEVERAL = 0.03
"""With step costs, plans are separated if this explains more than this part of the error of
ranges."""

SKILL = 0.5
"""A policy is divided if it explains at least this part of the largest error of a chord."""

PULL = 0.7
"""A range is divided between its middle and the maximiser, this near to the maximiser."""

EDGE = 1 / 6
"""The least part of the range of a policy on either side."""

MARGIN = 0.15
"""The least part of the interval of a T_j on either side."""

WIDEST = 2.0
"""Of a longer interval of a T_j, the upper part of this length is divided."""

THIN = 1e-9
"""Intervals of T_j shorter than this are not divided."""


def children(model: Model, plan_bounds: PlanBounds, nodes: Nodes) -> Nodes:
    """Two children of each node that can be divided; a node of one split has none."""
    if model.sequences is not None:
        return _with_costs(model, nodes)
    low_t, high_t = model.values(nodes.point)
    t = 0.5 * (low_t + high_t)
    slope, top = chords(nodes)
    chord = np.maximum(top + slope * (t - nodes.y), 0.0)
    counted = surplus(model, nodes.alive, chord) - surplus(model, nodes.alive, np.exp(nodes.x))
    error = np.where(nodes.alive, model.weight * np.maximum(chord - np.exp(t), 0.0), 0.0)
    parts = []
    for k in np.flatnonzero((nodes.high > nodes.low).any(axis=1)).tolist():
        node = nodes.take(np.array([k, k]))
        most = error[k].max(initial=0.0)
        start = int(np.argmax(counted[k]))
        several = counted[k, start] > 0 and counted[k, start] >= PLANS * most
        if several and (apart := _separate(model, node, t[k], start)) is not None:
            parts.append(apart)
            continue
        score = _scores(model, plan_bounds, nodes, k, error[k])
        q = int(np.argmax(score))
        j = int(np.argmax(error[k]))
        wide = nodes.y[k, j] - nodes.x[k, j] > THIN
        if score[q] >= SKILL * most or not wide:
            parts.append(_divide_policy(node, q))
        else:
            parts.append(_divide_outcome(node, j, float(t[k, j])))
    return _join(nodes, parts)


def _with_costs(model: Model, nodes: Nodes) -> Nodes:
    """Children of nodes that tell where their bounds are too large."""
    t = model.values(nodes.point)[0]
    parts = []
    for k in np.flatnonzero((nodes.high > nodes.low).any(axis=1)).tolist():
        node = nodes.take(np.array([k, k]))
        ranged = np.where(nodes.high[k] > nodes.low[k], nodes.ranged[k], -1.0)
        total = nodes.ranged[k].sum()
        rough, start = int(np.argmax(nodes.rough[k])), int(np.argmax(nodes.counted[k]))
        unsure, q = int(np.argmax(nodes.unsure[k])), int(np.argmax(ranged))
        if nodes.rough[k, rough] > ROUGH * total:
            y = nodes.y[k, rough]
            cut = max(min(t[k, rough] - BELOW, y - UPPER), y - WIDEST)
            parts.append(_limit(node, rough, float(cut)))
            continue
        several = nodes.counted[k, start]
        if several > SEVERAL * total and (apart := _separate(model, node, t[k], start)) is not None:
            parts.append(apart)
        elif nodes.unsure[k, unsure] > max(ranged[q], 0.0):
            most = np.where(nodes.alive[k], nodes.y[k], -np.inf).max()
            parts.append(_limit(node, unsure, float(min(most - LOW, nodes.y[k, unsure] - 1.0))))
        else:
            width = nodes.high[k] - nodes.low[k]
            parts.append(_divide_policy(node, q if ranged[q] > 0 else int(np.argmax(width))))
    return _join(nodes, parts)


def _separate(model: Model, node: Nodes, t: FloatArray, start: int) -> Nodes | None:
    """One child with only the best plan of a start, one without it."""
    first = model.first_plan[start]
    own = (model.owner == model.owner[first]) & node.alive[0]
    if own.sum() < 2:
        return None
    best = int(np.argmax(np.where(own, t, -np.inf)))
    alive = node.alive.copy()
    alive[0, own] = False
    alive[0, best] = True
    alive[1, best] = False
    return replace(node, alive=alive)


def _scores(
    model: Model, plan_bounds: PlanBounds, nodes: Nodes, k: int, error: FloatArray
) -> FloatArray:
    """The part of the errors that each policy explains; -1 if its range is a single level."""
    low, high = nodes.low[k], nodes.high[k]
    plans = np.flatnonzero(error > 0)
    rise = model.atoms(high) - model.atoms(low)
    shares = np.add.reduceat(plan_bounds.above.coefficient[plans] * rise, model.first_atom, axis=1)
    whole = shares.sum(axis=1, keepdims=True)
    shares = shares / np.where(whole > 0, whole, 1.0)
    score = error[plans] @ shares
    if not score.any():
        score = (high - low).astype(np.float64)
    return np.where(high > low, score, -1.0)


def _divide_policy(node: Nodes, q: int) -> Nodes:
    low, high = int(node.low[0, q]), int(node.high[0, q])
    width = high - low
    cut = PULL * int(node.point[0, q]) + (1 - PULL) * (low + high) / 2
    cut = min(max(cut, low + EDGE * width), high - EDGE * width)
    last = min(max(int(cut), low), high - 1)
    lows, highs = node.low.copy(), node.high.copy()
    highs[0, q], lows[1, q] = last, last + 1
    return replace(node, low=lows, high=highs)


def _divide_outcome(node: Nodes, j: int, t: float) -> Nodes:
    x, y = float(node.x[0, j]), float(node.y[0, j])
    x = max(x, y - WIDEST)
    return _limit(node, j, min(max(t, x + MARGIN * (y - x)), y - MARGIN * (y - x)))


def _limit(node: Nodes, j: int, cut: float) -> Nodes:
    """One child with T_j <= cut, one with T_j >= cut."""
    xs, ys = node.x.copy(), node.y.copy()
    ys[0, j], xs[1, j] = cut, cut
    return replace(node, x=xs, y=ys)


def _join(nodes: Nodes, parts: list[Nodes]) -> Nodes:
    return Nodes.joined(parts) if parts else nodes.take(np.zeros(0, dtype=np.int64))
