"""Split a budget for any task: certified searches, local search, and the bilinear program."""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np

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
from deliberate_practice.allocation.forms import Form, PlansFromStarts
from deliberate_practice.allocation.local_search import local_search, trim
from deliberate_practice.allocation.plan_form.certify import certify as certify_plans
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.result import Certificate, Prospect, is_optimal
from deliberate_practice.allocation.solvers import PROGRAM_SOLVERS, SOLVERS
from deliberate_practice.allocation.supersolution.certify import certify as certify_boxes
from deliberate_practice.allocation.tolerances import GAP, TIE
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.deadline import after_part, late, seconds_left, with_grace
from deliberate_practice.foundation.errors import (
    DeliberatePracticeError,
    SolverUnavailable,
)
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.mdp.rule import most_likely_path
from deliberate_practice.mdp.values import Solution

CORNER = "the bound is the corner bound: every policy with the whole budget"
NO_SOLVER = f"{CORNER}. No global solver is installed; for a proof run: "

PROGRAM_SECONDS = 60.0
"""Time limit of the program's solver if no deadline is given [s]."""

CERTIFYING = ("plans", "supersolution")
"""Solvers that certify a split by a search of their own."""

CERTIFYING_PART = 0.8
"""Their part of the time; the rest is for local search, if a gap is left."""

LONGER = (
    "Give it more time (--time-limit 60, time_limit=60), or accept a gap (--gap 0.01, gap=0.01)."
)
"""What to do about a gap that is left."""

LARGE = 5000
"""From this many states on local search comes before the supersolution, which divides few boxes in
its time and needs a good split for them."""

SEARCH_PART = 0.5
"""Local search's part of the time in such tasks."""

CERTIFYING_PART_LARGE = 0.9
"""The supersolution's part of the rest of it, which leaves time to evaluate the answer."""

PLAN_NODES, BOXES = 60_000, 600
"""Nodes that plan search visits, and that the supersolution divides, before they stop."""


class GeneralResult(NamedTuple):
    """A split and its certificate.

    Attributes:
        episodes: Episodes of each policy in file order, shape (policies,).
        solution: The task's value and decision rule after these episodes.
        bound: Upper bound on the value of every split; never below the value of ``episodes``.
        solver: The source of the bound, by its name in ``SOLVERS``.
        notes: Remarks for the user on how the answer was found.
    """

    episodes: IntArray | FloatArray
    solution: Solution
    bound: float
    solver: str
    notes: tuple[str, ...] = ()


def solve_general(
    problem: Problem,
    form: Form,
    *,
    solver: str = "auto",
    gap: float = GAP,
    deadline: float | None = None,
) -> GeneralResult:
    """Find a good split, and an upper bound on the value of every split.

    Args:
        problem: Task, budget and competence tables.
        form: The task's form.
        solver: As for ``allocate``.
        gap: Relative gap at which a search may stop.
        deadline: When to stop with the best split so far. Without a deadline only a solver of the
            bilinear program depends on a clock; its limit is ``PROGRAM_SECONDS``.

    Raises:
        SolverUnavailable: The named solver cannot be used; ``auto`` adds a note instead.
        DeliberatePracticeError: The same, if the program itself cannot be built.
    """
    name, _ = choose_solver(form, solver, continuous=problem.continuous)
    if name in CERTIFYING:
        return _certified(problem, form, name, gap, deadline)
    return _by_search(problem, name, gap, deadline, named=solver != "auto")


def _certified(
    problem: Problem, form: Form, name: str, gap: float, deadline: float | None
) -> GeneralResult:
    """Certify a split; local search joins in large tasks, or if that does not close the gap."""
    large = name == "supersolution" and len(problem.ground.start) >= LARGE
    start = np.zeros(len(problem.policies), dtype=np.int64)
    part, rule = CERTIFYING_PART, None
    if large:
        start = np.asarray(local_search(problem, deadline=after_part(deadline, SEARCH_PART)))
        part, rule = CERTIFYING_PART_LARGE, problem.solve(start, deadline).actions
    certify_by = after_part(deadline, part)
    effort = 1.0 if deadline is None else math.inf
    found, name = certified(
        problem, form, name, start=start, gap=gap, deadline=certify_by, effort=effort
    )
    episodes = _thrifty(problem, found, gap, deadline) if name == "plans" else found.episodes
    solution = problem.solve(episodes, deadline, rule)
    notes = (f"{found.note}, so {SOLVERS[name].title} was used.",) if found.note else ()
    if not large and not is_optimal(solution.value, found.bound, gap):
        other = local_search(problem, deadline=deadline)
        rival = problem.solve(other, deadline)
        if rival.value > solution.value * (1 + TIE):
            episodes, solution = np.asarray(other), rival
    bound = max(found.bound, solution.value)
    if not is_optimal(solution.value, bound, gap):
        why = "at its limit of work" if deadline is None else "at the time limit"
        stopped = f"{SOLVERS[name].title} stopped {why} before the gap of {gap:g} was proven."
        notes = (*notes, f"{stopped} {LONGER}")
    return GeneralResult(episodes, solution, bound, name, notes)


def _thrifty(problem: Problem, found: Certificate, gap: float, deadline: float | None) -> IntArray:
    """The split of plan search without episodes that add no value; what is proven stays proven."""
    fewer = trim(problem, found.episodes, rising=True, deadline=deadline)
    proven = is_optimal(problem.solve(fewer, deadline).value, found.bound, gap)
    return fewer if proven or not found.finished else found.episodes


def certified(
    problem: Problem,
    form: Form,
    name: str,
    *,
    start: IntArray,
    gap: float,
    deadline: float | None = None,
    effort: float = 1.0,
) -> tuple[Certificate, str]:
    """Improve a split, and bound the value of every split.

    Args:
        problem: Task, budget and competence tables, in whole episodes.
        form: The task's form.
        name: The solver, ``plans`` or ``supersolution``.
        start: A split; the answer is not worse.
        gap: Relative gap at which to stop.
        deadline: When to stop with the bound so far.
        effort: How many nodes may be visited, as a part of the usual number; infinite until the
            deadline.

    Returns:
        The certificate, and the solver that gave it. The bound is never above the corner bound. A
        note says why plans were not used if they were asked for.
    """
    corner = corner_bound(problem, with_grace(after_part(deadline, 1 / 3)))
    found = Certificate(start, math.inf, False)
    if name == "plans" and isinstance(form, PlansFromStarts):
        nodes = _nodes(effort, PLAN_NODES)
        found = certify_plans(
            problem, form.plans, start=start, gap=gap, deadline=deadline, most_nodes=nodes
        )
    if not math.isfinite(found.bound):  # plans were not asked for, or there are too many
        nodes, name, note = _nodes(effort, BOXES), "supersolution", found.note
        found = certify_boxes(
            problem, start=found.episodes, gap=gap, deadline=deadline, most_nodes=nodes
        )._replace(note=note)
    return found._replace(bound=min(found.bound, corner)), name


def _nodes(effort: float, usual: int) -> int:
    """How many nodes may be visited."""
    return max(1, round(min(effort * usual, sys.maxsize)))


def _by_search(
    problem: Problem, name: str, gap: float, deadline: float | None, *, named: bool
) -> GeneralResult:
    """Local search to its end, and a solver of the bilinear program in the remaining time.

    So installing a solver never makes an answer worse.
    """
    if named and name in PROGRAM_SOLVERS:
        require(name)
        _check_size(problem, name)
    corner = corner_bound(problem, with_grace(after_part(deadline, 1 / 3)))
    episodes = local_search(problem, deadline=deadline)
    solution = problem.solve(episodes, deadline)
    bound = max(corner, solution.value)
    local = GeneralResult(episodes, solution, bound, "local")
    # A solver that was named runs anyway: its answer serves as a second opinion.
    wanted = named and len(problem.practised) > 0
    settled = is_optimal(solution.value, bound, gap) and not wanted
    if settled or not len(problem.ground.action_state):
        return local
    if name == "local":
        note = f"{CORNER}." if named else NO_SOLVER + install_command("scip")
        return local._replace(notes=(note,))
    try:
        return _by_solver(problem, local, name, gap, deadline)
    except DeliberatePracticeError as error:
        if named and not isinstance(error, SolverLate):
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
