from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from random_tasks import random_competence, random_task

from deliberate_practice.mdp import exact
from deliberate_practice.mdp.exact import exact_value
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.linear_program import solve_by_lp
from deliberate_practice.mdp.values import solve
from deliberate_practice.practice.domain import load_task


def test_it_is_the_value_that_iteration_and_the_linear_program_find() -> None:
    rng = np.random.default_rng(3)
    for _ in range(40):
        task = random_task(rng, product_form=bool(rng.integers(2)))
        grounded, competence = ground(task), random_competence(rng, task)
        solution = solve(grounded, competence)
        value = exact_value(grounded, competence, solution)
        assert value is not None
        assert float(value) == pytest.approx(solution.value, rel=1e-12)
        assert float(value) == pytest.approx(solve_by_lp(grounded, competence), abs=1e-7)


def test_a_wrong_rule_to_begin_with_makes_no_difference() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        task = random_task(rng, product_form=True)
        grounded, competence = ground(task), random_competence(rng, task)
        right = solve(grounded, competence)
        idle = replace(right, actions=np.full(len(right.actions), -1))
        from_idle = exact_value(grounded, competence, idle)
        assert from_idle == exact_value(grounded, competence, right)


def test_it_gives_up_where_it_would_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    grounded = ground(load_task("cleanup"))
    monkeypatch.setattr(exact, "WORK", 10)
    solution = solve(grounded, grounded.competence)
    assert exact_value(grounded, grounded.competence, solution) is None
