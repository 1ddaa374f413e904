"""Groups of plans with step costs: their functions and cells against values."""

from __future__ import annotations

import numpy as np
from counts import count
from random_errands import random_errands
from random_plan_tasks import all_splits

from deliberate_practice.allocation.plan_form.build import build_model
from deliberate_practice.allocation.plan_form.cells import Groups, Starts, _chords, best_cells
from deliberate_practice.allocation.plan_form.group_bounds import (
    At,
    Box,
    boxed,
    functions,
    places,
    tail_value,
)
from deliberate_practice.allocation.plan_form.groups import Group, group
from deliberate_practice.allocation.plan_form.model import FLOOR, Model
from deliberate_practice.allocation.plan_form.plans import MOST_LABELS
from deliberate_practice.allocation.plan_form.simplices import MARGIN, affine, first_cells
from deliberate_practice.foundation.arrays import FloatArray, IntArray

Rng = np.random.Generator


def _model(rng: Rng) -> tuple[Model, IntArray]:
    """A model with step costs, and all splits of its budget."""
    while True:
        problem, form = random_errands(rng, most_splits=200)
        model = build_model(problem, form, MOST_LABELS)
        assert model is not None
        if len(model.owner) and model.sequences is not None:
            return model, np.unique(all_splits(problem)[:, model.policies], axis=0)


def test_functions_lie_above_sums_of_groups() -> None:
    rng = np.random.default_rng(21)
    several = heads = positive = 0
    for _ in range(count(600)):
        model, splits = _model(rng)
        plans = np.flatnonzero(model.cluster == rng.choice(model.cluster))
        plans = np.sort(rng.permutation(plans)[: int(rng.integers(1, len(plans) + 1))])
        one = group(model, plans)
        ends = np.sort(rng.integers(0, model.most + 1, (2, len(model.policies))), axis=0)
        low_t, high_t = model.values(splits)
        x = np.full(len(plans), FLOOR)
        for i in np.flatnonzero(rng.random(len(plans)) < 0.4):
            x[i] = rng.uniform(-4.0, 0.0)
        x = np.maximum(x, model.values(ends[:1])[0][0, plans])
        y = model.values(ends[1:])[1][0, plans]
        inside = ((splits >= ends[0]) & (splits <= ends[1])).all(axis=1)
        inside &= (high_t[:, plans] >= x).all(axis=1)
        sums = np.exp(low_t[:, plans]) @ model.weight[plans]
        low, high = places(model, ends)
        box = boxed(model, one, (x, y), low, high)
        if box is None:
            assert not sums[inside].any()
            continue
        assert (sums[inside] <= box.cap).all()
        touches = [rng.integers(ends[0], ends[1] + 1)[None], ends[1:]]
        above = functions(model, [one], [box], touches)
        assert above.extra is not None
        log_m = above.constant[0] + model.atoms(splits) @ above.coefficient[0]
        log_m += above.extra[0][np.arange(len(model.policies)), splits].sum(axis=1)
        assert (sums[inside] <= np.exp(log_m[inside]) * (1 + 1e-9)).all()
        for b in np.flatnonzero(inside)[:5]:
            (at,) = places(model, splits[b : b + 1])
            assert tail_value(one, at) >= np.exp(low_t[b, plans]).max()
            amounts = _amounts(model, one, box, x, at)
            assert (amounts >= model.weight[plans] * np.exp(low_t[b, plans]) * (1 - 1e-9)).all()
            assert (box.share * amounts.sum() <= amounts * (1 + 1e-9)).all()
        several += len(one.tails) > 1
        heads += len(one.always.kind) > 0
        positive += bool(sums[inside].any())
    assert min(several, heads, positive) > count(600) // 10


def _efforts(one: Group, at: At) -> FloatArray:
    """E_j of each plan in its best order."""
    efforts = np.full(len(one.heads.plans), np.inf)
    ways = one.ways
    terms = at.effort[ways.kind] * np.exp((ways.before - ways.after) @ at.logs)
    np.minimum.at(efforts, one.plan, np.bincount(ways.owner, terms, minlength=len(one.plan)))
    return efforts


def _amounts(model: Model, one: Group, box: Box, x: FloatArray, at: At) -> FloatArray:
    """Q_j = w_j s_j G_j (V_c - a_j)."""
    with np.errstate(over="ignore", invalid="ignore"):
        efforts = _efforts(one, at)
    sure = x > FLOOR
    reach = np.exp(at.logs[one.heads.kinds] @ one.heads.used)
    away = np.where(sure, np.nan_to_num(efforts, nan=np.inf, posinf=np.inf), box.offset)
    left = np.maximum(tail_value(one, at) - away, 0.0)
    return np.asarray(model.weight[one.heads.plans] * box.slope * reach * left)


def test_a_group_is_worth_its_common_steps_less_its_heads() -> None:
    rng = np.random.default_rng(22)
    exact = 0
    for _ in range(count(300)):
        model, splits = _model(rng)
        plans = np.flatnonzero(model.cluster == rng.choice(model.cluster))
        one = group(model, plans)
        b = splits[rng.integers(len(splits))]
        (at,) = places(model, b[None])
        if (at.logs <= FLOOR).any():
            continue
        efforts = _efforts(one, at)
        always = one.always
        terms = at.effort[always.kind] * np.exp(always.before @ at.logs - always.after @ at.logs)
        least = np.bincount(always.owner, terms, minlength=len(plans))
        assert (least <= efforts * (1 + 1e-12)).all()
        reach = np.exp(at.logs[one.heads.kinds] @ one.heads.used)
        upper = reach * np.maximum(tail_value(one, at) - efforts, 0.0)
        values = np.exp(model.values(b[None])[0][0, plans])
        assert (values <= upper * (1 + 1e-9) + 1e-12).all()
        exact += bool(values.any() and np.allclose(values, upper, rtol=1e-6))
    assert exact > count(300) // 20


def test_cells_lie_above_the_value_of_groups() -> None:
    rng = np.random.default_rng(23)
    for _ in range(count(300)):
        size = int(rng.integers(2, 4))
        groups = _random_groups(rng, size, np.zeros((size, 1, 1)))
        starts = Starts.of(groups, np.arange(size))
        m = rng.uniform(-1, 1, (200, size)) * rng.choice([0.5, 3.0, 20.0])
        phi = starts.log_phi(m)
        each = groups.share * np.exp(m[:, np.repeat(np.arange(size), 2)])
        expected = np.exp(m).sum(axis=1)
        for start in np.unique(groups.owner):
            own = each[:, groups.owner == start]
            expected -= own.sum(axis=1) - own.max(axis=1)
        assert np.allclose(np.exp(phi), expected)
        corners = first_cells((m[:, :, None] - m[:, None]).max(axis=0) + MARGIN)
        theta, alpha = affine(corners, starts.log_phi(corners))
        assert np.allclose(theta.sum(axis=1), 1.0)
        middle = corners.mean(axis=1)
        assert (starts.log_phi(middle) <= (middle * theta).sum(axis=1) + alpha + 1e-9).all()
        assert (phi <= (m @ theta.T + alpha).max(axis=1) + 1e-9).all()


def _random_groups(rng: Rng, size: int, table: FloatArray) -> Groups:
    """Groups of two plans each, in one node."""
    return Groups(
        row=np.zeros(size, dtype=np.int64),
        constant=rng.uniform(-3, 0, size),
        table=table,
        size=np.abs(table).sum(axis=(1, 2)),
        cap=np.exp(rng.uniform(-2, 2, size)) if rng.random() < 0.7 else np.full(size, np.inf),
        first=np.arange(size) * 2,
        share=rng.uniform(0, 0.5, 2 * size) * rng.choice([0.0, 1.0, 1.0]),
        owner=rng.integers(0, 3, 2 * size),
    )


def test_no_split_exceeds_the_best_cell() -> None:
    rng = np.random.default_rng(24)
    for _ in range(count(1000)):
        model, splits = _model(rng)
        if model.most @ model.cost <= model.budget:
            continue  # groups must compete for episodes
        size = int(rng.integers(1, 5))
        rises = rng.random((size, *model.log_p.shape)) * rng.choice([0.2, 1.0, 4.0])
        rises *= rng.random((size, len(model.policies), 1)) < 0.5
        rises[:, :, 0] = 0.0
        table = np.cumsum(rises, axis=2)
        level = np.arange(table.shape[2])
        table = np.where(level > model.most[:, None], 0.0, table)
        ends = np.stack([0 * model.most, model.most])
        if rng.random() < 0.3:
            ends = np.sort(rng.integers(0, model.most + 1, (2, len(model.policies))), axis=0)
        inside = ((splits >= ends[0]) & (splits <= ends[1])).all(axis=1)
        if not inside.any():
            continue
        groups = _random_groups(rng, size, table)
        bound, _ = best_cells(model, groups, (ends[:1], ends[1:]), ends[:1], np.zeros(1))
        starts = Starts.of(groups, np.arange(size))
        m = np.stack([groups.values(np.full(len(splits), g), splits) for g in range(size)], axis=1)
        m = np.minimum(m, np.log(groups.cap))
        finite = groups._replace(cap=np.minimum(groups.cap, np.exp(m[inside].max(axis=0))))
        chords, _ = _chords(model, finite, (ends[:1], ends[1:]))
        assert chords[0] >= np.exp(m).sum(axis=1)[inside].max() * (1 - 1e-12)
        assert bound[0] >= np.exp(starts.log_phi(m))[inside].max() * (1 - 1e-12)
