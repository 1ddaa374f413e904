"""Draw a chart with matplotlib, for print: PDF and PNG, with its data beside it as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from deliberate_practice.study.figures.chart import (
    Chart,
    Panel,
    Series,
    categories,
    crowded,
    write_csv,
)
from deliberate_practice.study.figures.palette import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN, PAGE = 3.4, 7.0
"""Widths of one column and of a page of a paper [inch]."""
SIDE_BY_SIDE = 0.5
"""Of the room for a word, what points beside each other take."""
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that figures look alike everywhere
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
    "pdf.fonttype": 42,  # letters stay letters
    "figure.dpi": 100,
}


def save(chart: Chart, folder: Path) -> list[Path]:
    """Write ``NAME.pdf``, ``NAME.png`` and ``NAME.csv``, and say where."""
    paths = [folder / f"{chart.name}.{ending}" for ending in ("pdf", "png", "csv")]
    figure = draw(chart)
    # No dates: the same study gives the same bytes.
    figure.savefig(paths[0], metadata={"CreationDate": None, "Title": chart.title})
    figure.savefig(paths[1], dpi=200, metadata={"Title": chart.title, "Software": None})
    write_csv(chart, paths[2])
    return paths


def draw(chart: Chart, *, titled: bool = False) -> Figure:
    """The chart as a figure, with its title or without: in print the caption says it."""
    import matplotlib as mpl  # slow to import
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        rows = -(-len(chart.panels) // chart.columns)
        figure = Figure(figsize=_size(chart, rows), layout="constrained")
        grid = figure.subplots(rows, chart.columns, squeeze=False, **_sharing(chart)).ravel()
        for axes in grid[len(chart.panels) :]:
            axes.set_visible(False)
        for number, (axes, panel) in enumerate(zip(grid, chart.panels, strict=False)):
            _draw_panel(chart, axes, panel)
            last_row = number + chart.columns >= len(chart.panels)
            axes.set_title(_plain(panel.title))
            if last_row:
                axes.set_xlabel(chart.y_label if chart.horizontal else chart.x_label)
            if number % chart.columns == 0:
                axes.set_ylabel(chart.x_label if chart.horizontal else chart.y_label)
        if chart.limits:  # only now that all is drawn: the largest value is for all panels
            for axes in grid[: len(chart.panels)]:
                (axes.set_xlim if chart.horizontal else axes.set_ylim)(*chart.limits)
        _legend(figure, grid[: len(chart.panels)])
        if titled:
            figure.suptitle(_plain(chart.title))
        return figure


def _size(chart: Chart, rows: int) -> tuple[float, float]:
    width = COLUMN if chart.columns == 1 and not chart.horizontal else PAGE
    most = max((len(categories(panel)) for panel in chart.panels), default=0)
    height = 0.7 + 0.2 * most if chart.horizontal else 2.0 if chart.columns > 1 else 2.4
    if not chart.horizontal and most:
        height += 0.6  # room for words that stand upright
    return width, rows * height + 0.7


def _sharing(chart: Chart) -> dict[str, Any]:
    if chart.horizontal:
        return {"sharex": True, "sharey": "row"}
    return {"sharey": True}


def _draw_panel(chart: Chart, axes: Axes, panel: Panel) -> None:
    words = categories(panel)
    step = SIDE_BY_SIDE / len(panel.series) if crowded(panel) else 0.0
    for number, series in enumerate(panel.series):
        aside = step * (number - (len(panel.series) - 1) / 2)
        places = [words.index(x) + aside if isinstance(x, str) else x for x in series.x]
        if series.kind == "bar":
            _draw_bars(chart, axes, series, places)
        elif series.kind == "points":
            _draw_points(chart, axes, series, places)
        else:
            _draw_line(axes, series, places)
    for place, word in panel.lines:
        axes.axvline(place, color=GREY, linewidth=0.6, linestyle=":", zorder=0)
        if word:
            axes.annotate(
                _plain(word),
                (place, 1.0),
                xycoords=("data", "axes fraction"),
                textcoords="offset points",
                xytext=(-2, -2),
                ha="right",
                va="top",
                fontsize=6,
                color=GREY,
                rotation=90,
            )
    if words and chart.horizontal:
        axes.set_yticks(range(len(words)), [_plain(word) for word in words])
        axes.set_ylim(len(words) - 0.5, -0.5)
    elif words:
        axes.set_xticks(
            range(len(words)), [_plain(word) for word in words], rotation=40, ha="right"
        )
    if chart.logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
    if not words and not chart.logarithmic:
        axes.margins(x=0.02)


def _draw_line(axes: Axes, series: Series, x: list[float]) -> None:
    axes.plot(
        x,
        series.y,
        "--" if series.dash else "-",
        color=series.colour,
        marker="o" if series.marker else None,
        markersize=3,
        label=_label(series),
    )
    if series.low is not None and series.high is not None:
        axes.fill_between(x, series.low, series.high, color=series.colour, alpha=0.14, linewidth=0)


def _draw_bars(chart: Chart, axes: Axes, series: Series, places: list[float]) -> None:
    base = list(series.base) if series.base is not None else [0.0] * len(places)
    look: dict[str, Any] = {"color": series.colour, "edgecolor": "white", "linewidth": 0.4}
    if chart.horizontal:
        axes.barh(places, series.y, 0.75, left=base, label=_label(series), **look)
    else:
        axes.bar(places, series.y, 0.8, bottom=base, label=_label(series), **look)


def _draw_points(chart: Chart, axes: Axes, series: Series, places: list[float]) -> None:
    error = None
    if series.low is not None and series.high is not None:
        below = [max(0.0, y - low) for y, low in zip(series.y, series.low, strict=True)]
        above = [max(0.0, high - y) for y, high in zip(series.y, series.high, strict=True)]
        error = [below, above]
    look: dict[str, Any] = {
        "fmt": "o",
        "color": series.colour,
        "markersize": 3.5,
        "elinewidth": 1.0,
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
            ncols=min(len(entries), 5 if figure.get_figwidth() > COLUMN else 2),
            frameon=False,
        )


def _label(series: Series) -> str:
    return "_" if series.quiet else _plain(series.name)


def _plain(text: str) -> str:
    """A name as it is: dollars are no mathematics, a leading underscore hides no legend."""
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
