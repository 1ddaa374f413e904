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
    mine = sorted(
        (one["states"], one["seconds"])
        for one in answers
        if (one["solver"], one["status"]) == (solver, status)
    )
    states, seconds = [one[0] for one in mine], [one[1] for one in mine]
    return Series(name, states, seconds, "points", look=Look(colour))


def _refused(compared: Sequence[Mapping[str, Any]], *, short: bool = False) -> str:
    """Which solver could not try, and why."""
    refused = [one["states"] for one in compared if one["status"] == "refused"]
    missing = sorted({NAMES[one["solver"]] for one in compared if one["status"] == "missing"})
    if short:
        text = "Gurobi without a licence refuses from {:,} states on"
        return text.format(min(refused)) if refused else ""
    words = []
    if refused:
        words.append(
            "Without a licence of its own Gurobi is limited in size, and refused tasks from "
            f"{min(refused):,} states on."
        )
    if missing:
        words.append(f"Not installed: {', '.join(missing)}.")
    return " ".join(words)
