"""A chart as data: what is drawn for print, in a browser, and written as CSV is the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from deliberate_practice.foundation.spreadsheet import write_rows

Kind = Literal["line", "points", "bar"]
Place = float | str


@dataclass(frozen=True)
class Look:
    """How something is drawn, so that it can be told from others also where they coincide.

    Args:
        colour: As ``#rrggbb``.
        dash: Lengths of dashes and of the gaps between them, in widths of the line; none: solid.
        marker: The shape at each point, by plotly's name; none: only a line.
    """

    colour: str = "#000000"
    dash: tuple[float, ...] = ()
    marker: str = ""


@dataclass(frozen=True)
class Series:
    """Some values under one name.

    Args:
        name: What the legend says.
        x: Numbers, or categories.
        y: Values; in a horizontal chart still the values, drawn to the right.
        kind: A line, points, or bars that stand on ``base``.
        ends: Of a band around a line, or of the intervals of points, where there are any.
        base: Where bars begin; 0 by default.
        look: Colour, dashes and shape.
        quiet: Whether the legend leaves it out.
    """

    name: str
    x: Sequence[Place]
    y: Sequence[float]
    kind: Kind = "line"
    ends: Sequence[tuple[float, float] | None] = ()
    base: Sequence[float] | None = None
    look: Look = field(default_factory=Look)
    quiet: bool = False


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    Args:
        title: What it shows.
        series: What is in it.
        lines: Places on the horizontal axis with a thin line and a word.
        words: Categories in the order in which they are shown; as they come by default.
        ticks: Where the horizontal axis has numbers; anywhere by default.
    """

    title: str
    series: Sequence[Series]
    lines: Sequence[tuple[float, str]] = ()
    words: Sequence[str] = ()
    ticks: Sequence[int] = ()


@dataclass(frozen=True)
class Chart:
    """Panels beside and below each other that share their axes.

    Args:
        name: A file's name, without its ending.
        title: What is shown.
        text: The same in words, with what matters in it: for a caption, and for who cannot see.
        panels: In reading order.
        columns: Panels in a row.
        x_label, y_label: Names of the axes, with units.
        horizontal: Whether categories are below each other and values go to the right.
        logarithmic: Whether both axes are.
        limits: Smallest and largest value that is shown, if they are given; smaller ones that
            occur are shown too.
        ticks: Where the vertical axis has numbers; anywhere by default.
    """

    name: str
    title: str
    text: str
    panels: Sequence[Panel]
    columns: int
    x_label: str
    y_label: str
    horizontal: bool = False
    logarithmic: bool = False
    limits: tuple[float, float | None] | None = None
    ticks: Sequence[int] = ()


def grid(cells: Iterable[tuple[str, int]]) -> list[tuple[str, str, int]]:
    """Title, belief and budget of a panel for each: a row for every belief, a column per budget.

    Args:
        cells: Pairs (belief, budget) that occur, in any number.
    """
    pairs = list(cells)
    beliefs = list(dict.fromkeys(belief for belief, _ in pairs))
    budgets = sorted({budget for _, budget in pairs})
    return [
        (f"budget {budget}" + (f", {belief}" if len(beliefs) > 1 else ""), belief, budget)
        for belief in beliefs
        for budget in budgets
    ]


def categories(panel: Panel) -> list[str]:
    """The words on the axis of a panel, in order; none if it has numbers."""
    found = (x for series in panel.series for x in series.x if isinstance(x, str))
    return list(dict.fromkeys((*panel.words, *found)))


def drawing_order(panel: Panel) -> list[Series]:
    """Solid lines below dashed ones, through whose gaps they are seen where both coincide."""
    return sorted(panel.series, key=lambda s: s.kind == "line" and bool(s.look.dash))


def crowded(panel: Panel) -> bool:
    """Whether several series have points at the same word, which are then drawn side by side."""
    words = [x for s in panel.series if s.kind == "points" for x in s.x if isinstance(x, str)]
    return len(words) > len(set(words))


def value_limits(chart: Chart) -> tuple[float, float | None] | None:
    """The limits of a chart, wide enough for values below them: rewards may be negative."""
    if chart.limits is None:
        return None
    low, high = chart.limits
    for panel in chart.panels:
        for series in panel.series:
            low = min((low, *series.y, *(ends[0] for ends in series.ends if ends)))
    return low, high


def write_csv(chart: Chart, path: Path) -> None:
    """Exactly what is drawn: a row for each point, bar and end of an interval."""
    rows: list[list[object]] = [["panel", "series", "x", "y", "low", "high", "base"]]
    for panel in chart.panels:
        for series in panel.series:
            empty = [""] * len(series.x)
            ends = [pair or ("", "") for pair in series.ends] or [("", "")] * len(series.x)
            for x, y, pair, base in zip(
                series.x, series.y, ends, series.base or empty, strict=True
            ):
                rows.append([panel.title, series.name, x, y, *pair, base])
    with path.open("w", newline="", encoding="utf-8") as file:
        write_rows(file, rows)
