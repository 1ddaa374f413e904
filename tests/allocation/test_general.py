from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counts import count
from random_general_tasks import random_general_task
from random_plan_tasks import random_plan_task
from small_problems import FULL, needs_gurobi, needs_scip, small_problem

from deliberate_practice.allocation import general
from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.bilinear import program_solver
from deliberate_practice.allocation.bilinear.program import build_program
from deliberate_practice.allocation.bilinear.program_solver import solve_program
from deliberate_practice.allocation.corner_bound import corner_bound
from deliberate_practice.allocation.forms import General, form_of
from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.allocation.general import certified, solve_general
from deliberate_practice.allocation.local_search import local_search
from deliberate_practice.allocation.problem import Problem, build_problem
from deliberate_practice.allocation.result import Certificate
from deliberate_practice.domains.cleanup.task import cleanup
from deliberate_practice.foundation.arrays import IntArray
from deliberate_practice.foundation.deadline import deadline_in
from deliberate_practice.foundation.errors import ArgumentError, SolverUnavailable
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.curves import Exponential
from deliberate_practice.task.model import Start, Task

PROGRAM = General("the bilinear program is to solve it", discounted=False)
"""A form for which ``auto`` takes a solver of the bilinear program."""


@pytest.mark.parametrize("seed", range(1000, 1200 if FULL else 1020))
def test_certificates_find_and_prove_the_best_of_all_splits(seed: int) -> None:
    problem, best = small_problem(seed, product_form=False)
    answer = solve_general(problem, form_of(problem.ground))
    value = problem.solve(answer.episodes).value
    assert value == pytest.approx(best, rel=1e-6)
    assert value == answer.solution.value
    assert answer.bound >= best * (1 - 1e-12)
    assert problem.costs @ answer.episodes <= problem.budget
    if problem.ground.task.discount < 1:
        assert answer.bound <= best * (1 + 2e-6) + 1e-12
        assert answer.solver in ("plans", "supersolution")


def test_the_supersolution_answers_if_it_is_named_and_agrees_with_plans() -> None:
    problem = build_problem(cleanup(1), 100)
    form = form_of(problem.ground)
    answer = solve_general(problem, form, solver="supersolution", gap=1e-3)
    assert answer.solver == "supersolution"
    assert answer.solution.value == pytest.approx(0.99**2, rel=1e-3)
    assert answer.bound >= 0.99**2 * (1 - 1e-12)
    starts = build_problem(_two_starts(), 10)
    form = form_of(starts.ground)
    plans, boxes = (
        solve_general(starts, form, solver=name, gap=1e-3) for name in ("plans", "supersolution")
    )
    assert (plans.solver, boxes.solver) == ("plans", "supersolution")
    assert plans.solution.value == pytest.approx(boxes.solution.value, rel=1e-3)


@needs_scip
@pytest.mark.parametrize("seed", range(1000, 1200 if FULL else 1020))
def test_the_best_of_all_splits_of_a_general_task_is_found_and_proven(seed: int) -> None:
    problem, best = small_problem(seed, product_form=False)
    answer = solve_general(problem, PROGRAM, solver="scip", deadline=deadline_in(60))
    value = problem.solve(answer.episodes).value
    assert value == pytest.approx(best, rel=1e-6)
    assert answer.bound >= max(value, best - 1e-9)
    assert answer.bound <= best * (1 + 1e-6) + 1e-7
    assert problem.costs @ answer.episodes <= problem.budget


@pytest.mark.parametrize(
    "backend", [pytest.param("scip", marks=needs_scip), pytest.param("gurobi", marks=needs_gurobi)]
)
@pytest.mark.parametrize(("budget", "value"), [(100, 0.99**2), (150, 2 * 0.99**3)])
def test_cleanup_is_proven_optimal(backend: str, budget: int, value: float) -> None:
    problem = build_problem(cleanup(1), budget)
    answer = solve_general(problem, PROGRAM, solver=backend, deadline=deadline_in(120))
    assert problem.solve(answer.episodes).value == pytest.approx(value)
    assert value <= answer.bound <= value * (1 + 1e-6)
    assert answer.solver == backend
    assert answer.notes == ()


@needs_scip
def test_a_value_that_is_nearly_nothing_keeps_an_honest_bound() -> None:
    problem = build_problem(cleanup(2), 4)
    answer = solve_general(problem, PROGRAM, solver="scip", deadline=deadline_in(5))
    value = problem.solve(answer.episodes).value
    assert 0 < value < 1e-3
    assert value <= answer.bound <= corner_bound(problem) * (1 + 1e-9)


def test_with_a_time_limit_a_search_goes_on_beyond_its_limit_of_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = load_task(Path(__file__).parents[2] / "examples" / "coffee_station.toml")
    monkeypatch.setattr(general, "BOXES", 1)
    stopped = allocate(task, 60, solver="supersolution")
    assert stopped.status == "feasible"
    assert "stopped at its limit of work" in stopped.notes[0]
    assert "--time-limit" in stopped.notes[0]
    proven = allocate(task, 60, solver="supersolution", time_limit=60)
    assert proven.status == "optimal"
    assert proven.notes == ()


@needs_scip
def test_a_time_limit_is_kept_and_noted() -> None:
    problem = build_problem(cleanup(3), 300)
    answer = solve_general(problem, PROGRAM, solver="scip", deadline=deadline_in(5))
    assert len(answer.notes) == 1
    assert "SCIP stopped at the time limit" in answer.notes[0]
    assert answer.bound >= problem.solve(answer.episodes).value


@needs_scip
def test_a_time_limit_counts_the_search_before_the_solver() -> None:
    problem = build_problem(cleanup(3), 300)
    answer = solve_general(problem, PROGRAM, solver="scip", deadline=deadline_in(1e-3))
    assert answer.solver == "local"
    assert answer.notes[0].startswith("the time limit left nothing for SCIP")
    assert answer.bound == corner_bound(problem)


def test_local_search_alone_reports_the_corner_bound() -> None:
    problem = _problem()
    answer = solve_general(problem, PROGRAM, solver="local")
    assert answer.solver == "local"
    assert answer.bound == pytest.approx(corner_bound(problem))
    assert answer.notes == ("the bound is the corner bound: every policy with the whole budget.",)


def test_auto_without_a_solver_names_the_command_that_installs_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _hide_packages(monkeypatch)
    answer = solve_general(_problem(), PROGRAM, solver="auto")
    assert answer.solver == "local"
    assert answer.notes[0].endswith("run: " + install_command("scip"))


@pytest.mark.parametrize(("backend", "name"), [("scip", "SCIP"), ("gurobi", "Gurobi")])
def test_a_solver_that_was_asked_for_and_is_missing(
    backend: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _hide_packages(monkeypatch)
    with pytest.raises(SolverUnavailable, match=f"{name} is not installed") as caught:
        solve_general(_problem(), PROGRAM, solver=backend)
    assert str(caught.value).endswith("run: " + install_command(backend))
    assert "--solver plans" in str(caught.value)


def test_an_unknown_solver() -> None:
    with pytest.raises(ArgumentError, match="'scipp' is not one of: auto, plans"):
        solve_general(_problem(), PROGRAM, solver="scipp")


@needs_gurobi
def test_the_licence_that_comes_with_gurobi_is_too_small_for_two_objects() -> None:
    program = build_program(build_problem(cleanup(3), 100))
    with pytest.raises(SolverUnavailable, match=r"refuses a program of this size.*\[scip\]"):
        solve_program(program, "gurobi")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import os; os.abort()", r"SCIP crashed \(exit status -6\)"),
        ("print('hello')", r"SCIP crashed \(exit status 0\)"),
        ('print(\'{"error": "licence", "message": "expired"}\')', r"no valid licence \(expired\)"),
        ('print(\'{"error": "failed", "message": "E: no"}\')', r"SCIP failed \(E: no\)"),
        ('print(\'{"error": "missing", "message": "x"}\')', r"SCIP is not installed"),
    ],
)
def test_a_solver_that_breaks_is_one_clear_sentence(
    code: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _replace_worker(monkeypatch, code)
    problem = _problem()
    with pytest.raises(SolverUnavailable, match=message):
        solve_program(build_program(problem), "scip")
    answer = solve_general(problem, PROGRAM, solver="auto")
    assert answer.solver == "local"
    assert "corner bound" in answer.notes[0]


def test_a_solver_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    started = _replace_worker(monkeypatch, "import time; time.sleep(600)")
    with pytest.raises(SolverUnavailable, match=r"did not answer within 0\.625 s"):
        solve_program(build_program(_problem()), "scip", time_limit=0.1)
    assert started[0].returncode == -9
    answer = solve_general(_problem(), PROGRAM, solver="scip", deadline=deadline_in(1))
    assert answer.solver == "local"
    assert "did not answer" in answer.notes[0]


def test_an_interrupt_ends_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    started = _replace_worker(monkeypatch, "import time; time.sleep(600)")

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "communicate", interrupt)
    with pytest.raises(KeyboardInterrupt):
        solve_program(build_program(_problem()), "scip")
    assert started[0].returncode == -9


@needs_scip
def test_a_solver_that_is_ended_leaves_no_file_behind(tmp_path: Path) -> None:
    """All it writes stands beside the program, in the folder that goes with the call."""
    lp = tmp_path / "program.lp"
    lp.write_text(build_program(_problem()).to_lp(), encoding="ascii")
    request = {"backend": "scip", "lp": str(lp), "start": {}, "gap": 0.1, "time_limit": 0.1}
    code = (
        "import sys, tempfile\n"
        "from deliberate_practice.allocation.bilinear.solver_worker import main\n"
        "tempfile.tempdir = '/nowhere'\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "error" not in json.loads(done.stdout)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["program.lp", "program.opt"]


@needs_scip
def test_the_solvers_are_not_imported_here_and_print_nothing() -> None:
    code = (
        "import sys\n"
        "from deliberate_practice.allocation.forms import General\n"
        "from deliberate_practice.allocation.general import solve_general\n"
        "from deliberate_practice.allocation.problem import build_problem\n"
        "from deliberate_practice.domains.cleanup.task import cleanup\n"
        "problem, form = build_problem(cleanup(1), 100), General('', False)\n"
        "assert solve_general(problem, form, solver='scip').solver == 'scip'\n"
        "assert not {'pyscipopt', 'gurobipy'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_fractions_with_bent_curves_fall_back_under_auto() -> None:
    task = cleanup(1)
    bent = Exponential(rate=0.02)
    task = replace(task, skills=[replace(skill, curve=bent) for skill in task.skills])
    problem = build_problem(task, 20, continuous=True)
    answer = solve_general(problem, PROGRAM, solver="auto")
    assert answer.solver == "local"
    assert np.issubdtype(answer.episodes.dtype, np.floating)


@needs_scip
@pytest.mark.parametrize(("competence", "step_reward"), [(1e-9, 0.0), (0.5, -1e9)])
def test_a_solver_is_not_trusted_with_numbers_within_its_tolerances(
    competence: float, step_reward: float
) -> None:
    task = cleanup(1)
    first = replace(task.skills[0], curve=None, competence=competence, step_reward=step_reward)
    problem = build_problem(replace(task, skills=[first, *task.skills[1:]]), 30)
    with pytest.raises(SolverUnavailable, match=r"cannot solve .* reliably: .* too far apart"):
        solve_program(build_program(problem), "scip")
    answer = solve_general(problem, PROGRAM, solver="auto")
    assert answer.solver == "local"
    assert "corner bound" in answer.notes[0]
    assert "too far apart" in answer.notes[0]


def test_plan_search_spends_no_episode_that_adds_no_value() -> None:
    task = load_task("cleanup:failures=physical")
    answer = allocate(task, 300)
    assert (answer.solver, answer.status) == ("plans", "optimal")
    assert answer.spent == sum(frontier(task, 300).allocations[-1].values()) == 200
    rng = np.random.default_rng(5)
    for _ in range(count(40)):
        problem, _ = random_plan_task(rng)
        found = solve_general(problem, form_of(problem.ground))
        for u in np.flatnonzero(found.episodes) if found.solver == "plans" else ():
            fewer = found.episodes - np.eye(len(found.episodes), dtype=np.int64)[u]
            assert problem.solve(fewer).value < found.solution.value


def test_a_proof_is_not_lost_with_the_last_episodes() -> None:
    """Where curves rise for ever, the last episodes are worth less than values that are equal."""
    task = load_task("cleanup:failures=physical")
    rising = [replace(s, curve=Exponential(rate=0.05)) if s.curve else s for s in task.skills]
    task = replace(task, skills=rising)
    assert allocate(task, 2000, gap=1e-6).spent < 2000
    assert allocate(task, 2000, gap=0.0).status == "optimal"


@needs_scip
def test_no_answer_is_worse_for_a_solver_that_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Local search has the time it would have alone; what is left is for the solver."""
    rng = np.random.default_rng(21)
    for seed in rng.integers(2000, 3000, 6).tolist():
        problem, _ = small_problem(seed, product_form=False)
        both = solve_general(problem, PROGRAM, deadline=deadline_in(20))
        with monkeypatch.context() as patch:
            _hide_packages(patch)
            alone = solve_general(problem, PROGRAM, deadline=deadline_in(20))
        assert both.solution.value >= alone.solution.value
        assert both.bound <= alone.bound * (1 + 1e-12)


def _two_starts() -> Task:
    task = cleanup(1)
    placed = {**task.start_states[0].state, "top": "closed"}
    starts = [Start(0.5, task.start_states[0].state), Start(0.5, placed)]
    return replace(task, starts=starts)


def _problem() -> Problem:
    return build_problem(cleanup(1), 30)


def _hide_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec

    def find_spec(name: str, package: str | None = None) -> Any:
        return None if name in ("pyscipopt", "gurobipy") else real(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)


def _replace_worker(monkeypatch: pytest.MonkeyPatch, code: str) -> list[Any]:
    """Run other code than the solver; returns the list of processes that are started."""
    started: list[Any] = []

    class Recorded(subprocess.Popen[str]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Recorded)
    monkeypatch.setattr(program_solver, "WORKER", (sys.executable, "-c", code))
    monkeypatch.setattr(importlib.util, "find_spec", lambda *_: object())
    return started


def test_in_large_tasks_local_search_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = build_problem(random_general_task(3)[0], 40)
    starts: list[IntArray] = []

    def remembered(*arguments: Any, **options: Any) -> tuple[Certificate, str]:
        starts.append(options["start"])
        return certified(*arguments, **options)

    monkeypatch.setattr(general, "certified", remembered)
    solve_general(problem, General("it is general"), gap=0.5)
    monkeypatch.setattr(general, "LARGE", 1)
    solve_general(problem, General("it is general"), gap=0.5)
    assert not starts[0].any()
    assert (starts[1] == local_search(problem)).all()
