"""Charts as data: what is in them, and that print, browser and CSV show the same."""

from __future__ import annotations

import csv
import json
import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deliberate_practice.charts.browser import plotly_figure
from deliberate_practice.charts.chart import (
    Chart,
    Panel,
    Series,
    categories,
    value_limits,
    write_csv,
)
from deliberate_practice.charts.palette import OTHERS, STRATEGIES, of_goals, of_strategy
from deliberate_practice.charts.print import MARKERS, draw, save
from deliberate_practice.charts.ticks import whole_ticks
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.study.figures.comparing import improvement_chart, middle_chart
from deliberate_practice.study.figures.learning import learning_chart, reward_chart
from deliberate_practice.study.figures.spending import choice_chart, spending_chart
from deliberate_practice.study.summary import Row, summarise

PLACES = ("top", "middle", "bottom")
SKILLS = [
    "Pick(object#)",
    *(f"{skill}{place})" for place in PLACES for skill in ("Place(object#,", "Open(", "Close(")),
]


def _results() -> list[CellResult]:
    """Five seeds of two strategies at two budgets, easy to reckon with."""
    results = []
    for strategy, worth in (("deliberate", 2.0), ("ees", 1.0)):
        for budget in (10, 20):
            for seed in range(5):
                reward = worth * budget / 20 + 0.1 * seed
                results.append(
                    CellResult(
                        Cell(strategy, "bayes", budget, seed),
                        reward,
                        "rich" if strategy == "deliberate" and seed else "modest",
                        {"A1": budget - seed, "B": seed},
                        ((0, 0.0), (budget, reward)),
                        ("A1", "B"),
                        {"A1": budget - seed, "B": seed},
                    )
                )
    return results


def _rows() -> list[Row]:
    from deliberate_practice.domains.library import load_task

    return summarise(load_task("breakfast"), "regions", _results())


def test_learning_is_mean_and_deviation_over_seeds() -> None:
    chart = learning_chart("l", "t", _results())
    assert chart is not None
    assert [panel.title for panel in chart.panels] == ["budget 10", "budget 20"]
    series = chart.panels[1].series[0]
    assert (series.name, list(series.x)) == ("deliberate", [0, 20])
    assert series.y == pytest.approx([0, 2.2])
    assert [high for _, high in filter(None, series.ends)] == pytest.approx(
        [0, 2.2 + 0.1 * 2.5**0.5]
    )
    assert learning_chart("l", "t", [CellResult(Cell("ees", "bayes", 3, 0), 1.0, None, {})]) is None


def test_learning_keeps_to_what_was_measured_last() -> None:
    """Skills that cost more than 1 step over budgets, each seed over others, and leave a rest."""
    curves = [((0, 0.0), (26, 1.0), (49, 2.0)), ((0, 0.0), (27, 3.0), (48, 4.0))]
    results = [
        CellResult(Cell("ees", "bayes", 50, seed), curve[-1][1], None, {}, curve)
        for seed, curve in enumerate(curves)
    ]
    chart = learning_chart("l", "t", results)
    assert chart is not None
    series = chart.panels[0].series[0]
    assert list(series.x) == [0, 26, 27, 48, 49, 50]
    assert list(series.y) == [0.0, 0.5, 2.0, 2.5, 3.0, 3.0]
    assert "over 2 seeds" in chart.text


def test_an_unfinished_study_says_how_many_seeds_it_has() -> None:
    chart = learning_chart("l", "t", _results()[:-2])
    assert chart is not None
    assert "over 3 to 5 seeds" in chart.text


def test_negative_rewards_are_within_the_axes(tmp_path: Path) -> None:
    results = [
        CellResult(Cell("ees", "bayes", 10, seed), -reward, None, {}, ((0, -1.0), (10, -reward)))
        for seed, reward in enumerate((0.1, 0.5, 0.6))
    ]
    chart = learning_chart("l", "t", results)
    assert chart is not None
    (panel,) = chart.panels
    assert all(low <= high for low, high in filter(None, panel.series[0].ends))
    assert value_limits(chart) == (-1.0, None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        save(chart, tmp_path)
    assert draw(chart).axes[0].get_ylim()[0] == -1.0
    nothing_yet = replace(chart, panels=[Panel("p", [Series("ees", [], [])])])
    assert value_limits(nothing_yet) == (0, None)


def test_rewards_have_the_intervals_of_the_table() -> None:
    rows = _rows()
    series = reward_chart("r", "t", rows).panels[0].series[0]
    assert list(series.x) == [10, 20]
    assert list(series.y) == [rows[0].mean, rows[1].mean]
    assert list(series.ends) == [rows[0].ci95, rows[1].ci95]
    assert all(series.ends)


def test_bars_stand_on_each_other() -> None:
    chosen = choice_chart("c", "t", ["modest", "rich"], _results()).panels[1].series
    assert {s.name: list(s.y) for s in chosen} == {
        "modest": pytest.approx([0.2, 1]),
        "rich": pytest.approx([0.8, 0]),
    }
    assert chosen[1].base == pytest.approx([0.2, 1])
    spent = spending_chart("s", "t", _results()).panels[0].series
    assert {s.name: s.y[0] for s in spent} == {"A1": pytest.approx(8), "B": pytest.approx(2)}


def test_many_skills_that_differ_in_a_number_are_one() -> None:
    policies = {f"Pick(object{i})": 1 for i in range(13)} | {"Close(top)": 2}
    result = CellResult(Cell("ees", "bayes", 15, 0), 1.0, None, policies, (), (), policies)
    spent = spending_chart("s", "t", [result]).panels[0].series
    assert {s.name: s.y[0] for s in spent} == {"Pick(object#)": 13, "Close(top)": 2}


def test_improvement_is_over_pairs_of_seeds() -> None:
    chart = improvement_chart("i", "t", _results())
    assert chart is not None
    (series,) = chart.panels[0].series
    assert (series.name, list(series.x), list(series.y)) == ("deliberate", ["ees"], [1.0])
    both = [
        replace(r, cell=replace(r.cell, strategy="deliberate-paper"))
        if r.cell.strategy == "ees"
        else r
        for r in _results()
    ]
    chart = improvement_chart("i", "t", both)
    assert chart is not None
    assert [(s.name, list(s.x)) for s in chart.panels[0].series] == [
        ("deliberate", ["deliberate-paper"])
    ]
    alone = [result for result in _results() if result.cell.strategy == "ees"]
    assert improvement_chart("i", "t", alone) is None


def test_the_middle_is_the_interquartile_mean() -> None:
    rows = _rows()
    panel = middle_chart("m", "t", rows).panels[1]
    assert categories(panel) == ["deliberate", "ees"]
    assert [s.y[0] for s in panel.series] == [rows[1].iqm.value, rows[3].iqm.value]


def test_csv_and_browser_have_what_is_drawn(tmp_path: Path) -> None:
    charts = [
        reward_chart("rewards", "Strange names: $5 <b>", _rows()),
        choice_chart("choice", "t", ["modest", "rich"], _results()),
        middle_chart("middle", "t", _rows()),
    ]
    for chart in charts:
        write_csv(chart, tmp_path / "chart.csv")
        with (tmp_path / "chart.csv").open(newline="") as file:
            written = [(r["series"], r["x"], float(r["y"])) for r in csv.DictReader(file)]
        drawn = [
            (series.name, str(x), y)
            for panel in chart.panels
            for series in panel.series
            for x, y in zip(series.x, series.y, strict=True)
        ]
        assert written == drawn
        figure = plotly_figure(chart)
        json.dumps(figure, allow_nan=False)
        across = "x" if chart.horizontal else "y"
        shown = [y for trace in figure["data"] if "fill" not in trace for y in trace[across]]
        assert shown == [y for _, _, y in drawn]


def test_strategies_that_coincide_are_all_seen() -> None:
    """Dashed lines lie above solid ones, and differ also in the shape of their points."""
    panel = Panel(
        "p", [Series(n, [0, 5], [0, 1], look=of_strategy(n)) for n in ("ees", "deliberate")]
    )
    chart = Chart("c", "t", "", [panel], 1, "x", "y")
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


def test_a_bar_is_as_wide_where_others_are_not_finished() -> None:
    some = [r for r in _results() if (r.cell.strategy, r.cell.budget) != ("ees", 10)]
    chart = spending_chart("s", "t", some)
    assert [categories(panel) for panel in chart.panels] == [["deliberate", "ees"]] * 2
    first, second = draw(chart).axes
    assert first.get_xlim() == second.get_xlim()


def test_a_panel_is_drawn_also_where_nothing_is_finished() -> None:
    empty, full = Panel("none", [], words=["a"]), Panel("some", [Series("s", ["a"], [1.0], "bar")])
    chart = Chart("c", "t", "", [empty, full], 2, "x", "y")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw(chart).draw_without_rendering()
    axes = {trace["xaxis"] for trace in plotly_figure(chart)["data"]}
    assert axes == {"x", "x2"}


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("names", [list(STRATEGIES), list(STRATEGIES)[:2], SKILLS, SKILLS[:5]])
def test_legends_stay_in_their_figure(columns: int, names: list[str]) -> None:
    panel = Panel("p", [Series(name, [0, 5], [0, 1]) for name in names])
    figure = draw(Chart("c", "t", "", [panel] * columns, columns, "x", "y"))
    figure.draw_without_rendering()
    legend = figure.legends[0].get_window_extent()
    assert legend.width <= figure.get_window_extent().width


def test_axes_have_numbers_at_whole_episodes_and_at_the_last() -> None:
    learning = learning_chart("l", "t", _results())
    assert learning is not None
    rewards, spent = reward_chart("r", "t", _rows()), spending_chart("s", "t", _results())
    assert [list(panel.ticks) for panel in learning.panels] == [
        [0, 2, 4, 6, 8, 10],
        [0, 5, 10, 15, 20],
    ]
    assert list(rewards.panels[0].ticks) == [10, 20]
    for axes, panel in zip(draw(learning).axes, learning.panels, strict=True):
        assert axes.get_xticks().tolist() == list(panel.ticks)
    assert draw(spent).axes[0].get_yticks().tolist() == list(spent.ticks)
    layout = plotly_figure(learning)["layout"]
    assert layout["xaxis2"]["tickvals"] == list(learning.panels[1].ticks)
    assert plotly_figure(spent)["layout"]["yaxis"]["tickvals"] == list(spent.ticks)


@given(st.integers(0, 5000))
def test_numbers_of_an_axis_are_few_and_end_with_the_last(last: int) -> None:
    ticks = whole_ticks(last)
    assert (ticks[0], ticks[-1]) == (0, last)
    assert len(ticks) <= 7
    assert ticks == sorted(set(ticks))


def test_bands_are_explained_in_the_figure() -> None:
    learning = learning_chart("l", "t", _results())
    assert learning is not None
    assert draw(learning).axes[0].get_ylabel() == "reward (mean ± sd)"
    assert (
        draw(reward_chart("r", "t", _rows())).axes[0].get_ylabel() == "reward (mean, 95 % interval)"
    )


def test_axes_of_all_panels_reach_the_largest_value() -> None:
    low, high = Series("a", [0, 1], [0, 1]), Series("a", [0, 1], [0, 9])
    panels = [Panel("first", [low]), Panel("second", [high])]
    figure = draw(Chart("c", "t", "", panels, 2, "x", "y", limits=(0, None)))
    assert all(axes.get_ylim()[1] >= 9 for axes in figure.axes)


def test_figures_are_the_same_bytes_every_time(tmp_path: Path) -> None:
    chart = reward_chart("rewards", "t", _rows())
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        save(chart, tmp_path / folder)
    for ending in ("pdf", "png", "csv"):
        one, two = (tmp_path / folder / f"rewards.{ending}" for folder in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
        assert one.stat().st_size > 200


def test_every_strategy_has_a_look_of_its_own() -> None:
    from deliberate_practice.strategies.strategy import STRATEGIES as REGISTERED

    assert set(REGISTERED) == set(STRATEGIES)
    looks = STRATEGIES.values()
    for one in ([look.colour for look in looks], [look.dash for look in looks]):
        assert len(set(one)) == len(STRATEGIES)
    assert {look.marker for look in (*looks, *OTHERS)} <= set(MARKERS)
    assert of_strategy("mine") == of_strategy("mine")
    assert of_strategy("mine") in OTHERS
    goals = of_goals(["a", "b", "c", "d", "e", "f"])
    assert len(set(goals.values())) == 7  # and none
