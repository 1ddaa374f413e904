from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_tasks import random_task
from small_problems import FULL, needs_gurobi, needs_scip, small_problem

from deliberate_practice.allocation.bilinear.program import BilinearProgram, build_program
from deliberate_practice.allocation.bilinear.program_solver import solve_program
from deliberate_practice.allocation.bilinear.visits import largest_visits
from deliberate_practice.allocation.corner_bound import competence_range
from deliberate_practice.allocation.local_search import local_search
from deliberate_practice.allocation.occupancy import occupancy
from deliberate_practice.allocation.problem import Problem, build_problem
from deliberate_practice.domains.cleanup.task import cleanup
from deliberate_practice.foundation.errors import DeliberatePracticeError
from deliberate_practice.mdp.values import solve
from deliberate_practice.task.curves import Curve, Exponential, PiecewiseLinear, Table
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Effect, PossibleEffect, Skill


@needs_scip
@pytest.mark.parametrize("seed", range(200 if FULL else 20))
def test_scip_finds_the_best_of_all_splits_of_a_product_form_task(seed: int) -> None:
    problem, best = small_problem(seed, product_form=True)
    program = build_program(problem)
    result = solve_program(program, "scip", 1e-6, 60, np.zeros(len(problem.tables)))
    assert result.finished
    assert result.bound >= best - 1e-9
    assert result.bound <= best * (1 + 1e-6) + 1e-7
    assert result.episodes is not None
    assert problem.solve(result.episodes).value >= best * (1 - 1e-6)


@pytest.mark.parametrize("seed", range(400 if FULL else 40))
def test_a_start_satisfies_every_row_and_has_the_value_as_objective(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = build_problem(random_task(rng, product_form=bool(seed % 2)), int(rng.integers(0, 9)))
    try:
        program = build_program(problem)
    except DeliberatePracticeError:
        assert problem.ground.task.discount == 1
        return
    for episodes in (np.zeros(len(problem.tables)), _random_split(rng, problem)):
        start = program.start(episodes)
        assert violation(program, start) < 1e-9
        objective = sum(v.objective * start[v.name] for v in program.variables)
        assert objective == pytest.approx(problem.solve(episodes).value, abs=1e-9)
        assert problem.solve(program.episodes(start)).value == pytest.approx(objective, abs=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_no_optimal_behaviour_visits_a_state_more_often_than_the_limit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = build_problem(random_task(rng, product_form=False), int(rng.integers(0, 9)))
    try:
        limits = largest_visits(problem)
    except DeliberatePracticeError:
        assert problem.ground.task.discount == 1
        return
    low, high = competence_range(problem)
    for _ in range(20):
        p = low + rng.choice([0.0, 1.0, rng.random()], len(low)) * (high - low)
        if problem.ground.task.discount == 1:
            p = np.array([rng.choice(table) for table in problem.tables])
        mu = occupancy(problem.ground, p, solve(problem.ground, p).actions)
        assert (mu <= limits * (1 + 1e-9) + 1e-12).all()


@pytest.mark.parametrize("seed", range(10))
def test_limits_that_had_to_be_found_in_no_time_are_wider(seed: int) -> None:
    rng = np.random.default_rng(seed)
    while True:
        problem = build_problem(random_task(rng, product_form=False), int(rng.integers(0, 9)))
        if problem.ground.task.discount < 1 and len(problem.ground.action_policy) > 5:
            break  # it has limits, and something to limit
    quick, limits = largest_visits(problem, time.monotonic() - 1), largest_visits(problem)
    assert np.isfinite(quick).all()
    assert (quick >= limits * (1 - 1e-9)).all()
    assert quick.sum() > limits.sum()


def test_limits_are_far_below_those_of_the_paper() -> None:
    limits = largest_visits(build_problem(cleanup(1), 20))
    assert limits.max() <= 1 + 1e-6  # 1 / (1 - 0.99) = 100
    assert limits.min() < 0.01


@needs_scip
def test_scip_reads_the_exported_program(tmp_path: Path) -> None:
    from pyscipopt import Model

    for number, program in enumerate(_programs()):
        path = tmp_path / f"{number}.lp"
        path.write_text(program.to_lp())
        model = Model()
        model.hideOutput()
        model.readProblem(str(path))
        assert {v.name for v in model.getVars()} == {v.name for v in program.variables}
        assert model.getNConss() == len(program.rows) + len(program.products)
        whole = {v.name for v in model.getVars() if v.vtype() in ("INTEGER", "BINARY")}
        assert whole == {v.name for v in program.variables if v.integer}


@needs_gurobi
def test_gurobi_reads_the_exported_program(tmp_path: Path) -> None:
    import gurobipy

    environment = gurobipy.Env(params={"OutputFlag": 0})
    for number, program in enumerate(_programs()):
        path = tmp_path / f"{number}.lp"
        path.write_text(program.to_lp())
        model = gurobipy.read(str(path), environment)
        assert {v.VarName for v in model.getVars()} == {v.name for v in program.variables}
        assert model.NumConstrs == len(program.rows)
        assert model.NumQConstrs == len(program.products)
        assert model.NumIntVars == sum(v.integer for v in program.variables)
        model.dispose()
    environment.dispose()


def test_a_concave_table_needs_lines_only_and_a_bad_one_a_choice() -> None:
    concave = build_program(build_problem(_chain(values=[0.1, 0.5, 0.7, 0.7]), 3))
    assert [row.sense for row in concave.links[0].rows] == ["<=", "<="]
    assert concave.links[0].most == 2  # the third episode buys nothing
    late = build_program(build_problem(_chain(values=[0.1, 0.1, 0.9]), 3))
    assert [variable.name for variable in late.links[0].variables[2:]] == ["z0_0", "z0_1", "z0_2"]


def test_where_failure_may_pay_an_affine_table_is_an_equation() -> None:
    program = build_program(build_problem(_trap(rate=0.35), 5))
    link = program.links[0]
    assert [row.sense for row in link.rows] == ["=", "<=", ">="]
    for b in range(6):
        assert violation(program, program.start([b])) < 1e-12
    assert violation(program, {**program.start([2]), "p0": 0.5}) > 0.1


def test_fractions_of_episodes_need_straight_curves() -> None:
    bent = Exponential(rate=0.1)
    with pytest.raises(DeliberatePracticeError, match=r"policy 'first'.*'exponential'.*continuous"):
        build_program(build_problem(_chain(curve=bent), 5, continuous=True))


def test_discount_one_with_a_sure_circle_has_no_finite_program() -> None:
    with pytest.raises(DeliberatePracticeError, match=r"discount below 1.*--solver plans"):
        build_program(build_problem(_sure_circle(), 3))


@needs_scip
def test_discount_one_with_retries_from_nothing() -> None:
    problem = build_problem(_chain(values=[0.0, 0.0, 0.2], failure="stay", discount=1.0), 4)
    result = solve_program(build_program(problem), "scip", start=np.zeros(2))
    assert result.bound == pytest.approx(1.0, rel=1e-6)
    assert result.episodes is not None
    assert problem.solve(result.episodes).value == pytest.approx(1.0)


@needs_scip
def test_fractions_of_episodes() -> None:
    problem = build_problem(_chain(curve=PiecewiseLinear(rate=0.1)), 5, continuous=True)
    result = solve_program(build_program(problem), "scip", start=local_search(problem))
    assert result.episodes is not None
    assert result.episodes.tolist() == pytest.approx([2.5, 2.5], abs=1e-2)
    assert result.bound >= 0.99**2 * 0.35**2


def test_cleanup_multi_is_built_quickly_and_small() -> None:
    program = build_program(build_problem(cleanup(4), 450))
    assert len(program.products) == 1265
    assert len(program.variables) == 2 * 1265 + 2 * 22


def violation(program: BilinearProgram, values: Mapping[str, float]) -> float:
    """The largest violation of a bound, of integrality, of a row or of a product."""
    worst = 0.0
    for v in program.variables:
        x = values[v.name]
        worst = max(worst, v.low - x, x - v.high, abs(x - round(x)) if v.integer else 0.0)
    for row in program.rows:
        over = sum(factor * values[name] for name, factor in row.terms) - row.right
        worst = max(worst, {"<=": over, ">=": -over, "=": abs(over)}[row.sense])
    for q in program.products:
        worst = max(worst, abs(values[q.product] - values[q.left] * values[q.right]))
    return worst


def _random_split(rng: np.random.Generator, problem: Problem) -> np.ndarray[Any, Any]:
    b = np.zeros(len(problem.tables))
    for u in rng.permutation(len(b)):
        left = problem.budget - problem.costs @ b
        most = min(len(problem.tables[u]) - 1, left // problem.costs[u])
        b[u] = rng.integers(0, most + 1)
    return b


def _programs() -> list[BilinearProgram]:
    return [
        build_program(build_problem(cleanup(1), 100)),
        build_program(build_problem(_chain(values=[0.0, 0.0, 0.9]), 5)),
        build_program(build_problem(_trap(rate=0.35), 5)),
        build_program(build_problem(_chain(curve=PiecewiseLinear(rate=0.1)), 5, continuous=True)),
        build_program(build_problem(cleanup(1), 0)),
    ]


def _chain(
    *,
    values: list[float] | None = None,
    curve: Curve | None = None,
    failure: Effect = "end",
    discount: float = 0.99,
) -> Task:
    """Two skills in a row; the first one has the curve, the second is linear."""
    return Task(
        name="chain",
        variables={"at": ["start", "middle", "end"]},
        goals=[Goal("end", 1.0, {"at": "end"})],
        skills=[
            Skill(
                "first",
                {"at": "start"},
                {"at": "middle"},
                competence=None if values else 0.1,
                curve=Table(values) if values else curve,
                failure=failure,
            ),
            Skill(
                "second",
                {"at": "middle"},
                {"at": "end"},
                competence=0.1,
                curve=PiecewiseLinear(rate=0.1),
                failure=failure,
            ),
        ],
        discount=discount,
    )


def _trap(rate: float) -> Task:
    """One skill whose failure leads to the better goal."""
    return Task(
        name="trap",
        variables={"at": ["start", "poor", "good"]},
        goals=[Goal("poor", 1.0, {"at": "poor"}), Goal("good", 4.0, {"at": "good"})],
        skills=[
            Skill(
                "go",
                {"at": "start"},
                {"at": "poor"},
                competence=0.1,
                failure={"at": "good"},
                curve=PiecewiseLinear(rate=rate),
            )
        ],
    )


def _sure_circle() -> Task:
    """Two states between which sure skills lead back and forth, with branching outcomes."""
    fork = [PossibleEffect(0.5, {"at": "left"}), PossibleEffect(0.5, {"at": "right"})]
    return Task(
        name="circle",
        variables={"at": ["left", "right", "end"]},
        goals=[Goal("end", 1.0, {"at": "end"})],
        skills=[
            Skill("shuffle", {"at": ["left", "right"]}, fork, competence=1.0),
            Skill(
                "leave",
                {"at": "right"},
                {"at": "end"},
                competence=0.1,
                failure={"at": "left"},
                curve=PiecewiseLinear(rate=0.1),
            ),
        ],
        discount=1.0,
    )
