"""Children of nodes: three ways to divide a node into two.

At the maximiser b^ of a node's bound two things make the bound too large: a start counts several
plans of which only one is executed, and chords lie above exp. The first is reduced by separating a
plan from the others of its start, the second by dividing the range of a policy or of a T_j.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deliberate_practice.allocation.plan_form.bound import Nodes, chords, surplus
from deliberate_practice.allocation.plan_form.model import Model
from deliberate_practice.allocation.plan_form.plan_bounds import PlanBounds
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray

PLANS = 0.1
"""Plans are separated if this costs at least this part of the largest error of a chord."""

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
    low_t, high_t = model.values(nodes.point)
    t = 0.5 * (low_t + high_t)
    slope, top = chords(nodes)
    chord = np.maximum(top + slope * (t - nodes.y), 0.0)
    counted = surplus(model, nodes, chord) - surplus(model, nodes, np.exp(nodes.x))
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


def _separate(model: Model, node: Nodes, t: FloatArray, start: int) -> Nodes | None:
    """One child with only the best plan of a start, one without it.

    With step costs plans that differ only in their order stay together. If no others are left, each
    child keeps one order of two parts, for all starts.
    """
    first = model.first_plan[start]
    own = (model.owner == model.owner[first]) & node.alive[0]
    if own.sum() < 2:
        return None
    best = int(np.argmax(np.where(own, t, -np.inf)))
    alive = node.alive.copy()
    same = own & (model.group == model.group[best])
    if same.sum() < own.sum():
        alive[0, own & ~same] = False
        alive[1, same] = False
        return replace(node, alive=alive)
    pair = _open_order(model, own, best, t)
    if model.orders is not None and pair is not None:
        decided = node.decided.copy()
        decided[:, pair] = 1, -1
        for child in (0, 1):
            alive[child] = model.orders.left(alive[child], decided[child])
        return replace(node, alive=alive, decided=decided)
    alive[0, own] = False
    alive[0, best] = True
    alive[1, best] = False
    return replace(node, alive=alive)


def _open_order(model: Model, own: BoolArray, best: int, t: FloatArray) -> int | None:
    """The pair of parts in which the best plan differs from another of its start, if any."""
    if model.orders is None or best not in model.orders.partners:
        return None
    others = [j for j in model.orders.partners[best].tolist() if own[j]]
    if not others:
        return None
    nearest = max(others, key=lambda j: t[j])
    return model.orders.between[best, nearest]


def _scores(
    model: Model, plan_bounds: PlanBounds, nodes: Nodes, k: int, error: FloatArray
) -> FloatArray:
    """The part of the errors that each policy explains; -1 if its range is a single level."""
    low, high = nodes.low[k], nodes.high[k]
    plans = np.flatnonzero(error > 0)
    rise = model.atoms(high) - model.atoms(low)
    shares = np.add.reduceat(plan_bounds.coefficient[plans] * rise, model.first_atom, axis=1)
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
    cut = min(max(t, x + MARGIN * (y - x)), y - MARGIN * (y - x))
    xs, ys = node.x.copy(), node.y.copy()
    ys[0, j], xs[1, j] = cut, cut
    return replace(node, x=xs, y=ys)


def _join(nodes: Nodes, parts: list[Nodes]) -> Nodes:
    if not parts:
        return nodes.take(np.zeros(0, dtype=np.int64))

    def all_of(name: str) -> FloatArray | IntArray:
        return np.concatenate([getattr(part, name) for part in parts])

    return Nodes(**{name: all_of(name) for name in Nodes.__dataclass_fields__})  # type: ignore[arg-type] # one array for each field
