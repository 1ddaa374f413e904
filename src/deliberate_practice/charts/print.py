"""Draw a chart with matplotlib, for print: PNG, PDF and SVG."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deliberate_practice.charts.chart import (
    MARKERS,
    Chart,
    HeatTable,
    Panel,
    Series,
    categories,
    crowded,
    drawing_order,
    heat_table,
    value_limits,
)
from deliberate_practice.charts.markup import text_in_figure
from deliberate_practice.charts.palette import GREY, SCALE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN, PAGE = 3.4, 7.0
"""Widths of one column and of a page of a paper [inch]."""
SIDE_BY_SIDE = 0.5
"""The part of a category's width that points side by side take."""
HANDLE = 3.2
"""Length of a line's sample in a legend, enough to distinguish dashes [letters]."""
TITLE_LETTER = 0.085
"""Width of a letter in a title [inch]."""
LETTER, BESIDE = 0.056, 0.6
"""Width of a letter in a legend, and of the sample beside a name [inch]."""
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so figures look the same everywhere
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.4,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "pdf.fonttype": 42,  # text stays text
    "figure.dpi": 100,
    "svg.hashsalt": "deliberate practice",  # otherwise the identifiers inside are random
}
NO_DATE: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None},
    ".svg": {"Date": None},
}
"""Fixed metadata of files, so that the same chart gives the same bytes."""
RESOLUTION = 200
"""Resolution of a PNG, and of a heat map in any format [dots per inch]."""


def save(figure: Figure, path: Path, title: str) -> None:
    """Write a figure as PNG, PDF or SVG."""
    import matplotlib as mpl  # slow to import

    with mpl.rc_context(STYLE):
        metadata = {"Title": title, **NO_DATE[path.suffix.lower()]}
        figure.savefig(path, dpi=RESOLUTION, metadata=metadata)
        figure.set_layout_engine("none")  # further formats keep the layout, which takes time


def draw(chart: Chart, *, titled: bool = False) -> Figure:
    """The chart as a figure, with or without its title: in print the caption holds it."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        heights = [panel.height for panel in chart.panels[:: chart.columns]]
        figure = Figure(figsize=_size(chart, sum(heights)), layout="constrained")
        grid = figure.subplots(
            len(heights),
            chart.columns,
            squeeze=False,
            height_ratios=heights,
            **_sharing(chart),
        ).ravel()
        for axes in grid[len(chart.panels) :]:
            axes.set_visible(False)
        for number, (axes, panel) in enumerate(zip(grid, chart.panels, strict=False)):
            heat = heat_table(panel)
            if heat:
                _draw_heat(figure, axes, panel, heat)
            else:
                _draw_panel(chart, axes, panel)
            last_row = number + chart.columns >= len(chart.panels)
            axes.set_title(text_in_figure(panel.title))
            if last_row:
                label = chart.y_label if chart.horizontal else chart.x_label
                axes.set_xlabel(text_in_figure(label))
            if number % chart.columns == 0 or chart.stacked:
                label = chart.x_label if chart.horizontal else panel.y_label or chart.y_label
                axes.set_ylabel(text_in_figure(label))
        # Limits are set after everything is drawn: all panels share the largest value.
        for axes, panel in zip(grid, chart.panels, strict=False):
            limits = value_limits(chart, panel)
            if limits:
                (axes.set_xlim if chart.horizontal else axes.set_ylim)(*limits)
        _legend(figure, grid[: len(chart.panels)])
        if titled:
            lines = textwrap.wrap(chart.title, int(figure.get_figwidth() / TITLE_LETTER))
            figure.suptitle("\n".join(map(text_in_figure, lines)))
        return figure


def _size(chart: Chart, rows: float) -> tuple[float, float]:
    wide = chart.columns > 1 or chart.horizontal or chart.stacked
    most = max((len(categories(panel)) for panel in chart.panels), default=0)
    height = 0.7 + 0.2 * most if chart.horizontal else 2.0 if chart.columns > 1 else 2.4
    if not chart.horizontal and most:
        height += 0.6  # room for vertical labels
    return PAGE if wide else COLUMN, rows * height + 0.7


def _sharing(chart: Chart) -> dict[str, Any]:
    if chart.horizontal:
        return {"sharex": True, "sharey": "row"}
    return {"sharex": "col"} if chart.stacked else {"sharey": True}


def _draw_heat(figure: Figure, axes: Axes, panel: Panel, heat: HeatTable) -> None:
    """A row of shades for each category, with the scale at the right."""
    from matplotlib.colors import LinearSegmentedColormap

    shades = axes.pcolormesh(
        _borders(heat.columns),
        [row - 0.5 for row in range(len(heat.rows) + 1)],
        [[math.nan if value is None else value for value in row] for row in heat.values],
        cmap=LinearSegmentedColormap.from_list("shades", SCALE),
        rasterized=True,
    )
    figure.colorbar(shades, ax=axes, label=text_in_figure(panel.scale), pad=0.01)
    axes.set_yticks(range(len(heat.rows)), [text_in_figure(word) for word in heat.rows])
    axes.set_ylim(len(heat.rows) - 0.5, -0.5)
    axes.spines[["top", "right"]].set_visible(True)
    if panel.ticks:
        axes.set_xticks(panel.ticks)


def _borders(places: Sequence[float]) -> list[float]:
    """The borders between the columns of a heat map: halfway between two places."""
    middles = [(a + b) / 2 for a, b in itertools.pairwise(places)]
    first, last = places[0], places[-1]
    half = [middles[0] - first, last - middles[-1]] if middles else [0.5, 0.5]
    return [first - half[0], *middles, last + half[1]]


def _draw_panel(chart: Chart, axes: Axes, panel: Panel) -> None:
    words = categories(panel)
    step = SIDE_BY_SIDE / len(panel.series) if crowded(panel) else 0.0
    for number, series in enumerate(drawing_order(panel)):
        aside = step * (number - (len(panel.series) - 1) / 2)
        places = [words.index(x) + aside if isinstance(x, str) else x for x in series.x]
        if not places:
            continue  # not finished yet
        if series.kind == "bar":
            _draw_bars(chart, axes, series, places)
        elif series.kind == "points":
            _draw_points(chart, axes, series, places)
        else:
            _draw_line(axes, series, places)
    for place, word in panel.lines:
        _draw_thin_line(axes, place, word)
    if words and chart.horizontal:
        axes.set_yticks(range(len(words)), [text_in_figure(word) for word in words])
        axes.set_ylim(len(words) - 0.5, -0.5)
    elif words:
        axes.set_xticks(
            range(len(words)), [text_in_figure(word) for word in words], rotation=40, ha="right"
        )
        axes.set_xlim(-0.6, len(words) - 0.4)  # even if the panel is still empty
    if chart.logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
    if not words and not chart.logarithmic:
        axes.margins(x=0.02)
    if panel.ticks:
        axes.set_xticks(panel.ticks)
    if chart.ticks:
        axes.set_yticks(chart.ticks)


def _draw_thin_line(axes: Axes, place: float, word: str) -> None:
    """A line with its label at the left, or at the right if it is close to the axis."""
    axes.axvline(place, color=GREY, linewidth=0.6, linestyle=":", zorder=0)
    if not word:
        return
    low, high = axes.get_xlim()
    right = place - low < 0.1 * (high - low)
    axes.annotate(
        text_in_figure(word),
        (place, 1.0),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        xytext=(2 if right else -2, -2),
        ha="left" if right else "right",
        va="top",
        fontsize=6,
        color=GREY,
        rotation=90,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.5},
    )


def _draw_line(axes: Axes, series: Series, x: list[float]) -> None:
    look = series.look
    axes.plot(
        x,
        series.y,
        linestyle=(0, look.dash) if look.dash else "-",
        color=look.colour,
        marker=MARKERS[look.marker],
        markersize=4,
        markerfacecolor="none",  # lines below stay visible
        markeredgewidth=0.8,
        clip_on=False,  # not cut off at 0
        label=_label(series),
    )
    if any(series.ends):
        low, high = zip(*(ends or (math.nan, math.nan) for ends in series.ends), strict=True)
        axes.fill_between(x, low, high, color=look.colour, alpha=0.14, linewidth=0)


def _draw_bars(chart: Chart, axes: Axes, series: Series, places: list[float]) -> None:
    base = list(series.base) if series.base is not None else [0.0] * len(places)
    look: dict[str, Any] = {"color": series.look.colour, "edgecolor": "white", "linewidth": 0.4}
    if chart.horizontal:
        axes.barh(places, series.y, 0.75, left=base, label=_label(series), **look)
    else:
        axes.bar(places, series.y, 0.8, bottom=base, label=_label(series), **look)


def _draw_points(chart: Chart, axes: Axes, series: Series, places: list[float]) -> None:
    pairs = [(ends or (y, y), y) for ends, y in zip(series.ends, series.y, strict=False)]
    below = [max(0.0, y - low) for (low, _), y in pairs]
    above = [max(0.0, high - y) for (_, high), y in pairs]
    error = [below, above] if any(series.ends) else None
    look: dict[str, Any] = {
        "fmt": MARKERS[series.look.marker or "circle"],
        "color": series.look.colour,
        "markersize": 3.5,
        "elinewidth": 1.0,
        "clip_on": False,
        "label": _label(series),
    }
    if chart.horizontal:
        axes.errorbar(series.y, places, xerr=error, **look)
    else:
        axes.errorbar(places, series.y, yerr=error, **look)


def _legend(figure: Figure, grid: Any) -> None:
    """One legend below all panels, each name once."""
    entries: dict[str, Any] = {}
    for axes in grid:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    if entries:
        figure.legend(
            entries.values(),
            entries.keys(),
            loc="outside lower center",
            ncols=_legend_columns(list(entries), figure.get_figwidth()),
            frameon=False,
            handlelength=HANDLE,
        )


def _legend_columns(names: Sequence[str], width: float) -> int:
    """The number of columns that fit, in rows of about equal length."""
    for columns in range(len(names), 1, -1):
        rows = -(-len(names) // columns)
        longest = [max(map(len, names[i : i + rows])) for i in range(0, len(names), rows)]
        if sum(LETTER * letters + BESIDE for letters in longest) <= width:
            return len(longest)
    return 1


def _label(series: Series) -> str:
    return "_" if series.quiet else text_in_figure(series.name)
