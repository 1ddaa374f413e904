"""Splits for a fixed decision rule, against trying all splits."""

from __future__ import annotations

import itertools

import numpy as np
from counts import count, examples
from hypothesis import given, settings, strategies as st
from random_tasks import random_task

from deliberate_practice.allocation.rules.chain import RuleChain, rule_chain
from deliberate_practice.allocation.rules.costs import Approaches, PracticeCosts
from deliberate_practice.allocation.rules.split import Outlook, best_split
from deliberate_practice.foundation.arrays import IntArray
from deliberate_practice.mdp.arrival import arrivals
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.routes import Route, routes
from deliberate_practice.mdp.values import solve
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill

BUDGET = 7


def test_the_split_of_a_rule_is_nearly_the_best_of_all_splits() -> None:
    shares = []
    for seed in range(count(400)):
        rng = np.random.default_rng(seed)
        grounded = ground(random_task(rng, product_form=bool(rng.random() < 0.3)))
        outlook = _outlook(rng, grounded, paid=bool(rng.random() < 0.6))
        some = rng.integers(0, outlook.costs.most + 1)
        chain = rule_chain(grounded, solve(grounded, outlook.competence(some)))
        if not len(chain.start):
            continue
        split, value = best_split(outlook, chain, np.zeros_like(some))
        assert outlook.costs.affordable(split)
        assert np.isclose(value, _value(outlook, chain, split), rtol=1e-6, atol=1e-9), seed
        best = max(_value(outlook, chain, one) for one in _affordable(outlook))
        assert value <= best * (1 + 1e-9) + 1e-9
        if best > 1e-3:
            shares.append(value / best)
    assert len(shares) > 15
    assert np.mean(shares) > 0.97
    assert np.quantile(shares, 0.1) > 0.85


def test_what_cannot_be_reached_waits_for_what_leads_to_it() -> None:
    means = np.array([[0.1, 0.5, 0.9], [0.1, 0.5, 0.9]])
    task = Task(
        "two steps",
        {"place": ["a", "b", "c"]},
        [Goal("c", 1.0, {"place": "c"})],
        [
            Skill("first", {"place": "a"}, {"place": "b"}, 0.1),
            Skill("second", {"place": "b"}, {"place": "c"}, 0.1),
        ],
    )
    found = [Route("first", (), 1.0), Route("second", ("first",), 0.1)]
    ways = arrivals(ground(task), found, [means[:, 0]] * 2)
    approaches = Approaches(ways, means, np.array([1.0, 0.1]))
    costs = PracticeCosts(np.ones(2), np.array([2, 2]), 4, approaches)
    assert approaches.turns.tolist() == [0, 1]
    assert np.allclose(approaches.reach(np.array([2, 1])), [1.0, 0.9])
    assert np.allclose(costs.units(np.array([[2, 1], [0, 1]])), [2 + 1 / 0.9, 1 / 0.1])
    assert costs.affordable_part(np.array([2, 1])).tolist() == [2, 1]
    assert costs.affordable_part(np.array([1, 2])).tolist() == [0, 0]


def _outlook(rng: np.random.Generator, grounded: GroundTask, *, paid: bool) -> Outlook:
    """Random curves under two explanations, of at most four policies that can be practised."""
    policies = list(grounded.task.policies.values())
    prices = np.array([policy.cost for policy in policies], dtype=np.float64)
    practised = [u for u, policy in enumerate(policies) if policy.practisable][:4]
    most = np.zeros(len(policies), dtype=np.int64)
    most[practised] = BUDGET // prices[practised]
    start = rng.uniform(0.02, 0.8, (2, len(policies), 1))
    rise = np.cumsum(rng.uniform(0.0, 0.15, (2, len(policies), BUDGET + 1)), axis=2)
    curves = np.minimum(start + rise, 0.98)
    weights = np.array([0.3, 0.7])
    costs = PracticeCosts(prices, most, BUDGET)
    outlook = Outlook(weights, curves, costs)
    if not paid:
        return outlook
    everywhere = ground(grounded.task, everything=True)
    found = routes(everywhere, outlook.means[:, 0])
    nowhere = Route("", (), 0.0)
    ways = [
        next((found[skill] for skill in policy.skills if skill in found), nowhere)
        for policy in policies
    ]
    present = np.array([way.probability for way in ways])
    prepared = arrivals(grounded, ways, [outlook.means[:, 0]] * len(ways))
    approaches = Approaches(prepared, outlook.means, present)
    return Outlook(weights, curves, PracticeCosts(prices, most, BUDGET, approaches))


def _affordable(outlook: Outlook) -> list[IntArray]:
    choices = itertools.product(*(range(int(most) + 1) for most in outlook.costs.most))
    splits = (np.array(choice) for choice in choices)
    return [split for split in splits if outlook.costs.affordable(split)]


def _value(outlook: Outlook, chain: RuleChain, split: IntArray) -> float:
    policies = np.arange(len(split))
    return float(outlook.weights @ chain.at(outlook.curves[:, policies, split]).value)


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_interpolation_is_that_of_numpy_to_the_last_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    choices = int(rng.integers(1, 90))
    curves = rng.uniform(0.0, 1.0, (2, 3, choices)).cumsum(axis=2) / choices
    curves[0, 0] = 0.3  # flat
    curves[:, 1, choices // 2 :] = curves[:, 1, choices // 2, None]  # flat from the middle on
    costs = PracticeCosts(np.ones(3), np.full(3, choices - 1), 10)
    outlook = Outlook(np.full(2, 0.5), curves, costs)
    at_knots = rng.normal(size=(2, 3, len(outlook.knots)))
    values = outlook.interpolation.between(at_knots, [0, 1, 2])
    x = np.log(np.maximum(curves, 1e-12))
    for c, u in np.ndindex(2, 3):
        expected = np.interp(x[c, u], x[c, u][outlook.knots], at_knots[c, u])
        assert values[c, u].tolist() == expected.tolist()
