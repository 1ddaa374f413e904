"""Solve time against the number of states: plan search, SCIP and Gurobi."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deliberate_practice.charts.chart import Chart, Look, Panel, Series
from deliberate_practice.charts.palette import SOLVERS, STOPPED

NAMES = {"plans": "plan search", "scip": "SCIP", "gurobi": "Gurobi"}


def solving_chart(name: str, measured: Mapping[str, Any]) -> Chart:
    """CPU seconds against abstract states, both logarithmic.

    Args:
        name: Of the files.
        measured: What ``benchmarks/allocation.py --json`` wrote.
    """
    compared: Sequence[Mapping[str, Any]] = measured["compared"]
    grown = [one for one in measured["growth"] if one["task"].endswith("objects")]
    series = [_points(NAMES["plans"], SOLVERS["plans"], [*compared, *grown], "plans", "optimal")]
    for solver in ("scip", "gurobi"):
        series.append(_points(NAMES[solver], SOLVERS[solver], compared, solver, "optimal"))
        stopped = f"{NAMES[solver]}, not done at the limit"
        series.append(_points(stopped, STOPPED[solver], compared, solver, "feasible"))
    return Chart(
        "Solve time against states",
        f"CPU seconds to a proven optimum against abstract states. SCIP and Gurobi solve the "
        f"bilinear program with a limit of {measured['time_limit']:g} s. {_refused(compared)}",
        [Panel(_refused(compared, short=True), [one for one in series if one.x])],
        "abstract states",
        "CPU time [s]",
        name=name,
        logarithmic=True,
    )


def _points(
    name: str, colour: str, answers: Sequence[Mapping[str, Any]], solver: str, status: str
) -> Series:
    mine = [one for one in answers if (one["solver"], one["status"]) == (solver, status)]
    mine = sorted(mine, key=lambda one: (one["states"], one["seconds"]))
    states = [one["states"] for one in mine]
    return Series(name, states, [one["seconds"] for one in mine], "points", look=Look(colour))


def _refused(compared: Sequence[Mapping[str, Any]], *, short: bool = False) -> str:
    """Which solver could not try, and why."""
    refused = [one for one in compared if one["status"] == "refused"]
    missing = sorted({NAMES[one["solver"]] for one in compared if one["status"] == "missing"})
    words = []
    if refused:
        least = min(one["states"] for one in refused)
        if short:
            return f"Gurobi without a licence refuses from {least:,} states on"
        words.append(
            f"Without a licence of its own Gurobi is limited in size, and refused tasks from "
            f"{least:,} states on."
        )
    if missing and not short:
        words.append(f"Not installed: {', '.join(missing)}.")
    return " ".join(words)
