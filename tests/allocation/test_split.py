"""The exact split against enumeration, for any nondecreasing tables and costs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from counts import examples
from hypothesis import given, settings, strategies as st

from deliberate_practice.allocation.split import PricedSplit, Split
from deliberate_practice.allocation.tolerances import TIE
from deliberate_practice.foundation.deadline import Late


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[np.ndarray], list[int], int]:
    budget = draw(st.integers(0, 9))
    costs = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    made = []
    for cost in costs:
        start = draw(st.sampled_from([-np.inf, -3.0, -1.0, 0.0]))
        steps = draw(st.lists(st.sampled_from([0.0, 0.1, 0.5]), min_size=10, max_size=10))
        table = (0.0 if start == -np.inf else start) - 5.0 + np.cumsum([0.0, *steps])
        if start == -np.inf:
            table[0] = -np.inf
        made.append(table[: budget // cost + 1])
    return made, costs, budget


@given(tables())
@settings(max_examples=examples(300), deadline=None)
def test_equals_enumeration_with_ties(case: tuple[list[np.ndarray], list[int], int]) -> None:
    made, costs, budget = case
    options = [
        (sum(t[k] for t, k in zip(made, shares, strict=True)), np.dot(shares, costs), shares)
        for shares in itertools.product(*(range(len(t)) for t in made))
        if np.dot(shares, costs) <= budget
    ]
    best = max(total for total, _, _ in options)
    split = Split(dict(enumerate(made)), dict(enumerate(costs)), budget)
    assert split.totals(np.array([budget]))[0] == pytest.approx(best)
    if best == -np.inf:
        return
    spent, shares = split.cheapest(best - TIE, budget)
    equal = [
        (spent, [-k for k in shares]) for total, spent, shares in options if total >= best - TIE
    ]
    least = min(equal)
    assert spent == least[0]
    assert [-shares.get(i, 0) for i in range(len(made))] == least[1]


def test_totals_never_fall_with_the_budget() -> None:
    rng = np.random.default_rng(0)
    logs = {u: np.log(np.sort(rng.random(50))) for u in range(4)}
    totals = Split(logs, {u: u % 2 + 1 for u in range(4)}, 49).totals(np.arange(50))
    assert (np.diff(totals) >= 0).all()


def test_no_policy_to_practise() -> None:
    assert Split({}, {}, 5).cheapest(0.0, 5) == (0, {})


def test_dear_episodes_take_no_more_room_than_cheap_ones() -> None:
    logs = {u: np.log(np.linspace(0.1, 1.0, 151)) for u in range(2)}
    cheap = Split(logs, {0: 1, 1: 1}, 150)
    dear = Split(logs, {0: 10**9, 1: 10**9}, 150 * 10**9)
    total = float(cheap.totals(np.array([150]))[0])
    spent, shares = cheap.cheapest(total, 150)
    assert dear.cheapest(total, 150 * 10**9) == (spent * 10**9, shares)
    assert dear.cheapest(total, 150 * 10**9 + 7) == (spent * 10**9, shares)


def test_splits_at_prices_are_affordable_and_nearly_the_best() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        tables = {
            u: np.log(1 - 0.9 * np.exp(-rng.uniform(0.01, 0.1) * np.arange(201.0)))
            for u in range(3)
        }
        costs = {u: int(rng.integers(1, 4)) for u in tables}
        best, quick = Split(tables, costs, 200), PricedSplit(tables, costs, 200)
        assert best.exact
        assert not quick.exact
        for budget in (0, 17, 100, 200):
            at = np.array([budget])
            spent, shares = quick.cheapest(float(quick.totals(at)[0]), budget)
            total = sum(table[int(shares.get(u, 0))] for u, table in tables.items())
            assert spent == sum(costs[u] * b for u, b in shares.items()) <= budget
            assert total == pytest.approx(float(quick.totals(at)[0]))
            assert total <= best.totals(at)[0] + 1e-12
        assert quick.totals(at)[0] >= best.totals(at)[0] - 0.2  # at the budget it is made for


def test_a_split_that_comes_too_late_gives_up() -> None:
    table = np.log(1 - 0.9 * np.exp(-0.01 * np.arange(500.0)))
    with pytest.raises(Late):
        Split({0: table, 1: table}, {0: 1, 1: 2}, 499, deadline=0.0)
