"""Write a study's report: one HTML file, and a folder with every figure as PDF, PNG and CSV."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

from deliberate_practice.charts.chart import Chart
from deliberate_practice.charts.page import plotly_js
from deliberate_practice.charts.write import write_chart
from deliberate_practice.foundation.command_line import command
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.spreadsheet import write_rows
from deliberate_practice.study.report.content import Progress, Table
from deliberate_practice.study.report.page import PRINTED, page
from deliberate_practice.study.report.sections import all_sections
from deliberate_practice.study.results import Results
from deliberate_practice.study.run_study import Finished, company

SOLVER_KEYS = {"compared", "growth", "time_limit", "frontier_seconds"}
"""The file that the benchmark of solvers writes."""
EPISODE_SECONDS = 60.0
"""Default length of an episode with its reset [s]."""


def write_report(
    folder: str | Path,
    *,
    episode_seconds: float = EPISODE_SECONDS,
    progress: Progress | None = None,
) -> Path:
    """Write ``report.html`` and the folder ``figures`` beside a study's results.

    Args:
        folder: Where ``results.sqlite`` is; ``solvers.json`` of the benchmark is used if it is
            there.
        episode_seconds: How long an episode takes, for what another hour buys [s].
        progress: Called after every frontier, experiment and figure.

    Returns:
        The report.

    Raises:
        ArgumentError: There are no results, or no package ``plotly``.
    """
    if not 1 <= episode_seconds <= 3600:
        raise ArgumentError(
            f"episode-seconds: {episode_seconds:g} is not valid; give a number from 1 to 3600."
        )
    plotly_js()  # first, as it may refuse
    folder = Path(folder)
    studies, finished = _read(folder)
    sections = all_sections(finished, _solvers(folder), episode_seconds, progress)
    text = page(f"Study {' and '.join(studies)}", sections)
    figures = folder / "figures"
    figures.mkdir(exist_ok=True)
    parts = [part for section in sections for part in section.parts]
    for number, part in enumerate(parts, 1):
        if isinstance(part, Chart):
            paths = [figures / f"{part.name}.{ending}" for ending in PRINTED]
            write_chart(part, *paths, titled=False)
        else:
            _save_table(part, figures)
        if progress:
            progress("figures", number, len(parts))
    report = folder / "report.html"
    report.write_text(text, encoding="utf-8")
    return report


def _read(folder: Path) -> tuple[list[str], list[Finished]]:
    """Names of the studies, and what is finished of each experiment."""
    path = folder / "results.sqlite"
    if not path.is_file():
        raise ArgumentError(
            f"report: there is no {path}; first run: "
            + command("compare", "STUDY.toml", "--out", folder)
        )
    with closing(Results(path)) as results:
        experiments = results.experiments()
        finished = [
            Finished(
                one, tuple(results.known(one).values()), results.failures(one), company(experiments)
            )
            for one in experiments
        ]
    if not any(one.sessions for one in finished):
        raise ArgumentError(f"report: no session in {path} is finished yet; let the study go on.")
    return list(dict.fromkeys(one.study for one in experiments)), finished


def _solvers(folder: Path) -> dict[str, Any] | None:
    path = folder / "solvers.json"
    if not path.is_file():
        return None
    again = "measure it anew: python benchmarks/allocation.py --families paper --json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ArgumentError(f"report: {path} is not JSON ({error}); {again} {path}") from None
    if not isinstance(data, dict) or not data.keys() >= SOLVER_KEYS:
        raise ArgumentError(f"report: {path} is not what the benchmark writes; {again} {path}")
    return data


def _save_table(table: Table, folder: Path) -> None:
    with (folder / f"{table.name}.csv").open("w", newline="", encoding="utf-8") as file:
        write_rows(file, [table.columns, *table.rows])
