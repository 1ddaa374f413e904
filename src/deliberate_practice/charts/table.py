"""A chart as CSV, with exactly the data that is drawn."""

from __future__ import annotations

from pathlib import Path

from deliberate_practice.charts.chart import Chart
from deliberate_practice.foundation.spreadsheet import write_rows


def write_csv(chart: Chart, path: Path) -> None:
    """Write a row for each point, bar, cell and end of an interval."""
    rows: list[list[object]] = [["panel", "series", "x", "y", "low", "high", "base"]]
    for panel in chart.panels:
        title = panel.title or panel.y_label or panel.scale
        for series in panel.series:
            empty = [""] * len(series.x)
            ends = [pair or ("", "") for pair in series.ends] or [("", "")] * len(series.x)
            rows += [
                [title, series.name, x, y, *pair, base]
                for x, y, pair, base in zip(
                    series.x, series.y, ends, series.base or empty, strict=True
                )
            ]
    with path.open("w", newline="", encoding="utf-8") as file:
        write_rows(file, rows)
