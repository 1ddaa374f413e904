"""Split a budget for any task: local search, the corner bound, and the bilinear program."""

from __future__ import annotations

from typing import NamedTuple

from deliberate_practice.allocation.corner_bound import corner_bound
from deliberate_practice.allocation.local_search import local_search
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.program import build_program
from deliberate_practice.allocation.program_solver import available, solve_program
from deliberate_practice.errors import ArgumentError, DeliberatePracticeError, choose_from
from deliberate_practice.task.mdp import FloatArray, IntArray

BACKENDS = ("auto", "scip", "gurobi", "local")


class GeneralResult(NamedTuple):
    """A split and its certificate.

    Attributes:
        episodes: Episodes of each policy in file order, shape (policies,).
        bound: No split of the budget is worth more; never below the value of ``episodes``.
        solver: ``"scip"``, ``"gurobi"`` or ``"local"``: who gave the bound.
        notes: What the user should know about how the answer came about.
    """

    episodes: IntArray | FloatArray
    bound: float
    solver: str
    notes: tuple[str, ...]


def solve_general(
    problem: Problem, *, backend: str = "auto", gap: float = 1e-6, time_limit: float | None = None
) -> GeneralResult:
    """Find a good split and bound what any other could be worth.

    Args:
        problem: Task, budget and competence tables.
        backend: ``"scip"`` or ``"gurobi"`` for the bilinear program, ``"local"`` for local search
            alone, ``"auto"`` for SCIP or Gurobi where installed and local search elsewhere.
        gap: Relative gap at which the program's solver may stop.
        time_limit: Seconds for the program's solver; None for no limit.

    Raises:
        SolverUnavailable: A backend that was named cannot be used; ``auto`` makes a note instead.
        DeliberatePracticeError: The same, where the program itself cannot be written.
    """
    if backend not in BACKENDS:
        raise ArgumentError("solver: " + choose_from(backend, BACKENDS))
    episodes = local_search(problem)
    value = problem.solve(episodes).value
    bound = max(corner_bound(problem), value)
    # A solver that was named is run even so: its answer is wanted as a second opinion.
    settled = bound <= value * (1 + gap) and (backend == "auto" or not len(problem.practised))
    if backend == "local" or settled or not len(problem.ground.action_state):
        return GeneralResult(episodes, bound, "local", ())
    installed = next((name for name in ("scip", "gurobi") if available(name)), None)
    if backend == "auto" and installed is None:
        note = (
            "no global solver is installed, so the bound is the corner bound; for a proof run: "
            "pip install 'deliberate-practice[scip]'"
        )
        return GeneralResult(episodes, bound, "local", (note,))
    name = installed if backend == "auto" and installed else backend
    try:
        result = solve_program(build_program(problem), name, gap, time_limit, episodes)
    except DeliberatePracticeError as error:
        if backend != "auto":
            raise
        return GeneralResult(episodes, bound, "local", (f"the bound is the corner bound: {error}",))
    if result.episodes is not None:
        found = local_search(problem, start=result.episodes)
        if problem.solve(found).value > value * (1 + 1e-9):
            episodes, value = found, problem.solve(found).value
    bound = max(min(bound, result.bound), value)
    return GeneralResult(episodes, bound, name, (result.note,) if result.note else ())
