"""Split a budget for any task: local search, the corner bound, and the bilinear program."""

from __future__ import annotations

import math
from typing import NamedTuple

from deliberate_practice.allocation.bilinear.program import build_program
from deliberate_practice.allocation.bilinear.program_solver import (
    LARGEST,
    WAY_OUT,
    SolverLate,
    require,
    solve_program,
)
from deliberate_practice.allocation.choice import choose_solver
from deliberate_practice.allocation.corner_bound import corner_bound
from deliberate_practice.allocation.local_search import local_search
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.result import Prospect, is_optimal
from deliberate_practice.allocation.solvers import PROGRAM_SOLVERS, SOLVERS
from deliberate_practice.allocation.tolerances import GAP, TIE
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.checks import one_of
from deliberate_practice.foundation.deadline import after_part, late, seconds_left, with_grace
from deliberate_practice.foundation.errors import (
    ArgumentError,
    DeliberatePracticeError,
    SolverUnavailable,
)
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.mdp.rule import most_likely_path
from deliberate_practice.mdp.values import Solution

BACKENDS = ("auto", *PROGRAM_SOLVERS, "local")
CORNER = "the bound is the corner bound: every policy with the whole budget"
NO_SOLVER = f"{CORNER}. No global solver is installed; for a proof run: "

PROGRAM_SECONDS = 60.0
"""Time limit of the program's solver if no deadline is given [s]."""


class GeneralResult(NamedTuple):
    """A split and its certificate.

    Attributes:
        episodes: Episodes of each policy in file order, shape (policies,).
        solution: The task's value and decision rule after these episodes.
        bound: Upper bound on the value of every split; never below the value of ``episodes``.
        solver: The source of the bound: ``"scip"``, ``"gurobi"`` or ``"local"``.
        notes: Remarks for the user on how the answer was found.
    """

    episodes: IntArray | FloatArray
    solution: Solution
    bound: float
    solver: str
    notes: tuple[str, ...] = ()


def solve_general(
    problem: Problem,
    *,
    backend: str = "auto",
    gap: float = GAP,
    deadline: float | None = None,
) -> GeneralResult:
    """Find a good split, and an upper bound on the value of every split.

    Local search runs to its end, and a solver of the program gets the remaining time. So installing
    a solver never makes an answer worse.

    Args:
        problem: Task, budget and competence tables.
        backend: ``"scip"`` or ``"gurobi"`` for the bilinear program, ``"local"`` for local search
            alone, ``"auto"`` for SCIP or Gurobi if installed and local search otherwise.
        gap: Relative gap at which the program's solver may stop.
        deadline: When to stop with the best split so far. Without a deadline only the program's
            solver depends on a clock; its limit is ``PROGRAM_SECONDS``.

    Raises:
        SolverUnavailable: The named backend cannot be used; ``auto`` adds a note instead.
        DeliberatePracticeError: The same, if the program itself cannot be built.
    """
    one_of("solver", backend, BACKENDS, ArgumentError)
    name, _ = choose_solver("plans are not searched here", backend)
    if backend in PROGRAM_SOLVERS:
        require(backend)
        _check_size(problem, backend)
    corner = corner_bound(problem, with_grace(after_part(deadline, 1 / 3)))
    episodes = local_search(problem, deadline=deadline)
    solution = problem.solve(episodes, deadline)
    bound = max(corner, solution.value)
    local = GeneralResult(episodes, solution, bound, "local")
    # A solver that was named runs anyway: its answer serves as a second opinion.
    wanted = backend != "auto" and len(problem.practised) > 0
    settled = is_optimal(solution.value, bound, gap) and not wanted
    if settled or not len(problem.ground.action_state):
        return local
    if name == "local":
        note = f"{CORNER}." if backend == name else NO_SOLVER + install_command("scip")
        return local._replace(notes=(note,))
    try:
        return _by_solver(problem, local, name, gap, deadline)
    except DeliberatePracticeError as error:
        if backend != "auto" and not isinstance(error, SolverLate):
            raise
        return local._replace(notes=(f"{CORNER}: {error}",))


def _by_solver(
    problem: Problem, local: GeneralResult, name: str, gap: float, deadline: float | None
) -> GeneralResult:
    """Solve the bilinear program, starting from the local answer."""
    _check_size(problem, name)
    title = SOLVERS[name].title
    nothing = local._replace(notes=(f"the time limit left nothing for {title}; {CORNER}.",))
    if late(deadline):
        return nothing
    program = build_program(problem, after_part(deadline, 1 / 2))
    if late(deadline):
        return nothing
    seconds = PROGRAM_SECONDS if deadline is None else seconds_left(deadline)
    result = solve_program(program, name, gap, seconds, local.episodes)
    best = local
    if result.episodes is not None:
        episodes = local_search(problem, start=result.episodes, deadline=deadline)
        solution = problem.solve(episodes, deadline)
        if solution.value > local.solution.value * (1 + TIE):
            best = best._replace(episodes=episodes, solution=solution)
    value = best.solution.value
    bound = max(min(local.bound, result.bound), value)
    notes: tuple[str, ...] = ()
    if not is_optimal(value, bound, gap):
        limit = f"after {PROGRAM_SECONDS:g} s" if deadline is None else "at the time limit"
        why = f"stopped {limit} before the gap of {gap:g} was proven."
        if result.finished:
            why = f"finished, but its tolerances leave a gap above {gap:g}."
        notes = (f"{title} {why}",)
    return best._replace(bound=bound, solver=name, notes=notes)


def _check_size(problem: Problem, name: str) -> None:
    actions = len(problem.ground.action_state)
    if actions > LARGEST:
        raise SolverUnavailable(
            f"{actions:,} actions are too many for {SOLVERS[name].title} (at most {LARGEST:,}); "
            f"{WAY_OUT}."
        )


def prospect(
    problem: Problem,
    episodes: IntArray | FloatArray,
    solution: Solution,
    bound: float = math.inf,
) -> Prospect:
    """The value of a split, with the most likely path to a goal after it.

    Args:
        problem: Task, budget and competence tables.
        episodes: Episodes of each policy in file order, shape (policies,).
        solution: The task's value and decision rule after these episodes.
        bound: Upper bound on the value of every split; infinite if none is known.
    """
    path = most_likely_path(problem.ground, solution, problem.competence(episodes))
    shares = zip(problem.ground.policy_names, episodes.tolist(), strict=True)
    return Prospect(path, {name: b for name, b in shares if b}, solution.value, bound)
