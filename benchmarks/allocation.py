"""Certified allocation against global solvers of the paper's program, and how its cost grows.

    make benchmark                                       a reduced set of everything, 5 minutes
    python benchmarks/allocation.py --full --json FILE    everything, hours, also as data
    python benchmarks/allocation.py --families starts,random --seeds 1 --scip-seconds 0
    python benchmarks/allocation.py --families growth --full   general tasks of 100,000 states

Everything is measured in one run, in CPU seconds, grounding apart. ``paper`` is the paper's class
of tasks, on which plan search (the median of five) is compared with SCIP and Gurobi; the other
families are general tasks (general_tasks.py), on which ``auto`` is compared with SCIP; ``growth``
has larger and larger ones (growth.py). A solver that is not done at its limit counts as that limit,
and its gap is printed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median

import click
from general_tasks import FAMILIES
from growth import general_growth, plan_growth
from rich.console import Console
from solved import Case, Solved, by_auto, by_plans, by_program

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.cli.output import table
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice.domain import load_task

PAPER: list[tuple[str, dict[str, int], int]] = [
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
QUICK = [PAPER[2], PAPER[4], PAPER[6], PAPER[9]]
NAMES = ("paper", *FAMILIES, "growth")
SIZES = (2, 3)
"""Sizes of general growth in the reduced set and in the full one."""

SECONDS, SCIP_SECONDS = (5.0, 30.0), (5.0, 60.0)
"""Time limits of ``auto`` and of SCIP in the reduced set and in the full one [s]."""


@click.command()
@click.option("--families", default=",".join(NAMES), show_default=True, help="Some of these.")
@click.option("--seeds", type=int, help="Seeds of each family; 1, with --full 3.")
@click.option("--full", is_flag=True, help="All tasks of each family, with longer limits.")
@click.option("--quick", is_flag=True, help="Four tasks of the paper's class, and less growth.")
@click.option("--seconds", type=float, help="Time limit of auto; 5, with --full 30.")
@click.option(
    "--scip-seconds",
    type=float,
    help="Time limit of SCIP (and Gurobi); 5, with --full 60; 0 leaves them out.",
)
@click.option("--json", "file", type=Path, help="Also write everything that was measured here.")
def main(
    families: str,
    seeds: int | None,
    full: bool,
    quick: bool,
    seconds: float | None,
    scip_seconds: float | None,
    file: Path | None,
) -> None:
    """Print all tables."""
    chosen = [name for name in families.split(",") if name]
    for name in chosen:
        if name not in NAMES:
            raise click.BadParameter(f"families: '{name}' is none of {', '.join(NAMES)}.")
    seeds = seeds or (3 if full else 1)
    seconds = SECONDS[full] if seconds is None else seconds
    scip_seconds = SCIP_SECONDS[full] if scip_seconds is None else scip_seconds
    console = Console(width=140)
    growth: list[Solved] = []
    larger: list[Solved] = []
    compared: list[Solved] = []
    if "growth" in chosen:  # first, as memory of this process counts for those that it starts
        rows = general_growth(SIZES[full], seconds)
        larger = _grown(console, f"Growth of general tasks, limit {seconds:g} s", rows)
    whole = frontier(ground(load_task("cleanup-multi")), 1000).seconds
    if "paper" in chosen:
        growth = _grown(console, "Growth of plan search", plan_growth(quick=quick))
        console.print(f"whole frontier of cleanup-multi, budgets 0 to 1000: {whole:.3f} s")
        compared = _paper(console, quick, scip_seconds)
    general = {
        name: _family(console, name, seeds, full, seconds, scip_seconds)
        for name in chosen
        if name in FAMILIES
    }
    if general:
        _print_summaries(console, general, scip_seconds)
    if file:
        data = {
            "time_limit": scip_seconds,
            "frontier_seconds": whole,
            "growth": [asdict(row) for row in growth],
            "compared": [asdict(row) for row in compared],
            "seconds": seconds,
            "general_growth": [asdict(row) for row in larger],
            "general": {name: [asdict(row) for row in rows] for name, rows in general.items()},
        }
        file.write_text(json.dumps(data, indent=1), encoding="utf-8")


def _grown(console: Console, title: str, rows: Iterable[Solved]) -> list[Solved]:
    """Print a table of growth."""
    grown = []
    with console.status(title) as status:
        for row in rows:
            grown.append(row)
            status.update(f"{title}: {row.task}")
    columns = ["task", "skills", "states", "kept", "budget", "solver"]
    columns += ["grounding s", "CPU s", "wall s", "MB", "value", "gap"]
    lines = [
        [
            row.task,
            f"{row.skills:,}",
            f"{row.states:,}",
            f"{row.kept:,}",
            str(row.budget),
            row.solver,
            f"{row.grounding:.3f}",
            f"{row.seconds:.4f}",
            "" if row.wall is None else f"{row.wall:.1f}",
            f"{row.peak:.0f}",
            f"{row.value:.6g}",
            _gap(row),
        ]
        for row in grown
    ]
    console.print(f"\n{title}", style="bold")
    console.print(table(columns, lines, numeric=(1, 2, 3, 4, *range(6, 12))))
    return grown


def _paper(console: Console, quick: bool, limit: float) -> list[Solved]:
    """Compare plan search with the solvers of the program on the paper's class of tasks."""
    rows: list[Solved] = []
    lines: list[list[str]] = []
    for name, parameters, budget in QUICK if quick else PAPER:
        shown = " ".join([name, *(f"{key}={value}" for key, value in parameters.items())])
        case = Case(shown, ground(load_task(name, **parameters)), budget)
        with console.status(f"{shown}, budget {budget}"):
            plans = by_plans(case)
            answers = [plans]
            if limit:
                answers += [by_program(case, solver, limit) for solver in ("scip", "gurobi")]
        rows += answers
        for row in answers:
            ratio = "" if not row.seconds else f"{row.seconds / (plans.seconds or 1):,.0f}"
            lines.append([row.task, str(row.budget), row.solver, *_shown(row), ratio])
    console.print("\nPlan search against global solvers of the bilinear program", style="bold")
    columns = ["task", "budget", "solver", "value", "bound", "gap", "CPU s", "ratio"]
    console.print(table(columns, lines, numeric=(1, 3, 4, 5, 6, 7)))
    return rows


def _family(
    console: Console, name: str, seeds: int, full: bool, limit: float, scip_limit: float
) -> list[Solved]:
    """Answers of ``auto`` and SCIP to the tasks of a family, printed as they come."""
    allocate(load_task("counterexample"), 5, solver="local")  # loads modules
    family = FAMILIES[name]
    console.print(f"\n{family.title} ({name})", style="bold")
    rows: list[Solved] = []
    for case in family.cases(seeds, full):
        answers = [by_auto(case, limit)]
        if scip_limit:
            answers.append(by_program(case, "scip", scip_limit))
        rows += answers
        for row in answers:
            value, bound, gap, taken = _shown(row)
            console.print(
                f"{row.task:30} {row.kept:6,} states, budget {row.budget:3} {row.solver:13} "
                f"value {value:>10} bound {bound:>10} gap {gap:>9} {taken:>8} s",
                highlight=False,
            )
    return rows


def _print_summaries(console: Console, general: dict[str, list[Solved]], scip_limit: float) -> None:
    """One line for each part of a family, and for the whole of it, by solver."""
    lines = []
    for name, rows in general.items():
        groups = list(dict.fromkeys(row.group for row in rows))
        for group in [*groups, "all"] if len(groups) > 1 else groups:
            part = [row for row in rows if group in (row.group, "all")]
            scip = [row for row in part if row.solver == "scip"]
            ours = [row for row in part if row.solver != "scip"]
            lines.append([name, group, f"{ours[0].target:.1%}" if ours[0].target > 1e-4 else "0"])
            lines[-1] += [*_summary(ours), *(_summary(scip) if scip else [""] * 4)]
    console.print("\nSummary: closed, largest gap, median and longest CPU seconds", style="bold")
    columns = ["family", "part", "target"]
    columns += ["closed", "gap", "median", "longest"]
    columns += ["SCIP closed", "gap", "median", "longest"]
    console.print(table(columns, lines, numeric=range(2, 11)))
    if scip_limit:
        console.print(f"SCIP was stopped after {scip_limit:g} s.", highlight=False)


def _summary(rows: Sequence[Solved]) -> list[str]:
    gaps = [row.gap for row in rows if row.gap is not None]
    times = [row.seconds for row in rows if row.seconds is not None]
    closed = f"{sum(row.closed for row in rows)} of {len(rows)}"
    if not times:
        return [closed, "none", "", ""]
    largest = "none" if len(gaps) < len(rows) else f"{max(gaps):.3%}"
    return [closed, largest, f"{median(times):.2f}", f"{max(times):.2f}"]


def _shown(row: Solved) -> list[str]:
    """Value, bound, gap and seconds."""
    words = {"missing": "not installed", "refused": "refused"}
    if row.value is None or row.seconds is None:
        return [words[row.status], "", "", ""]
    bound = "none" if row.bound is None else f"{row.bound:.6g}"
    return [f"{row.value:.6g}", bound, _gap(row), f"{row.seconds:.3f}"]


def _gap(row: Solved) -> str:
    if row.gap is None:
        return "none"
    return f"{row.gap:.3%}" if row.gap > 1e-6 else "0"


if __name__ == "__main__":
    main()
