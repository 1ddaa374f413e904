"""Write a chart to a file; the suffix of its name decides the format."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from deliberate_practice.charts.chart import Chart
from deliberate_practice.charts.page import chart_page, plotly_js
from deliberate_practice.charts.print import draw, save
from deliberate_practice.charts.table import write_csv
from deliberate_practice.foundation.errors import ArgumentError

FORMATS = (".png", ".pdf", ".svg", ".csv", ".html")


def write_chart(chart: Chart, *paths: str | Path, titled: bool = True) -> None:
    """Write a chart as a picture, as its data, or as a page for a browser.

    Files hold no dates: the same chart gives the same bytes.

    Args:
        chart: The chart to write.
        paths: The files: ``.png``, ``.pdf``, ``.svg``, ``.csv`` (exactly the data drawn) or
            ``.html`` (one file that opens without a network; it needs the package ``plotly``).
        titled: Whether a picture shows the title; in print the caption holds it.

    Raises:
        ArgumentError: The format is not known, or the file cannot be written.
    """
    if not isinstance(chart, Chart):
        kind = type(chart).__name__
        raise ArgumentError(f"chart: {kind} is not a Chart; make one, e.g. by frontier_chart.")
    for path in paths:
        check_format(path)
    drawn = cache(lambda: draw(chart, titled=titled))  # once for all pictures
    for path in map(Path, paths):
        try:
            if path.suffix.lower() == ".csv":
                write_csv(chart, path)
            elif path.suffix.lower() == ".html":
                path.write_text(chart_page(chart), encoding="utf-8")
            else:
                save(drawn(), path, chart.title)
        except OSError as error:
            raise ArgumentError(f"chart: cannot write '{path}': {error.strerror}.") from error


def check_format(path: str | Path) -> None:
    """Refuse a format that cannot be written here, before any work is done for it."""
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        raise ArgumentError(
            f"chart: '{path}' has no known ending; use one of: {', '.join(FORMATS)}."
        )
    if ending == ".html":
        plotly_js()
