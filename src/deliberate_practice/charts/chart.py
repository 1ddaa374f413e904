"""A chart as data; print, browser and CSV all show the same data."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from deliberate_practice.foundation.errors import ArgumentError, choose_from, shown

Kind = Literal["line", "points", "bar", "heat"]
Place = float | str
Limits = tuple[float, float | None]

MARKERS = {
    "": "None",
    "circle": "o",
    "square": "s",
    "triangle-up": "^",
    "diamond": "D",
    "triangle-down": "v",
    "x": "x",
    "cross": "P",
    "triangle-left": "<",
    "triangle-right": ">",
    "pentagon": "p",
    "hexagon": "h",
    "star": "*",
}
"""Matplotlib's names of shapes, by plotly's names."""


@dataclass(frozen=True)
class Look:
    """The appearance of a series, distinct from others even where they overlap.

    Args:
        colour: As ``#rrggbb``.
        dash: Lengths of dashes and gaps, in line widths; solid if empty.
        marker: The shape at each point, by plotly's name; only a line if empty.
    """

    colour: str = "#000000"
    dash: tuple[float, ...] = ()
    marker: str = ""

    def __post_init__(self) -> None:
        """Refuse colours and shapes that cannot be drawn."""
        if not re.fullmatch("#[0-9A-Fa-f]{6}", self.colour):
            raise ArgumentError(
                f"look: {shown(self.colour)} is not a colour; write it as '#0072B2'."
            )
        if self.marker not in MARKERS:
            raise ArgumentError("look: marker " + choose_from(self.marker, filter(None, MARKERS)))


@dataclass(frozen=True)
class Series:
    """Values under one name.

    Args:
        name: Its entry in the legend; in a heat map, the label at the left of the row.
        x: Numbers or categories; in a heat map, numbers.
        y: Values; in a horizontal chart still the values, drawn to the right.
        kind: A line, points, bars that stand on ``base``, or one row of a heat map.
        ends: Ends of the band around a line, or of the intervals of points, if any.
        base: Where bars begin; 0 by default.
        look: Colour, dashes and shape.
        quiet: Whether to leave it out of the legend.

    Raises:
        ArgumentError: Lengths differ, or a value is not a finite number.
    """

    name: str
    x: Sequence[Place]
    y: Sequence[float]
    kind: Kind = "line"
    ends: Sequence[tuple[float, float] | None] = ()
    base: Sequence[float] | None = None
    look: Look = field(default_factory=Look)
    quiet: bool = False

    def __post_init__(self) -> None:
        """Store plain numbers, even if numpy's were given."""
        if self.kind not in get_args(Kind):
            raise ArgumentError(
                f"series '{self.name}': kind " + choose_from(self.kind, get_args(Kind))
            )
        words = self.kind != "heat"
        places = [x if words and isinstance(x, str) else self._number(x) for x in self.x]
        ends = [e if e is None else (self._number(e[0]), self._number(e[1])) for e in self.ends]
        base = None if self.base is None else tuple(map(self._number, self.base))
        values = tuple(map(self._number, self.y))
        for name, given in (("y", values), ("ends", ends), ("base", base)):
            if len(given or ()) != len(places) and (given or name == "y"):
                raise ArgumentError(
                    f"series '{self.name}': {name} has {len(given or ())} values for "
                    f"{len(places)} places; give one for each."
                )
        plain = {"x": tuple(places), "y": values, "ends": tuple(ends), "base": base}
        for name, kept in plain.items():
            object.__setattr__(self, name, kept)

    def _number(self, value: object) -> float:
        number: object = value.item() if hasattr(value, "item") else value
        if not isinstance(number, (int, float)) or not math.isfinite(number):
            raise ArgumentError(
                f"series '{self.name}': {shown(number)} is not a finite number; leave it out."
            )
        return number


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    Args:
        title: Its title.
        series: Its series; the rows of a heat map cannot be mixed with others.
        lines: Positions on the horizontal axis of thin lines, each with a label.
        words: Categories in the order shown; by default the order in which they occur.
        ticks: Positions of the numbers on the horizontal axis; chosen automatically by default.
        y_label: Name of its own vertical axis. If one panel of a chart has such a name, the panels
            share their horizontal axis instead of the vertical one.
        limits: Smallest and largest value of its own vertical axis; those of the chart by default.
        height: Height as a part of the usual one.
        scale: Meaning of the shades of a heat map.
    """

    title: str
    series: Sequence[Series]
    lines: Sequence[tuple[float, str]] = ()
    words: Sequence[str] = ()
    ticks: Sequence[int] = ()
    y_label: str = ""
    limits: Limits | None = None
    height: float = 1.0
    scale: str = ""

    def __post_init__(self) -> None:
        """Refuse other series beside the rows of a heat map."""
        kinds = dict.fromkeys(series.kind for series in self.series)
        if "heat" in kinds and len(kinds) > 1:
            raise ArgumentError(
                f"panel '{self.title}': a heat map cannot share it with: "
                f"{', '.join(kind for kind in kinds if kind != 'heat')}; use a panel for each."
            )


@dataclass(frozen=True)
class Chart:
    """Panels beside and below each other that share their axes.

    Args:
        title: Its title.
        text: A description with the main message: for a caption, and for readers who cannot see it.
        panels: In reading order.
        x_label, y_label: Names of the axes, with units.
        columns: Panels in a row.
        name: Name of its file without the suffix, if the chart is one of several.
        horizontal: Whether categories are listed downwards and values extend to the right.
        logarithmic: Whether both axes are logarithmic.
        limits: Smallest and largest value shown, if given; smaller values in the data are shown
            too.
        ticks: Positions of the numbers on the vertical axis; chosen automatically by default.
    """

    title: str
    text: str
    panels: Sequence[Panel]
    x_label: str = ""
    y_label: str = ""
    columns: int = 1
    name: str = ""
    horizontal: bool = False
    logarithmic: bool = False
    limits: Limits | None = None
    ticks: Sequence[int] = ()

    def __post_init__(self) -> None:
        """Refuse a chart without panels or columns."""
        if not self.panels or self.columns < 1:
            raise ArgumentError(
                f"chart '{self.title}': {len(self.panels)} panels in rows of {self.columns} cannot "
                "be drawn; give at least one of each."
            )

    @property
    def stacked(self) -> bool:
        """Whether panels share their horizontal axis and each has its own vertical one."""
        return any(panel.y_label for panel in self.panels)


@dataclass(frozen=True)
class HeatTable:
    """The rows of a heat map on one grid, with None where a row has no value."""

    rows: Sequence[str]
    columns: Sequence[float]
    values: Sequence[Sequence[float | None]]


def heat_table(panel: Panel) -> HeatTable | None:
    """The heat map of a panel, if it has one."""
    if not panel.series or panel.series[0].kind != "heat":
        return None
    known = [{float(x): y for x, y in zip(s.x, s.y, strict=True)} for s in panel.series]
    columns = sorted({x for row in known for x in row})
    values = [[row.get(x) for x in columns] for row in known]
    return HeatTable([series.name for series in panel.series], columns, values)


def categories(panel: Panel) -> list[str]:
    """The categories on the axis of a panel, in order; none if the axis has numbers."""
    found = (x for series in panel.series for x in series.x if isinstance(x, str))
    return list(dict.fromkeys((*panel.words, *found)))


def drawing_order(panel: Panel) -> list[Series]:
    """Series with solid lines first, so that they show through the gaps of dashed ones."""
    return sorted(panel.series, key=lambda s: s.kind == "line" and bool(s.look.dash))


def crowded(panel: Panel) -> bool:
    """Whether several series have points in the same category, to be drawn side by side."""
    words = [x for s in panel.series if s.kind == "points" for x in s.x if isinstance(x, str)]
    return len(words) > len(set(words))


def value_limits(chart: Chart, panel: Panel) -> Limits | None:
    """The limits of a panel, widened for values below them: rewards may be negative."""
    limits = panel.limits or chart.limits
    if limits is None or heat_table(panel):
        return None
    low, high = limits
    together = [panel] if chart.stacked else chart.panels
    series = [one for other in together for one in other.series]
    ends = [pair[0] for one in series for pair in one.ends if pair]
    return min((low, *(y for one in series for y in one.y), *ends)), high
