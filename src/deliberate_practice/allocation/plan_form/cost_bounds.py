"""Bounds of nodes with step costs: one function for each group of plans, and cells over groups."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.plan_form.cells import Groups, best_cells
from deliberate_practice.allocation.plan_form.group_bounds import (
    TINY,
    Box,
    boxed,
    functions,
    places,
    tail_value,
)
from deliberate_practice.allocation.plan_form.groups import Group, group
from deliberate_practice.allocation.plan_form.model import FLOOR, Above, Model
from deliberate_practice.allocation.plan_form.nodes import Nodes, surplus
from deliberate_practice.allocation.plan_form.plan_bounds import PlanBounds
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray

CURVED = 1e-2
"""Functions touch a second time if they are this part of the bound too large at its maximiser."""

WORTH = 0.1
"""Functions of groups that are worth less than this part of them there need not touch again."""

SMALL = 0.01
"""Plans that are worth at most this part of the best one count with their upper limits."""

NEAR = 1.5
"""A function touches at the node's point if the group is worth at least exp(-NEAR) times its upper
bound there, else at the best split of one of its plans."""

WIDE = 1.0
"""The value of the leading group is roughly known if its logarithm may differ by more than this."""

LEADS = 0.5
"""A group leads if it has at least this part of the bound."""


class _Parts(NamedTuple):
    """The groups of all nodes, sorted by node.

    Attributes:
        row: Node of each group, shape (G,).
        groups: The groups.
        boxes: Their heads in the nodes.
        plan: The plans of all groups, one after another, shape (n,).
        member: The group of each, shape (n,).
        first: The first plan of each group, shape (G,).
        home: A good split of each group in its box, shape (G, Q).
    """

    row: IntArray
    groups: list[Group]
    boxes: list[Box]
    plan: IntArray
    member: IntArray
    first: IntArray
    home: IntArray

    def of(self, rows: IntArray, kept: IntArray) -> _Parts:
        """Some of the groups: those of some nodes, which are numbered anew."""
        sizes = np.array([len(self.groups[g].heads.plans) for g in kept])
        return _Parts(
            np.searchsorted(rows, self.row[kept]),
            [self.groups[g] for g in kept],
            [self.boxes[g] for g in kept],
            np.concatenate([self.groups[g].heads.plans for g in kept]),
            np.repeat(np.arange(len(kept)), sizes),
            np.cumsum(sizes) - sizes,
            self.home[kept],
        )


def by_groups(model: Model, plan_bounds: PlanBounds, nodes: Nodes, point: IntArray) -> Nodes:
    """Nodes with bounds, with the splits at which they are attained, and with their errors there.

    Args:
        model: The plans.
        plan_bounds: Bounds of single plans.
        nodes: The nodes, with boxes and intervals that fit together.
        point: Splits in the boxes at which functions touch.
    """
    top = np.where(nodes.alive, np.exp(nodes.y), 0.0)
    small = top <= SMALL * top.max(axis=1, keepdims=True)
    few = np.maximum.reduceat(np.where(small, top, 0.0), model.first_plan, axis=1)
    rest = few @ model.weight[model.first_plan] * (1 + model.noise)
    parts = _parts(model, plan_bounds, nodes, small)
    if parts is None:
        return replace(nodes, bound=rest, point=point)
    above = functions(model, parts.groups, parts.boxes, _touches(model, nodes, parts, point))
    groups = _groups(model, nodes, parts, above)
    less = surplus(model, nodes.alive & ~small, np.exp(nodes.x)).sum(axis=1)
    total, best = best_cells(model, groups, (nodes.low, nodes.high), point, less)
    nodes = replace(nodes, bound=total + rest, point=best)
    curved = _curved(model, parts, groups, nodes)
    far = _far(nodes, parts, groups, curved)
    if far.any():
        nodes, groups = _touch_again(model, nodes, parts, groups, above, (rest, less), far)
        curved = _curved(model, parts, groups, nodes)
    return _with_errors(model, nodes, parts, groups, curved)


def _far(nodes: Nodes, parts: _Parts, groups: Groups, curved: FloatArray) -> BoolArray:
    """Nodes with functions that should touch again: those of groups that are worth something."""
    with np.errstate(over="ignore"):
        summed = np.exp(groups.values(np.arange(len(parts.row)), nodes.point[parts.row]))
    amounts = np.where(curved < (1 - WORTH) * summed, curved, 0.0)
    total = np.bincount(parts.row, amounts, minlength=len(nodes))
    return np.asarray(total > CURVED * nodes.bound)


def _touch_again(
    model: Model,
    nodes: Nodes,
    parts: _Parts,
    groups: Groups,
    above: Above,
    amounts: tuple[FloatArray, FloatArray],
    far: BoolArray,
) -> tuple[Nodes, Groups]:
    """Means with functions that touch at the maximisers of the first bounds, for some nodes."""
    rest, less = amounts
    rows, kept = np.flatnonzero(far), np.flatnonzero(far[parts.row])
    some, fewer = nodes.take(rows), parts.of(rows, kept)
    touches = _touches(model, some, fewer, some.point)
    mean = above.take(kept).mean(functions(model, fewer.groups, fewer.boxes, touches))
    again = _groups(model, some, fewer, mean)
    total, best = best_cells(model, again, (some.low, some.high), some.point, less[rows])
    bound, point = nodes.bound.copy(), nodes.point.copy()
    better = total + rest[rows] < bound[rows]
    bound[rows[better]] = (total + rest[rows])[better]
    point[rows[better]] = best[better]
    changed = {name: getattr(groups, name).copy() for name in ("constant", "table", "size")}
    for name, array in changed.items():
        array[kept] = getattr(again, name)
    return replace(nodes, bound=bound, point=point), groups._replace(**changed)


def _parts(model: Model, plan_bounds: PlanBounds, nodes: Nodes, small: FloatArray) -> _Parts | None:
    """The groups of nodes without small plans; None if there are none."""
    low, high = places(model, nodes.low), places(model, nodes.high)
    rows, groups, boxes = [], [], []
    for k in range(len(nodes)):
        plans = np.flatnonzero(nodes.alive[k] & ~small[k])
        for cluster in np.unique(model.cluster[plans]):
            own = plans[model.cluster[plans] == cluster]
            one = model.remembered.get(own.tobytes())
            if not isinstance(one, Group):
                one = model.remembered[own.tobytes()] = group(model, own)
            box = boxed(model, one, (nodes.x[k, own], nodes.y[k, own]), low[k], high[k])
            if box is not None:
                rows.append(k)
                groups.append(one)
                boxes.append(box)
    if not rows:
        return None
    row = np.array(rows)
    sizes = np.array([len(one.heads.plans) for one in groups])
    best = [one.heads.plans[np.argmax(plan_bounds.top[one.heads.plans])] for one in groups]
    return _Parts(
        row,
        groups,
        boxes,
        np.concatenate([one.heads.plans for one in groups]),
        np.repeat(np.arange(len(groups)), sizes),
        np.cumsum(sizes) - sizes,
        np.clip(plan_bounds.split[best], nodes.low[row], nodes.high[row]),
    )


def _worth(model: Model, parts: _Parts, splits: IntArray) -> FloatArray:
    """w_j V_j of all plans at a split for each group, shape (n,)."""
    values = np.exp(model.values(splits)[0])[parts.member, parts.plan]
    return np.asarray(values * model.weight[parts.plan])


def _touches(model: Model, nodes: Nodes, parts: _Parts, point: IntArray) -> list[IntArray]:
    """Where functions may touch: the point, the group's own best split, and larger ones."""
    here = point[parts.row]
    worth = np.add.reduceat(_worth(model, parts, here), parts.first)
    near = worth > np.exp(-NEAR) * np.array([box.cap for box in parts.boxes])
    high = nodes.high[parts.row]
    return [np.where(near[:, None], here, parts.home), parts.home, (parts.home + high) // 2, high]


def _groups(model: Model, nodes: Nodes, parts: _Parts, above: Above) -> Groups:
    """The functions as tables."""
    table = np.add.reduceat(above.coefficient[:, :, None] * model.atom, model.first_atom, axis=1)
    if above.extra is not None:
        table += above.extra
    ends = [_at(table, corner[parts.row]) for corner in (nodes.low, nodes.high)]
    return Groups(
        row=parts.row,
        constant=above.constant,
        table=table,
        size=np.abs(above.constant) + sum(np.abs(end).sum(axis=1) for end in ends),
        cap=np.array([box.cap for box in parts.boxes]),
        first=parts.first,
        share=np.concatenate([box.share for box in parts.boxes]),
        owner=model.owner[parts.plan],
    )


def _at(table: FloatArray, split: IntArray) -> FloatArray:
    """Entries of tables, shapes (G, Q, L + 1), (G, Q) -> (G, Q)."""
    return np.take_along_axis(table, split[:, :, None], axis=2)[:, :, 0]


def _curved(model: Model, parts: _Parts, groups: Groups, nodes: Nodes) -> FloatArray:
    """How far functions are above G (V_c - ε) at the points of their nodes, shape (G,)."""
    splits = nodes.point[parts.row]
    with np.errstate(over="ignore"):
        summed = np.exp(groups.values(np.arange(len(parts.row)), splits))
    heads = _at(np.array([box.table for box in parts.boxes]), splits).sum(axis=1)
    exact = [
        np.exp(box.constant + head) * max(tail_value(one, at) - box.effort(one.always, at)[1], 0.0)
        for one, box, head, at in zip(
            parts.groups, parts.boxes, heads, places(model, splits), strict=True
        )
    ]
    error = np.minimum(summed, nodes.bound[parts.row]) - np.array(exact)
    return np.asarray(np.maximum(error, 0.0))


def _with_errors(
    model: Model, nodes: Nodes, parts: _Parts, groups: Groups, curved: FloatArray
) -> Nodes:
    """Nodes that tell which parts of their bounds are too large at their points."""
    splits = nodes.point[parts.row]
    with np.errstate(over="ignore"):
        summed = np.exp(groups.values(np.arange(len(parts.row)), splits))
    summed = np.minimum(summed, nodes.bound[parts.row])
    worth = _worth(model, parts, splits)
    limits = np.exp(nodes.y[parts.row[parts.member], parts.plan]) * model.weight[parts.plan]
    limits /= np.add.reduceat(limits, parts.first)[parts.member]
    amounts = np.zeros(nodes.alive.shape)
    amounts[parts.row[parts.member], parts.plan] = summed[parts.member] * limits
    counted = surplus(model, nodes.alive, amounts / model.weight)
    ranged = np.zeros(nodes.low.shape)
    unsure, rough = np.zeros(nodes.alive.shape), np.zeros(nodes.alive.shape)
    corners = [nodes.low[parts.row], nodes.high[parts.row]]
    rise = np.subtract(*(_at(groups.table, b) for b in reversed(corners)))
    heads = np.array([box.table for box in parts.boxes])
    spans = np.subtract(*(_at(heads, b) for b in reversed(corners)))
    over = nodes.bound - np.bincount(parts.row, summed, minlength=len(nodes))
    for k in range(len(nodes)):
        own = parts.row == k
        ranged[k] = max(over[k], 0.0) * _normed(summed[own] @ rise[own])
    for g, (one, at) in enumerate(zip(parts.groups, places(model, splits), strict=True)):
        k, box, plans = parts.row[g], parts.boxes[g], one.heads.plans
        own = worth[parts.first[g] : parts.first[g] + len(plans)]
        tail = tail_value(one, at)
        reach = model.weight[plans] * np.exp(at.logs[one.heads.kinds] @ one.heads.used)
        open_sign = nodes.x[k, plans] <= FLOOR
        straight = reach * np.maximum(tail - box.least, 0.0)
        chord = reach * box.slope * np.maximum(tail - box.offset, 0.0)
        unsure[k, plans] = np.where(open_sign, np.maximum(straight - own, 0.0), 0.0)
        bent = np.where(open_sign, np.maximum(chord - straight, 0.0), 0.0).sum()
        leader = plans[one.leader]
        wide = nodes.y[k, leader] - max(nodes.x[k, leader], FLOOR) > WIDE
        if wide and summed[g] >= LEADS * nodes.bound[k]:
            rough[k, leader] = bent + unsure[k, plans].sum() + counted[k].sum()
        error = max(summed[g] - own.sum(), 0.0)
        part = curved[g] / error if curved[g] < error else float(curved[g] > 0)
        score = _normed(rise[g])
        if spans[g].any():
            score = (1 - part) * _normed(spans[g]) + part * score
        ranged[k] += max(error - bent, 0.0) * score
    return replace(nodes, counted=counted, ranged=ranged, unsure=unsure, rough=rough)


def _normed(amounts: FloatArray) -> FloatArray:
    return np.asarray(amounts / max(float(amounts.sum()), TINY))
