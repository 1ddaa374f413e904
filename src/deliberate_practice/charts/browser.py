"""A chart as plotly's JSON, for a browser; plotly.js itself comes with the package ``plotly``."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import Any

from deliberate_practice.charts.chart import (
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
from deliberate_practice.charts.markup import text_in_chart
from deliberate_practice.charts.palette import DARK_INK, DARK_PAPER, GREY, SCALE, on_dark

GAP = 0.15
"""Gap between two panels, as a part of the width of one."""
WIDTH = 2
"""Width of a line [px]."""
BAND = 0.15
"""Opacity of a band."""

CROWD = 3
"""From this number of columns on, the titles of panels are broken into lines."""

Parts = list[tuple[float, float]]
"""Beginnings and ends of the columns or rows of panels, as parts of the whole."""


INK, PAPER, GRID = "#222222", "#ffffff", "#e6e6e6"
"""Text, background and grid on a light page."""
DARK_GRID = "#343a42"


def plotly_figure(chart: Chart, *, narrow: bool = False) -> dict[str, Any]:
    """Traces and layout in the form that ``Plotly.newPlot`` expects.

    Args:
        chart: The chart.
        narrow: Whether it is for a phone: panels stand below each other. Only the layout differs.
    """
    if narrow:
        chart = replace(chart, columns=1)
    most = max((len(categories(panel)) for panel in chart.panels), default=0)
    each = 40 + 32 * most if chart.horizontal else 230 if narrow else 300
    between = 40 if chart.stacked else 60 if narrow else 80
    if most and not chart.horizontal:
        between = 150  # vertical labels need room
    rows = [each * panel.height for panel in chart.panels[:: chart.columns]]
    room = sum(rows) + (len(rows) - 1) * between
    above = 40 if any(panel.title for panel in chart.panels[: chart.columns]) else 15
    columns = _parts([1.0] * chart.columns, GAP)
    layout: dict[str, Any] = {
        "height": room + above + 40 + max(between, 80),
        "margin": {"l": 40, "r": 15, "t": above, "b": 40},
        "font": {"family": "system-ui, sans-serif", "size": 12 if narrow else 13, "color": INK},
        "paper_bgcolor": PAPER,
        "plot_bgcolor": PAPER,
        "barmode": "overlay",
        "bargap": 0.25,
        "hovermode": "closest",
        "legend": {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom"},
        "annotations": [],
        "shapes": [],
    }
    if any(map(crowded, chart.panels)):
        layout |= {"scattermode": "group", "scattergap": 0.5}
    data: list[dict[str, Any]] = []
    named: set[str] = set()
    places = (columns, _parts(rows, between))
    for number, panel in enumerate(chart.panels):
        ending = "" if number == 0 else str(number + 1)
        _axes(chart, layout, panel, number, places, ending)
        heat = heat_table(panel)
        if heat:
            data.append(_heat(layout, panel, heat, ending))
            continue
        if not any(series.x for series in panel.series):
            # Plotly draws no axes in an empty panel, and a panel may still be empty.
            axes = {"xaxis": f"x{ending}", "yaxis": f"y{ending}"}
            data.append({"type": "scatter", "x": [None], "y": [None], "showlegend": False, **axes})
        for series in drawing_order(panel):
            shown = not series.quiet and series.name not in named
            named.add(series.name)
            data += _traces(chart, series, ending, shown)
    return {"data": data, "layout": layout}


def _axes(
    chart: Chart,
    layout: dict[str, Any],
    panel: Panel,
    number: int,
    places: tuple[Parts, Parts],
    ending: str,
) -> None:
    """Two axes, a title, and the thin lines of one panel."""
    row, column = divmod(number, chart.columns)
    left, right = places[0][column]
    top, bottom = places[1][row]
    last = number + chart.columns >= len(chart.panels)
    look = {"zeroline": False, "gridcolor": GRID, "linecolor": GREY, "automargin": True}
    x: dict[str, Any] = {**look, "domain": [left, right], "anchor": f"y{ending}"}
    y: dict[str, Any] = {**look, "domain": [1 - bottom, 1 - top], "anchor": f"x{ending}"}
    of_words, values = (y, x) if chart.horizontal else (x, y)
    heat, words = heat_table(panel), categories(panel)
    if heat:
        of_words, words = y, list(heat.rows)
    if words:
        listed = [text_in_chart(word) for word in words]
        of_words |= {"type": "category", "categoryorder": "array", "categoryarray": listed}
    if chart.horizontal or heat:
        y["autorange"] = "reversed"
    if chart.logarithmic:
        x["type"] = y["type"] = "log"
    limits = value_limits(chart, panel)
    if limits:
        low, high = limits
        values |= {"rangemode": "tozero"} if high is None else {"range": [low, high]}
    if panel.ticks:
        x |= {"tickmode": "array", "tickvals": list(panel.ticks)}
    if chart.ticks and not heat:
        y |= {"tickmode": "array", "tickvals": list(chart.ticks)}
    if number:
        shared = "x" if chart.horizontal or chart.stacked else "y"
        (x if shared == "x" else y)["matches"] = shared
    if column and not chart.stacked:
        y["showticklabels"] = False
    if last:
        x["title"] = {"text": text_in_chart(chart.y_label if chart.horizontal else chart.x_label)}
    elif chart.stacked:
        x["showticklabels"] = False
    if column == 0 or chart.stacked:
        label = chart.x_label if chart.horizontal else panel.y_label or chart.y_label
        y["title"] = {"text": text_in_chart(label)}
    layout[f"xaxis{ending}"], layout[f"yaxis{ending}"] = x, y
    if panel.title:
        layout["annotations"].append(
            {
                "text": f"<b>{_broken(panel.title, chart.columns)}</b>",
                "xref": "paper",
                "yref": "paper",
                "x": (left + right) / 2,
                "y": 1 - top,
                "xanchor": "center",
                "yanchor": "bottom",
                "showarrow": False,
            }
        )
    for place, word in panel.lines:
        layout["shapes"].append(
            {
                "type": "line",
                "xref": f"x{ending}",
                "yref": f"y{ending} domain",
                "x0": place,
                "x1": place,
                "y0": 0,
                "y1": 0.9,
                "line": {"color": GREY, "width": 1, "dash": "dot"},
                "label": {"text": text_in_chart(word), "textposition": "end", "font": {"size": 11}},
            }
        )


def _broken(title: str, columns: int) -> str:
    """A title of a panel, in lines of its own where many panels stand side by side."""
    text = text_in_chart(title)
    return text.replace(", ", "<br>") if columns >= CROWD else text


def _heat(layout: dict[str, Any], panel: Panel, heat: HeatTable, ending: str) -> dict[str, Any]:
    """A heat map with its scale beside it."""
    bottom, top = layout[f"yaxis{ending}"]["domain"]
    layout[f"coloraxis{ending}"] = {
        "colorscale": [[0, SCALE[0]], [1, SCALE[1]]],
        "colorbar": {
            "title": {"text": text_in_chart(panel.scale), "side": "right"},
            "y": (bottom + top) / 2,
            "len": top - bottom,
            "thickness": 12,
        },
    }
    return {
        "type": "heatmap",
        "x": list(heat.columns),
        "y": [text_in_chart(word) for word in heat.rows],
        "z": [list(row) for row in heat.values],
        "coloraxis": f"coloraxis{ending}",
        "xaxis": f"x{ending}",
        "yaxis": f"y{ending}",
    }


def _parts(sizes: list[float], between: float) -> Parts:
    """Beginning and end of each of several parts of [0, 1], with equal gaps between them."""
    whole = sum(sizes) + (len(sizes) - 1) * between
    begins = accumulate(sizes[:-1], lambda at, size: at + size + between, initial=0.0)
    return [
        (begin / whole, (begin + size) / whole) for begin, size in zip(begins, sizes, strict=True)
    ]


def _traces(chart: Chart, series: Series, ending: str, shown: bool) -> list[dict[str, Any]]:
    """Plotly's traces for one series."""
    x = [text_in_chart(place) if isinstance(place, str) else place for place in series.x]
    y, look = list(series.y), series.look
    common: dict[str, Any] = {
        "name": text_in_chart(series.name),
        "legendgroup": text_in_chart(series.name),
        "showlegend": shown,
        "xaxis": f"x{ending}",
        "yaxis": f"y{ending}",
    }
    across: dict[str, Any] = {"x": y, "y": x} if chart.horizontal else {"x": x, "y": y}
    if series.kind == "bar":
        bar = {
            "type": "bar",
            "orientation": "h" if chart.horizontal else "v",
            "base": list(series.base) if series.base is not None else 0,
            "marker": {"color": look.colour, "line": {"color": PAPER, "width": 0.5}},
        }
        return [{**common, **across, **bar}]
    if series.kind == "points":
        points: dict[str, Any] = {
            "type": "scatter",
            "mode": "markers",
            "orientation": "h" if chart.horizontal else "v",
            "offsetgroup": text_in_chart(series.name),
            "cliponaxis": False,
            "marker": {"color": look.colour, "size": 8, "symbol": look.marker or "circle"},
        }
        if any(series.ends):
            pairs = list(zip(series.ends, y, strict=True))
            points["error_x" if chart.horizontal else "error_y"] = {
                "type": "data",
                "symmetric": False,
                "array": [ends[1] - value if ends else None for ends, value in pairs],
                "arrayminus": [value - ends[0] if ends else None for ends, value in pairs],
                "thickness": 1.5,
                "width": 3,
            }
        return [{**common, **across, **points}]
    dash = ",".join(f"{WIDTH * length:g}px" for length in look.dash) or "solid"
    line: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines+markers" if look.marker else "lines",
        "line": {"color": look.colour, "width": WIDTH, "dash": dash},
    }
    if look.marker:  # open, so that lines below stay visible
        line["marker"] = {"size": 8, "symbol": f"{look.marker}-open"}
        line["cliponaxis"] = False  # not cut off at 0
    traces = [{**common, **across, **line}]
    inside = [(place, ends) for place, ends in zip(x, series.ends, strict=False) if ends]
    if inside:
        band = {
            "x": [place for place, _ in inside + inside[::-1]],
            "y": [high for _, (_, high) in inside] + [low for _, (low, _) in inside[::-1]],
            "type": "scatter",
            "mode": "lines",
            "fill": "toself",
            "fillcolor": look.colour,
            "opacity": BAND,
            "line": {"width": 0},
            "hoverinfo": "skip",
            "showlegend": False,
        }
        traces.insert(0, {**common, **band})
    return traces


def dark_colours(chart: Chart) -> dict[str, str]:
    """The colours of a chart on a light page, each with its counterpart on a dark one."""
    looks = {series.look.colour for panel in chart.panels for series in panel.series}
    light, dark = SCALE
    return {
        **{colour: on_dark(colour) for colour in looks},
        **{INK: DARK_INK, PAPER: DARK_PAPER, GRID: DARK_GRID, GREY: on_dark(GREY)},
        **{light: DARK_PAPER, dark: DARK_INK},
    }
