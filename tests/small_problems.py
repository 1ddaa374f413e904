"""Problems small enough to try every split, and marks for tests that need a global solver."""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest
from random_tasks import random_task

from deliberate_practice.allocation.bilinear.program import build_program
from deliberate_practice.allocation.bilinear.program_solver import available
from deliberate_practice.allocation.problem import Problem, build_problem
from deliberate_practice.foundation.errors import DeliberatePracticeError

FULL = os.environ.get("DELIBERATE_ACCEPTANCE") == "1"
"""Run the full counts of random tasks instead of a tenth."""

needs_scip = pytest.mark.skipif(not available("scip"), reason="needs pyscipopt")
needs_gurobi = pytest.mark.skipif(not available("gurobi"), reason="needs gurobipy")


def small_problem(seed: int, *, product_form: bool, most: int = 700) -> tuple[Problem, float]:
    """A random problem with few splits whose program exists, and the best value of all splits."""
    rng = np.random.default_rng(seed)
    while True:
        task = random_task(rng, product_form=product_form)
        problem = build_problem(task, int(rng.integers(3, 9)))
        if not 2 <= len(problem.practised) <= 4:
            continue
        if np.prod([len(table) for table in problem.tables]) > most:
            continue
        try:
            build_program(problem)
        except DeliberatePracticeError:
            continue  # discount 1 and no limit on how often a skill is used
        return problem, max(problem.solve(b).value for b in all_splits(problem))


def all_splits(problem: Problem) -> list[tuple[int, ...]]:
    """Every split in whole episodes that the budget allows."""
    return [
        b
        for b in itertools.product(*(range(len(table)) for table in problem.tables))
        if problem.costs @ np.array(b) <= problem.budget
    ]
