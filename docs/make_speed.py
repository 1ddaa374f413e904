"""Write the section "How fast" of README.md from studies/measured/solvers.json.

A test compares the two. On a quiet machine, in the folder of the sources, measure anew with
``make speed``: about 8 minutes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
MEASURED = ROOT / "studies" / "measured" / "solvers.json"
COMPARED = {("breakfast", 60): "Breakfast", ("cleanup", 150): "Cleanup"}
COMPARED |= {("cleanup-multi", 400): "Cleanup-Multi"}
"""Tasks and budgets of the table on which all solvers were tried."""
GROWN = ("8 objects", "10 objects")
"""Larger ones, for plan search alone."""
STATES = "4 objects"
"""The paper's largest task, in the table of growth."""
SECTION = re.compile(r"(?<=^## How fast\n\n).*?(?=^## )", re.MULTILINE | re.DOTALL)

Row = Mapping[str, Any]


def readme() -> str:
    """The README with the section as it was measured last."""
    measured = json.loads(MEASURED.read_text(encoding="utf-8"))
    return SECTION.sub(lambda _: section(measured), README.read_text(encoding="utf-8"))


def section(measured: Mapping[str, Any]) -> str:
    """The text of the section.

    Args:
        measured: The file that ``benchmarks/allocation.py --json`` writes.
    """
    limit = f"{measured['time_limit']:g}"
    grown = {row["task"]: row for row in measured["growth"] if row["budget"] >= 500}
    largest, paper = grown[GROWN[-1]], grown[STATES]
    rows = [_compared(measured, *place, name) for place, name in COMPARED.items()]
    rows += [_grown(grown[name]) for name in GROWN]
    return f"""CPU seconds of one run of `python benchmarks/allocation.py --families paper --scip-seconds {limit}` on two shared cores. SCIP and Gurobi solve the paper's bilinear program, with a limit of {limit} s.

| task, budget | states | plan search | SCIP 10 | Gurobi 13 |
|---|---|---|---|---|
{chr(10).join(rows)}

Grounding takes another {_number(paper["grounding"])} s for {paper["states"]:,} states, and {_number(largest["grounding"])} s and {largest["peak"]:.0f} MB for {round(largest["states"] / 1e6)} million. The whole frontier of Cleanup-Multi up to 1,000 episodes takes {_number(measured["frontier_seconds"])} s.
Tasks whose failures can be recovered [take longer](docs/plan-form.md#what-it-does-on-cleanup-multi): often a second, sometimes half a minute. Sometimes a gap is left.

"""  # noqa: E501 - lines of the README


def _compared(measured: Mapping[str, Any], task: str, budget: int, name: str) -> str:
    """A row with all solvers."""
    solved = {
        row["solver"]: row
        for row in measured["compared"]
        if row["budget"] == budget and re.match(rf"{task}\b(?!-)", row["task"])
    }
    plans = solved["plans"]
    cells = [_time(solved[solver]) for solver in ("plans", "scip", "gurobi")]
    return f"| {name}, {budget} | {plans['states']:,} | {' | '.join(cells)} |"


def _grown(row: Row) -> str:
    """A row with plan search alone."""
    name = f"Cleanup-Multi with {row['task']}, {row['budget']}"
    return f"| {name} | {row['states']:,} | {_time(row)} | | |"


def _time(row: Row) -> str:
    """How long it took, or why there is no proven answer."""
    if row["status"] == "optimal":
        return _number(row["seconds"])
    if row["status"] == "feasible":
        return "not done" + ("" if row["gap"] is None else f", gap {100 * row['gap']:.0f} %")
    return {"refused": "refused by the bundled licence"}.get(row["status"], "not installed")


def _number(seconds: float) -> str:
    """Two digits, and nothing below a millisecond."""
    return f"{float(f'{max(seconds, 0.001):.2g}'):g}"


if __name__ == "__main__":
    README.write_text(readme(), encoding="utf-8")
