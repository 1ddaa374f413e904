"""Charts as data: how they are drawn for print and for a browser, heat maps included."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from deliberate_practice.charts.browser import plotly_figure
from deliberate_practice.charts.chart import Chart, Look, Panel, Series, heat_table
from deliberate_practice.charts.palette import STRATEGIES
from deliberate_practice.charts.print import draw
from deliberate_practice.charts.table import write_csv
from deliberate_practice.charts.ticks import whole_ticks
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError

PLACES = ("top", "middle", "bottom")
SKILLS = [
    "Pick(object#)",
    *(f"{skill}{place})" for place in PLACES for skill in ("Place(object#,", "Open(", "Close(")),
]


def test_strategies_that_coincide_are_all_seen() -> None:
    """Dashed lines lie above solid ones, and differ also in the shape of their points."""
    panel = Panel(
        "p", [Series(n, [0, 5], [0, 1], look=STRATEGIES[n]) for n in ("ees", "deliberate")]
    )
    chart = Chart("t", "", [panel], "x", "y")
    (axes,) = draw(chart).axes
    below, above = axes.get_lines()
    assert (below.get_label(), above.get_label()) == ("deliberate", "ees")
    assert (below.get_linestyle(), above.get_linestyle()) == ("-", "--")
    assert below.get_marker() != above.get_marker()
    first, second = plotly_figure(chart)["data"]
    assert (first["line"]["dash"], second["line"]["dash"]) == ("solid", "2.4px,2.4px")
    assert (first["marker"]["symbol"], second["marker"]["symbol"]) == (
        *("circle-open", "triangle-up-open"),
    )


def test_a_panel_is_drawn_also_where_nothing_is_finished() -> None:
    empty, full = Panel("none", [], words=["a"]), Panel("some", [Series("s", ["a"], [1.0], "bar")])
    chart = Chart("t", "", [empty, full], "x", "y", columns=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw(chart).draw_without_rendering()
    axes = {trace["xaxis"] for trace in plotly_figure(chart)["data"]}
    assert axes == {"x", "x2"}


@pytest.mark.parametrize(("columns", "title"), [(2, "budget 9, bayes"), (3, "budget 9<br>bayes")])
def test_titles_of_narrow_panels_are_broken_into_lines(columns: int, title: str) -> None:
    panels = [Panel("budget 9, bayes", [Series("s", [0, 1], [0, 1])])] * columns
    chart = Chart("t", "", panels, "x", "y", columns=columns)
    for narrow, expected in ((False, title), (True, "budget 9, bayes")):
        shown = plotly_figure(chart, narrow=narrow)["layout"]["annotations"]
        assert {one["text"] for one in shown} == {f"<b>{expected}</b>"}


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("names", [list(STRATEGIES), list(STRATEGIES)[:2], SKILLS, SKILLS[:5]])
def test_legends_stay_in_their_figure(columns: int, names: list[str]) -> None:
    panel = Panel("p", [Series(name, [0, 5], [0, 1]) for name in names])
    figure = draw(Chart("t", "", [panel] * columns, "x", "y", columns=columns))
    figure.draw_without_rendering()
    legend = figure.legends[0].get_window_extent()
    assert legend.width <= figure.get_window_extent().width


@given(st.integers(0, 5000))
def test_numbers_of_an_axis_are_few_and_end_with_the_last(last: int) -> None:
    ticks = whole_ticks(last)
    assert (ticks[0], ticks[-1]) == (0, last)
    assert len(ticks) <= 7
    assert ticks == sorted(set(ticks))


def test_axes_of_all_panels_reach_the_largest_value() -> None:
    low, high = Series("a", [0, 1], [0, 1]), Series("a", [0, 1], [0, 9])
    panels = [Panel("first", [low]), Panel("second", [high])]
    figure = draw(Chart("t", "", panels, "x", "y", columns=2, limits=(0, None)))
    assert all(axes.get_ylim()[1] >= 9 for axes in figure.axes)


@pytest.mark.parametrize(
    "title", ["breakfast on curves, approach execute: reward", "Open" * 30, "$"]
)
def test_titles_stay_in_their_figure(title: str) -> None:
    chart = Chart(title, "", [Panel("p", [Series("s", [0, 5], [0, 1])])])
    figure = draw(chart, titled=True)
    figure.draw_without_rendering()
    (shown,) = [text for text in figure.texts if text.get_text()]
    assert "".join(shown.get_text().split()).replace("\\$", "$") == "".join(title.split())
    assert shown.get_window_extent().width <= figure.get_window_extent().width


HEAT = Chart(
    "Heat",
    "Shares below a line.",
    [
        Panel("", [Series("value", [0, 1, 2], [0, 1, 4])], y_label="reward", limits=(0, None)),
        Panel(
            "",
            [
                Series("Pick(<b>$5)", [0, 1, 2], [0, 3, 6], "heat"),
                Series("_Place", [1, 2], [1, 2], "heat"),
            ],
            height=0.4,
            scale="episodes",
        ),
    ],
    "budget",
)


def test_the_csv_of_a_heat_map_holds_what_is_drawn(tmp_path: Path) -> None:
    write_csv(HEAT, tmp_path / "heat.csv")
    with (tmp_path / "heat.csv").open(newline="") as file:
        rows = [(r["panel"], r["series"], r["x"], r["y"]) for r in csv.DictReader(file)]
    assert rows == [
        *(("reward", "value", str(x), str(y)) for x, y in ((0, 0), (1, 1), (2, 4))),
        *(("episodes", "Pick(<b>$5)", str(x), str(y)) for x, y in ((0, 0), (1, 3), (2, 6))),
        *(("episodes", "_Place", str(x), str(y)) for x, y in ((1, 1), (2, 2))),
    ]


def test_print_and_browser_shade_the_cells_of_a_heat_map() -> None:
    table = heat_table(HEAT.panels[1])
    assert table is not None
    assert (list(table.columns), list(table.values)) == ([0, 1, 2], [[0, 3, 6], [None, 1, 2]])
    above, below, scale = draw(HEAT).axes
    (shades,) = below.collections
    values: FloatArray = np.ma.filled(np.ma.asarray(shades.get_array(), float), np.nan)
    assert values.tolist()[0] == [0, 3, 6]
    assert np.isnan(values[1, 0])
    assert values.tolist()[1][1:] == [1, 2]
    assert [text.get_text().strip() for text in below.get_yticklabels()] == [
        r"Pick(<b>\$5)",
        "_Place",
    ]
    assert below.get_ylim() == (1.5, -0.5)  # the first row is at the top
    assert scale.get_ylabel() == "episodes"
    assert above.get_xlim() == below.get_xlim() == (-0.5, 2.5)
    figure = plotly_figure(HEAT)
    json.dumps(figure, allow_nan=False)
    line, heat = figure["data"]
    assert heat["z"] == [[0, 3, 6], [None, 1, 2]]
    assert heat["y"] == ["Pick(&lt;b&gt;$5)", "_Place"]
    layout = figure["layout"]
    assert layout[heat["coloraxis"]]["colorbar"]["title"]["text"] == "episodes"
    assert layout["yaxis2"]["autorange"] == "reversed"
    assert (layout["xaxis2"]["matches"], line["xaxis"], heat["xaxis"]) == ("x", "x", "x2")


def test_stacked_panels_have_their_own_heights_limits_and_labels() -> None:
    panels = [
        Panel("", [Series("a", [0, 5], [0.2, 0.9])], y_label="share", limits=(0, 1), height=1.5),
        Panel("", [Series("b", [0, 5], [-3, 40])], y_label="reward", limits=(0, None), height=0.5),
    ]
    chart = Chart("t", "", panels, "x")
    figure = draw(chart)
    figure.draw_without_rendering()
    top, below = figure.axes
    assert [axes.get_ylabel() for axes in (top, below)] == ["share", "reward"]
    assert top.get_ylim() == (0, 1)
    assert below.get_ylim()[0] == -3
    assert below.get_ylim()[1] >= 40
    heights = [axes.get_position().height for axes in (top, below)]
    assert heights[0] == pytest.approx(3 * heights[1], rel=0.1)
    layout = plotly_figure(chart)["layout"]
    assert layout["yaxis"]["range"] == [0, 1]
    assert layout["yaxis2"]["title"]["text"] == "reward"
    sizes = [high - low for low, high in (layout[y]["domain"] for y in ("yaxis", "yaxis2"))]
    assert sizes[0] == pytest.approx(3 * sizes[1])
    assert "matches" not in layout["yaxis2"]


def test_one_cell_is_a_heat_map_too() -> None:
    chart = Chart("t", "", [Panel("p", [Series("a", [7], [1], "heat")], scale="s")], "x")
    axes, _ = draw(chart).axes
    assert axes.get_xlim() == (6.5, 7.5)
    assert plotly_figure(chart)["data"][0]["z"] == [[1]]


def test_numbers_of_numpy_are_kept_as_plain_ones() -> None:
    x: Any = np.arange(2)
    y: Any = np.array([0.5, 1.5])
    series = Series("s", x, y, ends=[(np.float64(0), np.float64(1)), None], base=y)
    assert (series.x, series.y, series.base) == ((0, 1), (0.5, 1.5), (0.5, 1.5))
    assert series.ends == ((0.0, 1.0), None)
    assert series == Series("s", [0, 1], [0.5, 1.5], ends=[(0, 1), None], base=[0.5, 1.5])
    json.dumps(plotly_figure(Chart("t", "", [Panel("p", [series])])))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Series("s", [1, 2], [1]), "series 's': y has 1 values for 2 places"),
        (lambda: Series("s", [1], [1], ends=[None, None]), "ends has 2 values for 1 places"),
        (lambda: Series("s", [1], [float("nan")]), "series 's': nan is not a finite number"),
        (lambda: Series("s", ["a"], [1], "heat"), "'a' is not a finite number"),
        (lambda: Series("s", [1], [1], "pie"), "'pie' is not one of: line, points, bar, heat"),  # type: ignore[arg-type]
        (lambda: Look("red"), "'red' is not a colour; write it as '#0072B2'"),
        (lambda: Look(marker="circel"), "Did you mean 'circle'"),
        (
            lambda: Panel("p", [Series("s", [1], [1], "heat"), Series("t", [1], [1])]),
            "panel 'p': a heat map cannot share it with: line",
        ),
        (lambda: Chart("t", "", []), "chart 't': 0 panels in rows of 1 cannot be drawn"),
    ],
)
def test_refuses_what_cannot_be_drawn(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make()
