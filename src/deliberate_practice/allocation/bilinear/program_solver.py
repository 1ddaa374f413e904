"""Solve a bilinear program with SCIP or Gurobi, in a separate process.

The solvers can abort the whole process on large models, so they never run in ours, which does not
even import their packages.
"""

from __future__ import annotations

import importlib.util
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deliberate_practice.allocation.bilinear.program import BilinearProgram
from deliberate_practice.allocation.bilinear.solver_worker import TOLERANCE
from deliberate_practice.allocation.solvers import PROGRAM_SOLVERS, SOLVERS
from deliberate_practice.allocation.tolerances import GAP
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.checks import one_of
from deliberate_practice.foundation.deadline import GRACE
from deliberate_practice.foundation.errors import ArgumentError, SolverUnavailable
from deliberate_practice.foundation.installing import install_command

WORKER = (sys.executable, "-m", "deliberate_practice.allocation.bilinear.solver_worker")
OVERTIME = 1.25
"""A solver is stopped after this many times its limit, plus the grace."""

LARGEST = 20_000
"""The most actions of a task: with more, solvers crash or find no better bound."""

RANGE = 1e6
"""The largest ratio of numbers that a solver with tolerances of 1e-9 can distinguish."""

SMALLEST = 1e-6
"""The objective is scaled so that the start has value 1, with factors up to 1 / this."""

WAY_OUT = "use --solver plans for product-form tasks, or --solver auto"


class SolverLate(SolverUnavailable):
    """A solver exceeded its time limit and was stopped."""


@dataclass(frozen=True)
class ProgramResult:
    """The answer of a solver.

    Attributes:
        episodes: The best split that it found, shape (policies,); None if it found none.
        bound: Upper bound on the value of every split, widened by the solver's tolerance.
        finished: Whether it reached the requested gap.
    """

    episodes: IntArray | FloatArray | None
    bound: float
    finished: bool


def solve_program(
    program: BilinearProgram,
    backend: str = "scip",
    gap: float = GAP,
    time_limit: float | None = None,
    start: IntArray | FloatArray | None = None,
) -> ProgramResult:
    """Solve a program to global optimality, or as far as the time allows.

    Args:
        program: The program.
        backend: ``"scip"`` or ``"gurobi"``.
        gap: Relative gap between bound and value at which to stop.
        time_limit: Seconds; None for no limit.
        start: An initial split of the budget, in file order.

    Returns:
        The best split, and a bound that no split exceeds.

    Raises:
        SolverUnavailable: The package or its licence is missing; or the solver crashed or hung; or
            the program's numbers are too far apart for its tolerances.
    """
    require(backend)
    _check_numbers(program, SOLVERS[backend].title)
    point = {} if start is None else program.start(start)
    value = 0.0 if start is None else program.problem.solve(start).value
    largest = max((abs(v.objective) for v in program.variables), default=0.0)
    scale = max(value, SMALLEST * largest) or 1.0
    with tempfile.TemporaryDirectory(prefix="deliberate-") as folder:
        path = Path(folder) / "program.lp"
        path.write_text(program.to_lp(scale), encoding="ascii")
        request = {
            "backend": backend,
            "lp": str(path),
            "start": point,
            "gap": gap / 2,  # the other half is for widening the bound by the tolerance
            "time_limit": time_limit,
        }
        answer = _ask(request, None if time_limit is None else time_limit * OVERTIME + GRACE)
    values = answer["values"]
    bound = _honest(program, float(answer["bound"])) * scale
    episodes = None if values is None else program.episodes(values)
    return ProgramResult(episodes, bound, bool(answer["finished"]))


def _check_numbers(program: BilinearProgram, name: str) -> None:
    """Refuse a program with numbers that are too small for the tolerances."""
    ground = program.problem.ground
    chances = [
        *ground.outcome_weight[ground.outcome_weight > 0],
        *(p for table in program.problem.tables for p in (*table[:1], *table[-1:]) if p > 0),
        ground.task.discount,
    ]
    # Rewards and step costs of one action may cancel up to rounding.
    amounts = [abs(v.objective) for v in program.variables if v.objective]
    amounts += [abs(r) for r in (*ground.step_reward.tolist(), *ground.reward.tolist()) if r]
    smallest = min(chances, default=1.0)
    far = max(amounts, default=1.0) / min(amounts, default=1.0)
    if smallest < 1 / RANGE or far > RANGE:
        raise SolverUnavailable(
            f"{name} cannot solve this task reliably: its numbers are too far apart for the "
            f"solver's tolerances (the smallest chance is {smallest:.2g}, rewards differ by a "
            f"factor of {far:.2g}; factors up to {RANGE:g} are safe); {WAY_OUT}."
        )


def installed() -> str | None:
    """The solver that ``auto`` takes if it needs one; None if none is installed."""
    return next((name for name in PROGRAM_SOLVERS if available(name)), None)


def available(backend: str) -> bool:
    """Whether the solver's package is installed; it is not imported."""
    one_of("solver", backend, PROGRAM_SOLVERS, ArgumentError)
    return importlib.util.find_spec(SOLVERS[backend].package) is not None


def require(backend: str) -> None:
    """Raise unless the solver's package is installed.

    Raises:
        SolverUnavailable: It is not installed; the message has the command that installs it.
    """
    if not available(backend):
        raise SolverUnavailable(_missing(backend))


def _missing(backend: str) -> str:
    title, command = SOLVERS[backend].title, install_command(backend)
    return f"{title} is not installed; {WAY_OUT}, or run: {command}"


def _ask(request: Mapping[str, Any], timeout: float | None) -> dict[str, Any]:
    """Run the worker on one request; it never outlives this call."""
    name = SOLVERS[request["backend"]].title
    with subprocess.Popen(
        WORKER,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            output, _ = process.communicate(json.dumps(request), timeout=timeout)
        except subprocess.TimeoutExpired:
            raise SolverLate(
                f"{name} did not answer within {timeout:g} s and was ended; {WAY_OUT}."
            ) from None
        finally:  # even if the user presses Ctrl-C
            process.kill()
    try:
        answer: dict[str, Any] = json.loads(output)
    except ValueError:
        raise SolverUnavailable(
            f"{name} crashed (exit status {process.returncode}); {WAY_OUT}, or a smaller task."
        ) from None
    if "error" in answer:
        raise SolverUnavailable(_refusal(request["backend"], answer))
    return answer


def _refusal(backend: str, answer: Mapping[str, Any]) -> str:
    """One sentence for an error that the worker reported."""
    kind, message = answer["error"], str(answer["message"]).splitlines()[0].rstrip(".")
    other = next(name for name in PROGRAM_SOLVERS if name != backend)
    instead = f"{WAY_OUT}, or use --solver {other} after running: {install_command(other)}"
    if kind == "missing":
        return _missing(backend)
    if kind == "size":
        return (
            f"Gurobi's licence refuses a program of this size ({message}); the one that comes with "
            f"the package stops at 200 variables: install a full licence, {instead}"
        )
    if kind == "licence":
        return f"Gurobi found no valid licence ({message}); install one, {instead}"
    return f"{SOLVERS[backend].title} failed ({message}); {instead}"


def _honest(program: BilinearProgram, bound: float) -> float:
    """Widen a solver's bound by the error that its tolerances allow.

    Tolerances on rows only enlarge the feasible set, which raises the bound. But a linear
    relaxation counts as solved when reduced costs are within the tolerance, so its bound may be too
    low by tolerance * (range of each variable), in units of the scaled objective.
    """
    ranges = math.fsum(v.high - v.low for v in program.variables if v.name[0] in "pmy")
    return bound + TOLERANCE * (1 + ranges) * max(1.0, abs(bound))
