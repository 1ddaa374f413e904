"""Bounds of nodes against every split of small problems."""

from __future__ import annotations

import numpy as np
import pytest
from counts import count
from random_errands import random_errands
from random_plan_tasks import all_splits, random_plan_task

from deliberate_practice.allocation.plan_form.bound import evaluate
from deliberate_practice.allocation.plan_form.branching import children
from deliberate_practice.allocation.plan_form.build import build_model
from deliberate_practice.allocation.plan_form.model import FLOOR, Model
from deliberate_practice.allocation.plan_form.nodes import Nodes
from deliberate_practice.allocation.plan_form.plan_bounds import plan_bounds
from deliberate_practice.allocation.plan_form.plans import MOST_LABELS
from deliberate_practice.allocation.plan_form.spend import falling, spend
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray

KINDS = ("ladders", "ladders with costs", "errands")


def _random_model(rng: np.random.Generator, kind: str) -> tuple[Model, IntArray]:
    """A model with plans, and all splits of its budget as levels."""
    while True:
        if kind == "errands":
            problem, form = random_errands(rng, most_splits=200)
        else:
            problem, form = random_plan_task(rng, costs=kind != "ladders", most_splits=200)
        model = build_model(problem, form, MOST_LABELS)
        assert model is not None
        if len(model.owner):
            levels = all_splits(problem)[:, model.policies]
            return model, np.unique(levels, axis=0)


def _random_node(rng: np.random.Generator, model: Model) -> Nodes:
    """A box, a set of plans for each start, and intervals of some T_j."""
    ends = np.sort(rng.integers(0, model.most + 1, (2, len(model.policies))), axis=0)
    if rng.random() < 0.3:
        ends[0], ends[1] = 0, model.most
    alive = rng.random(len(model.owner)) < 0.7
    alive[model.first_plan] = True
    x = np.full(len(alive), FLOOR - 1.0)
    y = np.full(len(alive), np.inf)
    for j in np.flatnonzero(rng.random(len(alive)) < 0.3):
        x[j], y[j] = np.sort(rng.uniform(-5.0, 1.0, 2))
    return Nodes.begin(
        model, alive[None], (ends[:1], ends[1:]), (x[None], y[None]), ends[:1].copy()
    )


def _best_in(model: Model, node: Nodes, k: int, splits: IntArray) -> float:
    """The best value of the splits of a node with its plans."""
    inside = ((splits >= node.low[k]) & (splits <= node.high[k])).all(axis=1)
    low, high = model.values(splits)
    alive: BoolArray = node.alive[k]
    inside &= ((high >= node.x[k]) & (low <= node.y[k]))[:, alive].all(axis=1)
    values: FloatArray = np.where(alive, np.exp(low), 0.0)
    best = np.maximum.reduceat(values, model.first_plan, axis=1)
    worth = best @ model.weight[model.first_plan]
    return float(worth[inside].max(initial=0.0))


@pytest.mark.parametrize("kind", KINDS)
def test_no_split_of_a_node_exceeds_its_bound(kind: str) -> None:
    rng = np.random.default_rng([2, KINDS.index(kind)])
    for _ in range(count(400)):
        model, splits = _random_model(rng, kind)
        bounds, top, _ = plan_bounds(model)
        assert (model.values(splits)[0] <= top).all()
        for _ in range(5):
            node = _random_node(rng, model)
            best = _best_in(model, node, 0, splits)
            bounded = evaluate(model, bounds, node)
            assert max(bounded.bound[0], 0.0) >= best


@pytest.mark.parametrize("kind", KINDS)
def test_children_lose_no_split(kind: str) -> None:
    rng = np.random.default_rng([3, KINDS.index(kind)])
    divided = 0
    for _ in range(count(400)):
        model, splits = _random_model(rng, kind)
        bounds, _, _ = plan_bounds(model)
        node = evaluate(model, bounds, _random_node(rng, model))
        if not np.isfinite(node.bound[0]):
            continue
        best = _best_in(model, node, 0, splits)
        parts = children(model, bounds, node)
        divided += len(parts)
        if len(parts):
            reached = max(_best_in(model, parts, k, splits) for k in range(len(parts)))
            assert reached >= best * (1 - 1e-9)
    assert divided > count(400) // 4


def test_planes_lie_above_plans_everywhere() -> None:
    rng = np.random.default_rng(4)
    for _ in range(count(300)):
        model, splits = _random_model(rng, str(rng.choice(KINDS)))
        plans = np.arange(len(model.owner))
        high = np.repeat(model.most[None], len(plans), axis=0)
        touch = rng.integers(0, high + 1)
        above = model.above(model.each(plans), touch, high)
        values = model.values(splits)[0]
        for j in plans:
            total = above.constant[j] + model.atoms(splits) @ above.coefficient[j]
            if above.extra is not None:
                total += above.extra[j][np.arange(len(model.policies)), splits].sum(axis=1)
            works = values[:, j] > FLOOR
            assert (values[:, j] <= total + 1e-9 * (1 + np.abs(total)))[works].all()


def test_spending_is_exact_for_concave_tables_and_never_too_low() -> None:
    rng = np.random.default_rng(6)
    for _ in range(count(500)):
        policies, length = int(rng.integers(1, 4)), int(rng.integers(1, 6))
        concave = bool(rng.random() < 0.5)
        equal = bool(rng.random() < 0.5)
        gains = rng.random((1, policies, length))
        if concave:
            gains = -np.sort(-gains, axis=2)
        cost = np.full(policies, 2) if equal else rng.integers(1, 4, policies)
        low = rng.integers(0, length + 1, (1, policies))
        high = rng.integers(low, length + 1)
        budget = int(low[0] @ cost) + int(rng.integers(0, 12))
        spent = spend(gains, low, high, budget, cost, np.full(policies, concave))
        tables = np.concatenate([np.zeros((policies, 1)), np.cumsum(gains[0], axis=1)], axis=1)
        grids = np.meshgrid(*(np.arange(a, b + 1) for a, b in zip(low[0], high[0], strict=True)))
        splits = np.stack([grid.ravel() for grid in grids], axis=1)
        splits = splits[splits @ cost <= budget]
        rows = np.arange(policies)
        best = (tables[rows, splits] - tables[rows, low[0]]).sum(axis=1).max()
        assert spent.gain[0] >= best - 1e-12
        if concave and equal:
            assert spent.gain[0] == pytest.approx(best)
        assert spent.split[0] @ cost <= budget
        assert ((spent.split >= low) & (spent.split <= high)).all()


def test_the_hull_of_gains_falls_and_lies_above() -> None:
    rng = np.random.default_rng(7)
    for _ in range(count(300)):
        gains = rng.random(int(rng.integers(0, 9)))
        hull = falling(gains)
        assert (np.diff(hull) <= 1e-15).all()
        assert (np.cumsum(hull) >= np.cumsum(gains) - 1e-12).all()
        assert hull.sum() == pytest.approx(gains.sum())
