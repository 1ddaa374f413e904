from __future__ import annotations

import itertools

import numpy as np
import pytest
from counts import FULL, count
from discounted_problems import discounted_problem

from deliberate_practice.allocation.corner_bound import upper_values
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.supersolution.actions import Actions, actions_of
from deliberate_practice.allocation.supersolution.anchor import anchor_at
from deliberate_practice.allocation.supersolution.interval import interval_values
from deliberate_practice.allocation.supersolution.master import largest_sum
from deliberate_practice.allocation.supersolution.scales import find_scales, holds
from deliberate_practice.allocation.supersolution.shape import Box, Shape
from deliberate_practice.allocation.supersolution.shapes import price_shape, tangent_shape
from deliberate_practice.allocation.supersolution.sweep import BoxRates, Sweep
from deliberate_practice.foundation.arrays import FloatArray, IntArray

Rng = np.random.Generator
ROUNDING = 1e-11  # of the values compared with


def test_no_value_exceeds_a_supersolution() -> None:
    """W_s(b) >= V_s(b) at every state and split of random boxes, for shapes good and bad."""
    compared = verified = 0
    wanted = 1_000_000 if FULL else 20_000
    for seed in itertools.count():
        if compared >= wanted:
            break
        rng = np.random.default_rng([1, seed])
        problem = discounted_problem(seed)
        box = _random_box(rng, problem)
        starts = np.flatnonzero(problem.ground.start)
        actions = actions_of(problem.ground)
        upper, lower, keep = interval_values(
            actions, box, starts, upper_values(problem), _least(problem)
        )
        actions = actions.only(keep)
        reached = actions.reached(starts)
        splits = _splits(rng, box, 40)
        values = np.array([problem.solve(b).values for b in splits])
        assert (values[:, reached] <= upper[reached] * (1 + ROUNDING) + 1e-300).all()
        assert (values[:, reached] >= lower[reached] * (1 - ROUNDING) - 1e-300).all()
        shapes = [_random_shapes(rng, problem, actions, box) for _ in range(4)]
        for shape in itertools.chain(*shapes):
            clamp = (upper + shape.offsets) * (1 + 1e-12)
            scales = find_scales(
                Sweep(BoxRates(actions, box), shape), np.zeros(len(upper)), clamp, shape.offsets
            )
            if scales is None:
                continue
            verified += 1
            w, size = _supersolution(shape, scales.m, np.array(splits) - box.low)
            assert (values <= w + ROUNDING * (size + np.abs(values)))[:, reached].all(), seed
            compared += len(splits) * int(reached.sum())
    assert verified > 6 * seed  # most tests pass, so the comparison means something


def test_scales_that_are_too_small_fail_the_test() -> None:
    """The smaller scales, the smaller the bound: a fixed point cannot be lowered unnoticed."""
    refused = 0
    for seed in range(count(200)):
        rng = np.random.default_rng([2, seed])
        problem = discounted_problem(seed)
        box = _random_box(rng, problem)
        actions = actions_of(problem.ground)
        shape = _random_shapes(rng, problem, actions, box)[0]
        clamp = (upper_values(problem) + shape.offsets) * (1 + 1e-12)
        sweep = Sweep(BoxRates(actions, box), shape)
        scales = find_scales(sweep, np.zeros(len(clamp)), clamp, shape.offsets)
        if scales is None or not len(actions.state):
            continue
        inner = (scales.m > shape.offsets) & (scales.m < clamp) & ~actions.terminal
        if inner.any():
            s = int(rng.choice(np.flatnonzero(inner)))
            smaller = scales.m.copy()
            smaller[s] *= 1 - 1e-6
            assert not holds(sweep, smaller, clamp, shape.offsets)[s]
            refused += 1
    assert refused > count(200) / 4


@pytest.mark.parametrize("seed", range(count(300)))
def test_the_largest_sum_is_never_too_small(seed: int) -> None:
    rng = np.random.default_rng([3, seed])
    tables = []
    for _ in range(3):
        steps = rng.random(int(rng.integers(0, 5))) * (rng.random() < 0.9)
        if rng.random() < 0.5:
            steps = -np.sort(-steps)
        tables.append(np.concatenate([[0.0], np.cumsum(steps)]))
    costs, budget = rng.integers(1, 4, 3), int(rng.integers(0, 10))
    exact = max(
        sum(table[e] for table, e in zip(tables, b, strict=True))
        for b in itertools.product(*(range(len(table)) for table in tables))
        if costs @ np.array(b) <= budget
    )
    bound, episodes = largest_sum(tables, costs, budget)
    assert bound >= exact
    assert costs @ episodes <= budget
    concave = all((np.diff(table, 2) <= 0).all() for table in tables)
    if concave and (costs == costs[0]).all() and budget % costs[0] == 0:
        assert bound == pytest.approx(exact, rel=1e-9)


def _random_box(rng: Rng, problem: Problem) -> Box:
    high = np.array([len(table) - 1 for table in problem.tables])
    ends = np.sort(np.stack([rng.integers(0, high + 1), rng.integers(0, high + 1)]), axis=0)
    low, high = (ends[0], ends[1]) if rng.random() < 0.7 else (np.zeros_like(high), high)
    pieces = zip(problem.tables, low, high, strict=True)
    return Box(low, high, tuple(table[i : j + 1] for table, i, j in pieces))


def _splits(rng: Rng, box: Box, most: int) -> list[IntArray]:
    """Splits of a box, the budget left aside; the corners among them."""
    inside = [rng.integers(box.low, box.high + 1) for _ in range(most - 2)]
    return list({b.tobytes(): b for b in [box.low, box.high, *inside]}.values())


def _random_shapes(rng: Rng, problem: Problem, actions: Actions, box: Box) -> list[Shape]:
    """A tangent and a price shape anchored somewhere, and one that follows nothing."""
    split = rng.integers(box.low, box.high + 1)
    anchor = anchor_at(actions, problem.competence(split), _least(problem))
    corner = anchor_at(actions, problem.competence(box.high), _least(problem))
    start = int(np.flatnonzero(problem.ground.start)[0])
    states, policies = len(anchor.values), len(box.tables)
    heights = tuple(
        np.concatenate([[0.0], np.cumsum(rng.random(len(table) - 1))]) for table in box.tables
    )
    weights = rng.random((states, policies)) * (rng.random((states, policies)) < 0.7)
    weights[actions.terminal] = 0.0
    offsets = np.where(actions.terminal, 0.0, rng.random(states)) * (rng.random() < 0.5)
    return [
        tangent_shape(actions, box, anchor, corner, float(rng.choice([0.3, 1.0]))),
        price_shape(actions, box, anchor, split, problem.costs, start),
        Shape(heights, weights * 0.3, offsets),
    ]


def _supersolution(shape: Shape, m: FloatArray, e: IntArray) -> tuple[FloatArray, FloatArray]:
    """W_s(b) for splits e above the lower end, shape (splits, N), and its absolute terms."""
    at = np.stack([height[i] for height, i in zip(shape.heights, e.T, strict=True)], axis=1)
    grown = m * np.exp(at @ shape.weights.T)
    return grown - shape.offsets, grown + shape.offsets


def _least(problem: Problem) -> FloatArray:
    return np.where(problem.ground.goal >= 0, problem.ground.reward, 0.0)
