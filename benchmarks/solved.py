"""The answers of solvers as rows of the benchmark's tables and of its file."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from statistics import median
from typing import NamedTuple

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.bilinear.program_solver import available
from deliberate_practice.allocation.result import Allocation
from deliberate_practice.allocation.tolerances import GAP
from deliberate_practice.foundation.errors import SolverUnavailable
from deliberate_practice.mdp.ground_task import GroundTask

SLACK = 1e-9
"""Relative rounding of a gap that counts as reached."""


class Case(NamedTuple):
    """A task with its budget.

    Attributes:
        name: Its name in tables.
        task: The grounded task.
        budget: Budget units.
        target: The relative gap at which it counts as closed.
        group: The part of its family to which it belongs.
    """

    name: str
    task: GroundTask
    budget: int
    target: float = GAP
    group: str = ""


@dataclass(frozen=True)
class Solved:
    """The answer of one solver to one task.

    Attributes:
        task: Name, with its size.
        skills, states, kept: Number of skills, of all states, and of the states that matter.
        budget: Budget units.
        solver: The solver that answered.
        status: ``optimal``, ``feasible`` (stopped at a limit), ``refused`` by its licence or its
            limit of size, or ``missing``.
        value, bound, gap: The answer; None if there is none.
        seconds: CPU time; the limit for a solver of the program that was stopped [s].
        grounding: CPU time of grounding [s].
        wall: Wall-clock time of the answer [s].
        peak: Largest memory of the process that solved it [MB].
        target: The gap at which the task counts as closed.
        group: The part of its family to which the task belongs.
    """

    task: str
    skills: int
    states: int
    kept: int
    budget: int
    solver: str
    status: str
    value: float | None = None
    bound: float | None = None
    gap: float | None = None
    seconds: float | None = None
    grounding: float | None = None
    wall: float | None = None
    peak: float | None = None
    target: float = GAP
    group: str = ""

    @property
    def closed(self) -> bool:
        """Whether the target was reached."""
        return self.gap is not None and self.gap <= self.target * (1 + SLACK)


def by_plans(case: Case) -> Solved:
    """Plan search; its time is the median of five."""
    runs = [allocate(case.task, case.budget, solver="plans") for _ in range(5)]
    seconds = median(run.seconds for run in runs)
    return replace(_answer(case, runs[0]), seconds=seconds)


def by_auto(case: Case, seconds: float | None) -> Solved:
    """The answer of ``auto`` within a time limit."""
    begin = time.monotonic()
    found = allocate(case.task, case.budget, gap=case.target, time_limit=seconds)
    return replace(_answer(case, found), wall=time.monotonic() - begin)


def by_program(case: Case, solver: str, seconds: float) -> Solved:
    """A solver of the bilinear program; if it is stopped, its time is the limit."""
    if not available(solver):
        return _no_answer(case, solver, "missing")
    try:
        found = allocate(case.task, case.budget, solver=solver, gap=case.target, time_limit=seconds)
    except SolverUnavailable:
        return _no_answer(case, solver, "refused")
    taken = found.seconds if found.status == "optimal" else seconds
    return replace(_answer(case, found), solver=solver, seconds=taken)


def _answer(case: Case, found: Allocation) -> Solved:
    return replace(
        _no_answer(case, found.solver, found.status),
        value=found.value,
        bound=found.bound if math.isfinite(found.bound) else None,
        gap=found.gap,
        seconds=found.seconds,
    )


def _no_answer(case: Case, solver: str, status: str) -> Solved:
    task = case.task
    return Solved(
        case.name,
        len(task.task.skills),
        task.task.state_count,
        task.counts.kept,
        case.budget,
        solver,
        status,
        target=case.target,
        group=case.group,
    )
