from __future__ import annotations

from dataclasses import replace

import numpy as np
from counts import examples
from hypothesis import given, settings, strategies as st
from random_tasks import random_competence, random_task

from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.linear_program import solve_by_lp
from deliberate_practice.mdp.value_bounds import value_bounds
from deliberate_practice.mdp.values import solve


@settings(max_examples=examples(80), deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_the_value_is_between_its_bounds_whatever_the_rule(
    seed: int, product_form: bool, near: bool
) -> None:
    rng = np.random.default_rng(seed)
    task = replace(random_task(rng, product_form=product_form), discount=0.9)
    grounded = ground(task)
    competences = np.array([random_competence(rng, task) for _ in range(3)])
    rule = solve(grounded, competences[0]).actions if near else np.full(len(grounded.start), -1)
    bounds = value_bounds(grounded, competences, rule)
    if not len(grounded.action_state):  # it starts in a goal
        return
    assert bounds is not None
    for competence, low, high in zip(competences, *bounds, strict=True):
        value = solve(grounded, competence).value
        assert low <= value <= high
        lp = solve_by_lp(grounded, competence)
        assert low - 1e-7 <= lp <= high + 1e-7


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_bounds_from_the_rule_of_a_neighbour_meet(seed: int) -> None:
    rng = np.random.default_rng(seed)
    task = replace(random_task(rng, product_form=False), discount=0.9)
    grounded, p = ground(task), random_competence(rng, task)
    near = np.clip(p + rng.uniform(-0.01, 0.01, (4, len(p))), 0.0, 1.0)
    bounds = value_bounds(grounded, near, solve(grounded, p).actions)
    if not len(grounded.action_state):  # it starts in a goal
        return
    assert bounds is not None
    low, high = bounds
    assert (high - low <= 1e-10 * max(1.0, float(np.abs(high).max()))).all()


def test_without_discount_residuals_bound_nothing() -> None:
    task = replace(random_task(np.random.default_rng(1), product_form=True), discount=1.0)
    grounded = ground(task)
    rule = np.full(len(grounded.start), -1)
    assert value_bounds(grounded, grounded.competence[None], rule) is None
