"""Charts of one experiment: what is in them, and that print, browser and CSV show the same."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deliberate_practice.charts.browser import plotly_figure
from deliberate_practice.charts.chart import Panel, Series, categories, value_limits
from deliberate_practice.charts.print import draw, save
from deliberate_practice.charts.table import write_csv
from deliberate_practice.practice.domain import load_task
from deliberate_practice.study import statistics
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.study.experiment import Experiment
from deliberate_practice.study.figures.comparing import improvement_chart, iqm_chart
from deliberate_practice.study.figures.progress import progress_chart
from deliberate_practice.study.figures.rewards import rewards_chart
from deliberate_practice.study.figures.spending import choice_chart, spending_chart
from deliberate_practice.study.loaded import Loaded
from deliberate_practice.study.run_study import Finished
from deliberate_practice.task.model import Task

TASK = replace(
    load_task("breakfast"),
    goals=[
        replace(goal, name=name)
        for goal, name in zip(load_task("breakfast").goals, ("modest", "rich"), strict=True)
    ],
)


def _results() -> list[CellResult]:
    """Five seeds of two strategies at two budgets, easy to reckon with."""
    results = []
    for strategy, worth in (("deliberate", 2.0), ("ees", 1.0)):
        for budget in (10, 20):
            for seed in range(5):
                reward = worth * budget / 20 + 0.1 * seed
                results.append(
                    CellResult(
                        Cell(strategy, "bayes", "cma-es", budget, seed),
                        reward,
                        reward,
                        "rich" if strategy == "deliberate" and seed else "modest",
                        {"A1": budget - seed, "B": seed},
                        ((0, 0.0), (budget, reward)),
                        ("A1", "B"),
                        episodes={"A1": budget - seed, "B": seed},
                    )
                )
    return results


def _result(budget: int, seed: int, reward: float, **more: Any) -> CellResult:
    cell = Cell("ees", "bayes", "cma-es", budget, seed)
    return CellResult(cell, reward, reward, None, {}, **more)


def _finished(results: Sequence[CellResult] | None = None, task: Task = TASK) -> Finished:
    sessions = tuple(_results() if results is None else results)
    strategies = list(dict.fromkeys(one.cell.strategy for one in sessions))
    budgets = sorted({one.cell.budget for one in sessions})
    experiment = Experiment("e", task, budgets, "regions", strategies=strategies)
    return Finished(Loaded("s", experiment, task, {}, "0"), sessions)


def test_learning_is_the_mean_with_its_interval_over_seeds() -> None:
    chart = progress_chart(_finished())
    assert chart is not None
    assert [panel.title for panel in chart.panels] == ["budget 10", "budget 20"]
    series = chart.panels[1].series[0]
    assert (series.name, list(series.x)) == ("deliberate", [0, 20])
    assert series.y == pytest.approx([0, 2.2])
    final = statistics.mean([2.0 + 0.1 * seed for seed in range(5)])
    assert list(series.ends) == [(0, 0), pytest.approx(final.interval)]
    assert progress_chart(_finished([_result(3, 0, 1.0)])) is None


def test_learning_is_compared_on_one_grid_where_costs_differ() -> None:
    """Skills that cost more than 1 step over budgets, each seed over others, and leave a rest."""
    curves = [((0, 0.0), (26, 1.0), (50, 2.0)), ((0, 0.0), (24, 3.0), (48, 4.0))]
    results = [_result(50, seed, curve[-1][1], curve=curve) for seed, curve in enumerate(curves)]
    chart = progress_chart(_finished(results))
    assert chart is not None
    series = chart.panels[0].series[0]
    assert list(series.x) == [0, 25, 50]
    assert list(series.y) == pytest.approx([0, (25 / 26 + 3 + 1 / 24) / 2, 3])
    assert not series.ends  # two seeds have no interval worth drawing
    assert "over 2 seeds" in chart.text


def test_an_unfinished_study_says_how_many_seeds_it_has() -> None:
    chart = progress_chart(_finished(_results()[:-2]))
    assert chart is not None
    assert "over 3 to 5 seeds" in chart.text


def test_negative_rewards_are_within_the_axes(tmp_path: Path) -> None:
    results = [
        _result(10, seed, -reward, curve=((0, -1.0), (10, -reward)))
        for seed, reward in enumerate((0.1, 0.5, 0.6, 0.6, 0.5))
    ]
    chart = progress_chart(_finished(results))
    assert chart is not None
    (panel,) = chart.panels
    assert all(low <= high for low, high in filter(None, panel.series[0].ends))
    assert value_limits(chart, panel) == (-1.0, None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        save(draw(chart), tmp_path / "chart.pdf", chart.title)
    assert draw(chart).axes[0].get_ylim()[0] == -1.0
    nothing_yet = replace(chart, panels=[Panel("p", [Series("ees", [], [])])])
    assert value_limits(nothing_yet, nothing_yet.panels[0]) == (0, None)


def test_rewards_have_the_intervals_of_the_table() -> None:
    finished = _finished()
    rows = finished.rows
    series = rewards_chart(finished).panels[0].series[0]
    assert list(series.x) == [10, 20]
    assert list(series.y) == [rows[0].mean, rows[1].mean]
    assert list(series.ends) == [rows[0].ci95, rows[1].ci95]
    assert all(series.ends)


def test_bars_stand_on_each_other() -> None:
    chosen = choice_chart(_finished()).panels[1].series
    assert {s.name: list(s.y) for s in chosen} == {
        "modest": pytest.approx([0.2, 1]),
        "rich": pytest.approx([0.8, 0]),
    }
    assert chosen[1].base == pytest.approx([0.2, 1])
    spent = spending_chart(_finished()).panels[0].series
    assert {s.name: s.y[0] for s in spent} == {"A1": pytest.approx(8), "B": pytest.approx(2)}


def test_many_skills_that_differ_in_a_number_are_one() -> None:
    policies = {f"Pick(object{i})": 1 for i in range(13)} | {"Close(top)": 2}
    result = _result(15, 0, 1.0, episodes=policies)
    spent = spending_chart(_finished([result])).panels[0].series
    assert {s.name: s.y[0] for s in spent} == {"Pick(object#)": 13, "Close(top)": 2}


def test_improvement_is_over_pairs_of_seeds() -> None:
    chart = improvement_chart(_finished())
    assert chart is not None
    (series,) = chart.panels[0].series
    assert (series.name, list(series.x), list(series.y)) == ("deliberate", ["ees"], [1.0])
    both = [
        replace(r, cell=replace(r.cell, strategy="deliberate-paper"))
        if r.cell.strategy == "ees"
        else r
        for r in _results()
    ]
    chart = improvement_chart(_finished(both))
    assert chart is not None
    assert [(s.name, list(s.x)) for s in chart.panels[0].series] == [
        ("deliberate", ["deliberate-paper"])
    ]
    alone = [result for result in _results() if result.cell.strategy == "ees"]
    assert improvement_chart(_finished(alone)) is None


def test_the_middle_is_the_interquartile_mean() -> None:
    finished = _finished()
    rows = finished.rows
    panel = iqm_chart(finished).panels[1]
    assert categories(panel) == ["deliberate", "ees"]
    assert [s.y[0] for s in panel.series] == [rows[1].iqm.value, rows[3].iqm.value]


def test_csv_and_browser_have_what_is_drawn(tmp_path: Path) -> None:
    charts = [
        rewards_chart(_finished(task=replace(TASK, name="Strange names: $5 <b>"))),
        choice_chart(_finished()),
        iqm_chart(_finished()),
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


def test_a_bar_is_as_wide_where_others_are_not_finished() -> None:
    some = [r for r in _results() if (r.cell.strategy, r.cell.budget) != ("ees", 10)]
    chart = spending_chart(_finished(some))
    assert [categories(panel) for panel in chart.panels] == [["deliberate", "ees"]] * 2
    first, second = draw(chart).axes
    assert first.get_xlim() == second.get_xlim()


def test_axes_have_numbers_at_whole_episodes_and_at_the_last() -> None:
    learning = progress_chart(_finished())
    assert learning is not None
    rewards, spent = rewards_chart(_finished()), spending_chart(_finished())
    assert [list(panel.ticks) for panel in learning.panels] == [
        [0, 2, 4, 6, 8, 10],
        [0, 5, 10, 15, 20],
    ]
    assert list(rewards.panels[0].ticks) == [10, 20]
    for axes, panel in zip(draw(learning).axes, learning.panels, strict=True):
        assert axes.get_xticks().tolist() == list(panel.ticks)
    assert draw(spent).axes[0].get_xticks().tolist() == list(spent.panels[0].ticks)
    layout = plotly_figure(learning)["layout"]
    assert layout["xaxis2"]["tickvals"] == list(learning.panels[1].ticks)
    assert plotly_figure(spent)["layout"]["xaxis"]["tickvals"] == list(spent.panels[0].ticks)


def test_there_is_one_kind_of_band_and_the_figure_names_it() -> None:
    learning = progress_chart(_finished())
    assert learning is not None
    for chart in (learning, rewards_chart(_finished())):
        assert draw(chart).axes[0].get_ylabel() == "reward (mean, 95 % interval)"
