"""Which solver answers: one rule for allocations, frontiers and checks."""

from __future__ import annotations

import numpy as np
import pytest
from command import runner
from random_tasks import random_task

from deliberate_practice.allocation import choice
from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.bilinear.solver_worker import BACKENDS
from deliberate_practice.allocation.choice import choose_solver
from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.allocation.product_form import ProductForm, product_form
from deliberate_practice.allocation.solvers import CHOICES, PROGRAM_SOLVERS
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice.domain import load_task

GENERAL = "it has 2 start states"


def test_auto_prefers_plans_then_a_program_then_local_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    form = product_form(ground(load_task("breakfast")))
    assert choose_solver(form)[0] == "plans"
    for solver, answer in (("gurobi", "gurobi"), (None, "local")):
        monkeypatch.setattr(choice, "installed", lambda solver=solver: solver)
        name, why = choose_solver(GENERAL)
        assert name == answer
        assert GENERAL in why
    monkeypatch.setattr(choice, "installed", lambda: "scip")
    assert choose_solver(GENERAL, timed=False)[0] == "local"
    assert choose_solver(form, timed=False)[0] == "plans"


def test_a_solver_that_is_named_answers() -> None:
    form = product_form(ground(load_task("breakfast")))
    for name in (*PROGRAM_SOLVERS, "local"):
        assert choose_solver(form, name)[0] == choose_solver(GENERAL, name)[0] == name
    assert choose_solver(form, "plans")[0] == "plans"
    with pytest.raises(ArgumentError, match=f"needs a task of product form, but {GENERAL}"):
        choose_solver(GENERAL, "plans")
    with pytest.raises(ArgumentError, match="'cplex' is not one of: auto, plans, scip, gurobi"):
        choose_solver(form, "cplex")


def test_allocations_and_frontiers_follow_the_same_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "installed", lambda: None)
    rng = np.random.default_rng(1)
    for product in (True, False) * 5:
        task = random_task(rng, product_form=product)
        grounded = ground(task)
        form = product_form(grounded)
        solver, _ = choose_solver(form)
        assert solver == ("plans" if isinstance(form, ProductForm) else "local")
        assert allocate(grounded, 2).solver == solver
        assert frontier(grounded, 2).solver == solver


def test_every_program_solver_has_a_worker_and_every_solver_a_place_in_the_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set(BACKENDS) == set(PROGRAM_SOLVERS)
    assert f"[{'|'.join(CHOICES)}]" in runner(monkeypatch, capsys)("allocate --help").out
