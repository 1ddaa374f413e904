"""Shapes that follow the values at an anchor: they decide how tight a bound is, not its truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deliberate_practice.allocation.supersolution.actions import Actions
from deliberate_practice.allocation.supersolution.anchor import Anchor
from deliberate_practice.allocation.supersolution.shape import Box, Shape
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray

LARGEST = 300.0
"""The largest exponent of a supersolution; weights are scaled down to it, so nothing overflows."""

FLOOR = 1e-9
"""Competences below this part of the box's highest are raised to it in logarithms."""


def log_table(table: FloatArray) -> FloatArray:
    """log p, finite also for competence 0."""
    logs: FloatArray = np.log(np.maximum(table, max(table[-1], 1e-300) * FLOOR))
    return logs


def tangent_shape(
    actions: Actions, box: Box, anchor: Anchor, corner: Anchor, factor: float
) -> Shape:
    """h = log p, weighted with elasticities: the means of an anchor inside and of the upper corner.

    With factor 1 the bound follows the value near the anchor, which is right for small boxes. With
    factor 0 it is the corner bound. Large boxes need something in between.
    """
    heights = tuple(np.maximum.accumulate(log_table(t) - log_table(t)[0]) for t in box.tables)
    weights = factor * np.maximum((anchor.elasticity + corner.elasticity) / 2, 0.0)
    weights[actions.terminal] = 0.0
    return _limited(Shape(heights, weights, anchor.offsets))


def price_shape(
    actions: Actions,
    box: Box,
    anchor: Anchor,
    levels: IntArray,
    costs: IntArray,
    start: int,
) -> Shape:
    """Heights that charge every policy the same price λ per budget unit.

    Up to the anchor's own level h is a line of slope λ cost, beyond it a multiple of log p. A
    policy that the anchor does not use is charged up to the level where log p has that slope. The
    weight of a policy is 1 until it is used on the way to a state, and then the anchor's elasticity
    there, relative to the start's.

    Args:
        actions: The actions that remain on the box.
        box: The splits.
        anchor: Values and elasticities at ``levels``.
        levels: The anchor's split, shape (policies,).
        costs: Budget units per episode, shape (policies,).
        start: The start state.
    """
    logs = [log_table(table) for table in box.tables]
    elasticity = np.maximum(anchor.elasticity, 0.0)
    mine = elasticity[start]
    price = _price(box, logs, mine, levels, costs)
    heights, scale = [], np.ones(len(logs))
    for v, log in enumerate(logs):
        height, scale[v] = _height(log, mine[v], int(levels[v] - box.low[v]), price * costs[v])
        heights.append(height)
    relative = elasticity / scale
    used, on_rule = _used(actions, anchor, start, box)
    weights = np.where(used, np.minimum(relative, 1.0), 1.0)
    weights[on_rule] = np.where(used[on_rule] | (mine > 0), relative[on_rule], 1.0)
    weights[actions.terminal] = 0.0
    return _limited(Shape(tuple(heights), weights, anchor.offsets))


def _limited(shape: Shape) -> Shape:
    """The shape with exponents of at most ``LARGEST``."""
    reach = float((shape.weights @ shape.tops).max(initial=0.0))
    if reach <= LARGEST:
        return shape
    return replace(shape, weights=shape.weights * (LARGEST / reach))


def _price(
    box: Box, logs: list[FloatArray], mine: FloatArray, levels: IntArray, costs: IntArray
) -> float:
    """d log V / d(budget unit) at the anchor: the mean over policies that can give and take."""
    both: list[float] = []
    single: list[float] = []
    for v, log in enumerate(logs):
        e = int(levels[v] - box.low[v])
        if mine[v] <= 0 or len(log) < 2 or log[-1] <= log[0]:
            continue
        right = (log[e + 1] - log[e]) if e + 1 < len(log) else 0.0
        left = (log[e] - log[e - 1]) if e > 0 else right
        if e > 0 and right > 0:
            both.append(mine[v] * (left + right) / 2 / costs[v])
        single.append(mine[v] * max(right, left if e > 0 else 0.0) / costs[v])
    return float(np.median(both)) if both else max(single, default=0.0)


def _height(log: FloatArray, mine: float, level: int, slope: float) -> tuple[FloatArray, float]:
    """h of one policy, and the elasticity that corresponds to weight 1."""
    e = np.arange(len(log), dtype=np.float64)
    steps = np.diff(log)
    if slope <= 0 or not len(steps) or log[-1] <= log[0]:
        return np.maximum.accumulate((log - log[0]) * max(mine, 1e-12)), max(mine, 1e-12)
    if mine > 0 and level > 0:
        after = log[level + 1] - log[level] if level + 1 < len(log) else 0.0
        before = log[level] - log[level - 1]
        middle = (before + after) / 2
        scale = slope / middle if middle > 0 else mine
        beyond = slope * level + min(scale, mine) * (log - log[level])
        return np.maximum.accumulate(np.where(e <= level, slope * e, beyond)), scale
    kappa = max(mine, 1.0)
    flat = np.flatnonzero(kappa * steps <= slope)
    turn = int(flat[0]) if len(flat) else len(log) - 1
    beyond = slope * turn + kappa * (log - log[turn])
    return np.maximum.accumulate(np.where(e <= turn, slope * e, beyond)), kappa


def _used(actions: Actions, anchor: Anchor, start: int, box: Box) -> tuple[BoolArray, BoolArray]:
    """Policies used on the likeliest way to each state, (N, V); states that the rule reaches."""
    from scipy import sparse
    from scipy.sparse.csgraph import dijkstra

    count, policies = len(actions.reward), len(box.tables)
    high = np.array([table[-1] for table in box.tables])
    rates, _ = actions.rates(high[actions.policy])
    rates = np.maximum(rates, actions.rates(anchor.p[actions.policy])[0])
    rule = anchor.rule
    keep = np.zeros(len(actions.state), dtype=np.bool_)
    keep[rule[rule >= 0]] = True
    on_rule = actions.only(keep).reached(np.array([start]))
    a, k = np.nonzero(rates > 0)
    length = 1e-3 - np.log(np.minimum(rates[a, k], 1.0))
    source, target = actions.state[a], actions.target[a, k]
    order = np.lexsort((length, target, source))
    source, target, length, a = source[order], target[order], length[order], a[order]
    new = np.ones(len(source), dtype=np.bool_)
    new[1:] = (source[1:] != source[:-1]) | (target[1:] != target[:-1])
    source, target, length, a = source[new], target[new], length[new], a[new]
    graph = sparse.csr_array((length, (source, target)), shape=(count, count))
    _, before = dijkstra(graph, indices=start, return_predecessors=True)
    used = np.zeros((count, policies), dtype=np.bool_)
    reached = np.flatnonzero(before >= 0)
    keys = source * count + target
    edge = a[np.searchsorted(keys, before[reached].astype(np.int64) * count + reached)]
    used[reached, actions.policy[edge]] = True
    link = np.arange(count)
    link[reached] = before[reached]
    for _ in range(int(np.ceil(np.log2(max(count, 2)))) + 1):
        used |= used[link]
        link = link[link]
    used[start] = False
    return used, on_rule
