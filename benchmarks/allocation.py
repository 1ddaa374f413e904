"""Plan search against global solvers of the paper's program, and how its cost grows.

    make benchmark                                  everything, about 5 minutes
    python benchmarks/allocation.py --time-limit 10  less patience with the other solvers
    python benchmarks/allocation.py --json FILE      also as data; --quick without the largest tasks

Everything is measured in one run, in CPU seconds, grounding apart; plan search is the median of
five. A solver that is not done at the time limit counts as that limit, and its gap is printed.
"""

from __future__ import annotations

import json
import math
import resource
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median

import click
import numpy as np
from rich.console import Console

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.bilinear.program_solver import available
from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.allocation.result import Allocation
from deliberate_practice.cli.output import table
from deliberate_practice.foundation.errors import SolverUnavailable
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill

CASES: list[tuple[str, dict[str, int], int]] = [
    ("counterexample", {}, 20),
    ("breakfast", {}, 30),
    ("breakfast", {}, 60),
    ("cleanup", {}, 100),
    ("cleanup", {}, 150),
    ("cleanup", {}, 250),
    ("cleanup-multi", {"objects": 2}, 250),
    ("cleanup-multi", {"objects": 3}, 350),
    ("cleanup-multi", {}, 400),
    ("cleanup-multi", {}, 450),
    ("cleanup-multi", {}, 500),
]
QUICK = [CASES[2], CASES[4], CASES[6], CASES[9]]


@dataclass(frozen=True)
class Solved:
    """What one solver made of one task.

    Attributes:
        task: Name, with its size.
        skills, states, kept: Of them, states in all and those that matter.
        budget: Episodes.
        solver: ``plans``, ``scip`` or ``gurobi``.
        status: ``optimal``, ``feasible`` (stopped at the limit), ``refused`` by its licence, or
            ``missing``.
        value, bound, gap: The answer; None if there is none.
        seconds: CPU time, or the limit [s].
        grounding: CPU time of grounding [s].
        peak: Memory of this process so far [MB].
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
    peak: float | None = None


@click.command()
@click.option("--time-limit", default=60.0, help="Seconds for each run of another solver.")
@click.option("--json", "file", type=Path, help="Also write what was measured here.")
@click.option("--quick", is_flag=True, help="Four tasks for the other solvers, and less growth.")
def main(time_limit: float, file: Path | None, quick: bool) -> None:
    """Print all tables."""
    console = Console()
    with console.status("growth with the task"):
        objects = grow_objects(7 if quick else 10)
        growth = objects if quick else objects + grow_skills() + grow_budget()
    columns = [
        "task",
        "skills",
        "states",
        "kept",
        "budget",
        "grounding s",
        "solver s",
        "peak MB",
        "status",
    ]
    console.print("\nGrowth of plan search", style="bold")
    console.print(table(columns, [growth_row(one) for one in growth], numeric=range(1, 8)))
    found = frontier(ground(load_task("cleanup-multi")), 1000)
    console.print(f"whole frontier of cleanup-multi, budgets 0 to 1000: {found.seconds:.3f} s\n")
    compared: list[Solved] = []
    for name, parameters, budget in QUICK if quick else CASES:
        with console.status(f"{name} {budget}"):
            compared += compare(name, parameters, budget, time_limit)
    console.print("Plan search against global solvers of the bilinear program", style="bold")
    columns = ["task", "budget", "solver", "value", "bound", "gap", "seconds", "ratio"]
    rows = [comparison_row(one, compared) for one in compared]
    console.print(table(columns, rows, numeric=(1, 3, 4, 5, 6, 7)))
    if file:
        data = {
            "time_limit": time_limit,
            "frontier_seconds": found.seconds,
            "growth": [asdict(one) for one in growth],
            "compared": [asdict(one) for one in compared],
        }
        file.write_text(json.dumps(data, indent=1), encoding="utf-8")


def compare(name: str, parameters: dict[str, int], budget: int, time_limit: float) -> list[Solved]:
    """One answer per solver."""
    grounded = ground(load_task(name, **parameters))
    plans, seconds = timed(grounded, budget)
    shown = " ".join([name, *(f"{key}={value}" for key, value in parameters.items())])
    sizes = (shown, len(grounded.task.skills), grounded.task.state_count, plans.states.kept, budget)
    answers = [answer(sizes, "plans", plans, seconds)]
    for solver in ("scip", "gurobi"):
        if not available(solver):
            answers.append(Solved(*sizes, solver, "missing"))
            continue
        try:
            other = allocate(grounded, budget, solver=solver, time_limit=time_limit)
        except SolverUnavailable:
            answers.append(Solved(*sizes, solver, "refused"))
            continue
        taken = other.seconds if other.status == "optimal" else time_limit
        answers.append(answer(sizes, solver, other, taken))
    return answers


def answer(
    sizes: tuple[str, int, int, int, int], solver: str, found: Allocation, seconds: float
) -> Solved:
    """One solver's answer."""
    bound = found.bound if math.isfinite(found.bound) else None
    return Solved(*sizes, solver, found.status, found.value, bound, found.gap, seconds)


def comparison_row(one: Solved, all_of_them: list[Solved]) -> list[str]:
    """One line of the comparison."""
    words = {"missing": "not installed", "refused": "refused by its licence"}
    if one.seconds is None:
        return [one.task, str(one.budget), one.solver, words[one.status], "", "", "", ""]
    plans = next(
        o for o in all_of_them if (o.task, o.budget, o.solver) == (one.task, one.budget, "plans")
    )
    assert plans.seconds is not None  # it always answers
    gap = "none" if one.gap is None else f"{one.gap:.1%}" if one.gap > 1e-6 else "0"
    return [
        one.task,
        str(one.budget),
        one.solver,
        f"{one.value:.6g}",
        "none" if one.bound is None else f"{one.bound:.6g}",
        gap,
        f"{one.seconds:.4f}",
        f"{one.seconds / plans.seconds:,.0f}",
    ]


def growth_row(one: Solved) -> list[str]:
    """One line of growth."""
    return [
        one.task,
        str(one.skills),
        f"{one.states:,}",
        f"{one.kept:,}",
        str(one.budget),
        f"{one.grounding:.3f}",
        f"{one.seconds:.4f}",
        f"{one.peak:.0f}",
        one.status,
    ]


def timed(grounded: GroundTask, budget: int) -> tuple[Allocation, float]:
    """Plan search, median of five."""
    runs = [allocate(grounded, budget, solver="plans") for _ in range(5)]
    return runs[0], median(run.seconds for run in runs)


def measured(name: str, task: Task, budget: int) -> Solved:
    """Growth: sizes, times and the peak memory of this process so far."""
    first = allocate(task, budget, solver="plans")
    found, seconds = timed(ground(task), budget)
    sizes = (name, len(task.skills), task.state_count, found.states.kept, budget)
    return replace(
        answer(sizes, "plans", found, seconds),
        grounding=first.grounding_seconds,
        peak=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def grow_objects(most: int) -> list[Solved]:
    """Cleanup-Multi with more objects, at the budget that masters the bottom drawer."""
    return [
        measured(f"{n} objects", load_task("cleanup-multi", objects=n), 100 + 100 * n)
        for n in (1, 2, 3, 4, 5, 6, 7, 8, 10)
        if n <= most
    ]


def grow_skills() -> list[Solved]:
    """Task graphs with many skills: every edge is a skill of its own, every path another plan."""
    return [measured(f"{layers} layers", layered(layers), 200) for layers in (3, 5, 10, 20, 40)]


def grow_budget() -> list[Solved]:
    """Cleanup-Multi with more budget."""
    task = load_task("cleanup-multi")
    return [measured("4 objects", task, budget) for budget in (50, 100, 200, 500, 1000, 2000)]


def layered(layers: int, width: int = 10, seed: int = 0) -> Task:
    """A graph of layers; from each place lead three skills, with curves of their own."""
    rng = np.random.default_rng(seed)
    skills = []
    for layer in range(layers):
        sources = ["start"] if layer == 0 else [f"{layer - 1}.{i}" for i in range(width)]
        for source in sources:
            for i in rng.choice(width, size=3, replace=False):
                skills.append(
                    Skill(
                        f"{source} to {layer}.{i}",
                        {"place": source},
                        {"place": f"{layer}.{i}"},
                        competence=float(rng.uniform(0.05, 0.5)),
                        curve=PiecewiseLinear(
                            rate=float(rng.uniform(0.005, 0.04)),
                            ceiling=float(rng.uniform(0.7, 1.0)),
                        ),
                    )
                )
    places = ["start", *(f"{layer}.{i}" for layer in range(layers) for i in range(width))]
    goals = [
        Goal(f"goal {i}", float(rng.uniform(1, 4)), {"place": f"{layers - 1}.{i}"})
        for i in range(width)
    ]
    return Task(f"{layers} layers", {"place": places}, goals, skills)


if __name__ == "__main__":
    main()
