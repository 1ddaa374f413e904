"""Plan search against global solvers of the paper's program, and how its cost grows.

    make benchmark                                  everything, about 5 minutes
    python benchmarks/allocation.py --time-limit 10  less patience with the other solvers

Everything is measured in one run, in CPU seconds, grounding apart; plan search is the median of
five. A solver that is not done at the time limit counts as that limit, and its gap is printed.
"""

from __future__ import annotations

import resource
from statistics import median

import click
import numpy as np
from rich.console import Console

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.allocation.program_solver import available
from deliberate_practice.allocation.result import Allocation
from deliberate_practice.cli.output import table
from deliberate_practice.domains.library import load_task
from deliberate_practice.errors import SolverUnavailable
from deliberate_practice.task.grounding import ground
from deliberate_practice.task.mdp import GroundTask
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Curve, Skill

CASES = [
    ("counterexample", 20),
    ("breakfast", 30),
    ("breakfast", 60),
    ("cleanup", 100),
    ("cleanup", 150),
    ("cleanup", 250),
    ("cleanup-multi", 400),
    ("cleanup-multi", 450),
    ("cleanup-multi", 500),
]


@click.command()
@click.option("--time-limit", default=60.0, help="Seconds for each run of another solver.")
def main(time_limit: float) -> None:
    """Print all tables."""
    console = Console()
    with console.status("growth with the task"):
        growth = grow_objects() + grow_skills() + grow_budget()
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
    console.print(table(columns, growth, numeric=range(1, 8)))
    found = frontier(ground(load_task("cleanup-multi")), 1000)
    console.print(f"whole frontier of cleanup-multi, budgets 0 to 1000: {found.seconds:.3f} s\n")
    rows = []
    for name, budget in CASES:
        with console.status(f"{name} {budget}"):
            rows += compare(name, budget, time_limit)
    console.print("Plan search against global solvers of the bilinear program", style="bold")
    columns = ["task", "budget", "solver", "value", "bound", "gap", "seconds", "ratio"]
    console.print(table(columns, rows, numeric=(1, 3, 4, 5, 6, 7)))


def compare(name: str, budget: int, time_limit: float) -> list[list[str]]:
    """One row per solver."""
    grounded = ground(load_task(name))
    plans, seconds = timed(grounded, budget)
    rows = [row(name, budget, "plans", plans, seconds, 1.0)]
    for solver in ("scip", "gurobi"):
        if not available(solver):
            rows.append([name, str(budget), solver, "not installed", "", "", "", ""])
            continue
        try:
            other = allocate(grounded, budget, solver=solver, time_limit=time_limit)
        except SolverUnavailable:
            rows.append([name, str(budget), solver, "refused by its licence", "", "", "", ""])
            continue
        taken = other.seconds if other.status == "optimal" else time_limit
        rows.append(row(name, budget, solver, other, taken, taken / seconds))
    return rows


def row(
    name: str, budget: int, solver: str, found: Allocation, seconds: float, ratio: float
) -> list[str]:
    """One solver's answer."""
    gap = "none" if found.gap is None else f"{found.gap:.1%}" if found.gap > 1e-6 else "0"
    return [
        name,
        str(budget),
        solver,
        f"{found.value:.6g}",
        f"{found.bound:.6g}",
        gap,
        f"{seconds:.4f}",
        f"{ratio:,.0f}",
    ]


def timed(grounded: GroundTask, budget: int) -> tuple[Allocation, float]:
    """Plan search, median of five."""
    runs = [allocate(grounded, budget, solver="plans") for _ in range(5)]
    return runs[0], median(run.seconds for run in runs)


def measured(name: str, task: Task, budget: int) -> list[str]:
    """One row of growth: sizes, times and the peak memory of this process so far."""
    first = allocate(task, budget, solver="plans")
    found, seconds = timed(ground(task), budget)
    return [
        name,
        str(len(task.skills)),
        f"{task.state_count:,}",
        f"{found.states.kept:,}",
        str(budget),
        f"{first.grounding_seconds:.3f}",
        f"{seconds:.4f}",
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}",
        found.status,
    ]


def grow_objects() -> list[list[str]]:
    """Cleanup-Multi with more objects, at the budget that masters the bottom drawer."""
    return [
        measured(f"{n} objects", load_task("cleanup-multi", objects=n), 100 + 100 * n)
        for n in (1, 2, 3, 4, 5, 6, 7, 8, 10)
    ]


def grow_skills() -> list[list[str]]:
    """Task graphs with many skills: every edge is a skill of its own, every path another plan."""
    return [measured(f"{layers} layers", layered(layers), 200) for layers in (3, 5, 10, 20, 40)]


def grow_budget() -> list[list[str]]:
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
                        curve=Curve(
                            "piecewise-linear",
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
