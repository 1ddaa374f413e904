"""Split a budget for any task: local search, the corner bound, and the bilinear program."""

from __future__ import annotations

from typing import NamedTuple

from deliberate_practice.allocation.corner_bound import corner_bound
from deliberate_practice.allocation.local_search import local_search
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.program import build_program
from deliberate_practice.allocation.program_solver import (
    LARGEST,
    NAMES,
    SolverLate,
    installed,
    solve_program,
)
from deliberate_practice.allocation.result import is_optimal
from deliberate_practice.errors import ArgumentError, DeliberatePracticeError, choose_from
from deliberate_practice.foundation.deadline import deadline_in, seconds_left, with_grace
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.task.mdp import FloatArray, IntArray

BACKENDS = ("auto", "scip", "gurobi", "local")
CORNER = "the bound is the corner bound: every policy with the whole budget"
NO_SOLVER = f"{CORNER}. No global solver is installed; for a proof run: "


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
    problem: Problem,
    *,
    backend: str = "auto",
    gap: float = 1e-6,
    time_limit: float | None = None,
    program_limit: float | None = None,
) -> GeneralResult:
    """Find a good split and bound what any other could be worth.

    Local search has all the time it wants, and a solver of the program what is left, so that no
    answer is worse for a solver that is installed.

    Args:
        problem: Task, budget and competence tables.
        backend: ``"scip"`` or ``"gurobi"`` for the bilinear program, ``"local"`` for local search
            alone, ``"auto"`` for SCIP or Gurobi where installed and local search elsewhere.
        gap: Relative gap at which the program's solver may stop.
        time_limit: Seconds for everything; None for no limit, and an answer that depends on no
            clock unless the program's solver does.
        program_limit: Seconds for the program's solver, where there is no ``time_limit``.

    Raises:
        SolverUnavailable: A backend that was named cannot be used; ``auto`` makes a note instead.
        DeliberatePracticeError: The same, where the program itself cannot be written.
    """
    if backend not in BACKENDS:
        raise ArgumentError("solver: " + choose_from(backend, BACKENDS))
    deadline = deadline_in(time_limit)
    name = installed() if backend == "auto" else backend
    third = deadline_in(None if time_limit is None else time_limit / 3)
    corner = corner_bound(problem, with_grace(third))
    episodes = local_search(problem, deadline=deadline)
    value = problem.solve(episodes, deadline).value
    bound = max(corner, value)
    local = GeneralResult(episodes, bound, "local", ())
    # A solver that was named is run even so: its answer is wanted as a second opinion.
    settled = bound <= value * (1 + gap) and (backend == "auto" or not len(problem.practised))
    if settled or not len(problem.ground.action_state):
        return local
    if name is None:
        return local._replace(notes=(NO_SOLVER + install_command("scip"),))
    if name == "local":
        return local._replace(notes=(f"{CORNER}.",))
    try:
        limit = program_limit if time_limit is None else time_limit
        return _by_solver(problem, local, name, gap, limit, deadline)
    except DeliberatePracticeError as error:
        if backend != "auto" and not isinstance(error, SolverLate):
            raise
        return local._replace(notes=(f"{CORNER}: {error}",))


def _by_solver(
    problem: Problem,
    local: GeneralResult,
    name: str,
    gap: float,
    limit: float | None,
    deadline: float | None,
) -> GeneralResult:
    """Solve the bilinear program, from the local answer on."""
    actions = len(problem.ground.action_state)
    if actions > LARGEST:
        raise DeliberatePracticeError(
            f"{actions:,} actions are too many for {NAMES[name]} (at most {LARGEST:,})."
        )
    left = seconds_left(deadline)
    program = build_program(problem, None if left is None else deadline_in(left / 2))
    at = "its limits" if limit is None else f"the time limit of {limit:.3g} s"
    seconds = limit if deadline is None else seconds_left(deadline)
    if seconds is not None and seconds <= 0:
        note = f"{at} left nothing for {NAMES[name]}; {CORNER}."
        return local._replace(notes=(note,))
    result = solve_program(program, name, gap, seconds, local.episodes)
    episodes, value = local.episodes, problem.solve(local.episodes).value
    if result.episodes is not None:
        found = local_search(problem, start=result.episodes, deadline=deadline)
        if problem.solve(found).value > value * (1 + 1e-9):
            episodes, value = found, problem.solve(found).value
    bound = max(min(local.bound, result.bound), value)
    if is_optimal(value, bound, gap):
        return GeneralResult(episodes, bound, name, ())
    note = f"{NAMES[name]} stopped at {at} before the gap of {gap:g} was proven."
    if result.finished:
        note = f"{NAMES[name]} is done, but its tolerances leave a gap above {gap:g}."
    return GeneralResult(episodes, bound, name, (note,))
