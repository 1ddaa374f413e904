"""The promises of every chart."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from deliberate_practice.charts.chart import Chart
from deliberate_practice.charts.registry import CHARTS
from deliberate_practice.charts.write import write_chart
from deliberate_practice.study.comparison import compare
from deliberate_practice.study.parallel import LocalEngine
from deliberate_practice.study.run_study import Finished
from deliberate_practice.testing.promise import promise


def check_chart(make: str | Callable[..., Chart | None]) -> None:
    """Check that a chart of an experiment can be made and written, reproducibly.

    Args:
        make: A registered name, or a function from a finished experiment to a chart.

    Raises:
        AssertionError: A promise is broken.
    """
    maker = CHARTS.resolve(make)
    chart = maker(finished_experiment())
    if chart is None:
        return  # nothing to show
    promise(isinstance(chart, Chart), f"it made {chart!r}; make a Chart, or None.")
    promise(chart.title and chart.text, "its title or text is empty; say what is shown.")
    with tempfile.TemporaryDirectory(prefix="deliberate-") as folder:
        endings = ("png", "pdf", "svg", "csv")
        for name in ("first", "again"):
            paths = [Path(folder) / f"{name}.{ending}" for ending in endings]
            write_chart(maker(finished_experiment()) or chart, *paths)
        for ending in endings:
            first, again = (Path(folder) / f"{name}.{ending}" for name in ("first", "again"))
            promise(
                first.read_bytes() == again.read_bytes(),
                f"made twice from the same results, it differs ({ending}).",
            )


@cache
def finished_experiment() -> Finished:
    """A small experiment: two strategies at two budgets, three seeds."""
    return compare(
        "breakfast",
        [6, 12],
        strategies=["deliberate", "random"],
        seeds=3,
        approach="free",
        every=3,
        engine=LocalEngine(1),
    )
