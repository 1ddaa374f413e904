"""Which solver answers: one rule for allocations, frontiers and checks."""

from __future__ import annotations

import numpy as np
import pytest
from command import runner
from random_tasks import random_task

from deliberate_practice.allocation import choice
from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.bilinear.solver_worker import BACKENDS
from deliberate_practice.allocation.choice import choose_solver, quick_solver
from deliberate_practice.allocation.forms import General, form_of
from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.allocation.product_form import ProductForm, product_form
from deliberate_practice.allocation.solvers import CHOICES, PROGRAM_SOLVERS
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice.domain import load_task

WHY = "a skill leads to several states"
GENERAL, UNDISCOUNTED = General(WHY), General(WHY, discounted=False)


def test_auto_takes_plans_then_the_supersolution_then_a_program_then_local_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    form = form_of(ground(load_task("breakfast")))
    assert choose_solver(form)[0] == "plans"
    assert choose_solver(GENERAL)[0] == "supersolution"
    for solver, answer in (("gurobi", "gurobi"), (None, "local")):
        monkeypatch.setattr(choice, "installed", lambda solver=solver: solver)
        for name, why in (choose_solver(UNDISCOUNTED), choose_solver(GENERAL, continuous=True)):
            assert name == answer
            assert WHY in why
    assert quick_solver(form) == "plans"
    assert quick_solver(GENERAL) == "local"


def test_a_solver_that_is_named_answers() -> None:
    form = form_of(ground(load_task("breakfast")))
    for name in (*PROGRAM_SOLVERS, "local", "supersolution"):
        assert choose_solver(form, name)[0] == choose_solver(GENERAL, name)[0] == name
    assert choose_solver(form, "plans")[0] == "plans"
    with pytest.raises(ArgumentError, match=f"needs decision rules that are plans, but {WHY}"):
        choose_solver(GENERAL, "plans")
    with pytest.raises(ArgumentError, match="the supersolution needs whole episodes"):
        choose_solver(GENERAL, "supersolution", continuous=True)
    with pytest.raises(ArgumentError, match="'cplex' is not one of: auto, plans, supersolution"):
        choose_solver(form, "cplex")


def test_allocations_and_frontiers_follow_the_same_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "installed", lambda: None)
    rng = np.random.default_rng(1)
    for product in (True, False) * 5:
        task = random_task(rng, product_form=product)
        grounded = ground(task)
        solver, _ = choose_solver(form_of(grounded))
        if isinstance(product_form(grounded), ProductForm):
            assert solver == "plans"
        assert allocate(grounded, 2).solver == solver
        assert frontier(grounded, 2).solver == solver


def test_every_program_solver_has_a_worker_and_every_solver_a_place_in_the_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set(BACKENDS) == set(PROGRAM_SOLVERS)
    assert f"[{'|'.join(CHOICES)}]" in runner(monkeypatch, capsys)("allocate --help").out
