"""Charts of frontiers, wrong priors and solvers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deliberate_practice.charts.chart import categories
from deliberate_practice.charts.palette import STRATEGIES
from deliberate_practice.practice.domain import load_task
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.study.experiment import Experiment
from deliberate_practice.study.figures.possibilities import (
    achieved_chart,
    hour_chart,
    loss_chart,
    switch_chart,
)
from deliberate_practice.study.figures.robustness import robustness_chart
from deliberate_practice.study.figures.solving import solving_chart
from deliberate_practice.study.frontiers import FrontierStudy, frontier_study
from deliberate_practice.study.loaded import Loaded
from deliberate_practice.study.report.tables import reward_table, robustness_table, switch_table
from deliberate_practice.study.run_study import Finished
from deliberate_practice.study.summary import summarise

GOALS = ["toast", "oatmeal"]


@pytest.fixture(scope="module")
def study() -> FrontierStudy:
    return frontier_study(load_task("breakfast"), 100)


def _cells(strategy: str, budget: int) -> list[Cell]:
    return [Cell(strategy, "bayes", "cma-es", budget, seed) for seed in range(2)]


def _finished() -> Finished:
    results = [CellResult(cell, 0.9, 0.9, "toast", {}) for cell in _cells("ees", 30)]
    task = load_task("breakfast")
    experiment = Experiment("e", task, [30], "regions", strategies=["ees"], seeds=2)
    return Finished(Loaded("s", experiment, task, {}, "0"), tuple(results))


def test_bars_of_switches_cover_all_budgets(study: FrontierStudy) -> None:
    (panel,) = switch_chart("s", "t", GOALS, {"stated": study}).panels
    assert categories(panel) == list(study.frontiers)
    toast, oatmeal = panel.series
    assert toast.base is not None
    assert oatmeal.base is not None
    widths = dict(zip(toast.x, toast.y, strict=True))
    begins = dict(zip(oatmeal.x, oatmeal.base, strict=True))
    ends = {x: b + y for x, b, y in zip(oatmeal.x, oatmeal.base, oatmeal.y, strict=True)}
    assert (widths["as stated"], begins["as stated"], ends["as stated"]) == (41, 41, 101)
    assert begins["rates × 1/2"] == 82


def test_the_frontier_is_drawn_whole_with_what_was_achieved(study: FrontierStudy) -> None:
    (panel,) = achieved_chart(_finished(), study.stated).panels
    toast, oatmeal, ees = panel.series
    assert [*toast.x, *oatmeal.x[1:]] == list(study.stated.budgets)
    assert [*toast.y, *oatmeal.y[1:]] == list(study.stated.values)
    assert (list(ees.x), list(ees.y)) == ([30.0], [0.9])


def test_hours_and_losses(study: FrontierStudy) -> None:
    (panel,) = hour_chart("h", "t", {"stated": study}, 60).panels
    values = study.stated.values
    assert list(panel.series[0].y) == [values[b + 60] - values[b] for b in range(41)]
    assert (
        list(panel.lines) == []
    )  # oatmeal is from 41 on, where the hour goes beyond what is known
    chart = loss_chart("l", "t", {"stated": study})
    assert chart is not None
    (panel,) = chart.panels
    assert all(0 <= y <= 1 + 1e-9 for series in panel.series for y in series.y)
    assert min(y for s in panel.series if s.name == "rates × 1/2" for y in s.y) < 0.5


def test_robustness_is_relative_to_the_clairvoyant() -> None:
    task = load_task("breakfast")
    cells = _cells("deliberate", 30)
    half = [CellResult(cell, 0.475, 0.475, "toast", {}) for cell in cells]
    rows = summarise(task, "curves", half)
    chart = robustness_chart("r", "t", {"as stated": rows, "rates × 2": rows}, STRATEGIES)
    assert chart is not None
    assert (chart.name, chart.title) == ("r", "t")
    (panel,) = chart.panels
    (series,) = panel.series
    assert list(series.x) == ["as stated", "rates × 2"]
    assert rows[0].clairvoyant is not None
    assert series.y == pytest.approx([0.475 / rows[0].clairvoyant] * 2)


def test_nothing_is_relative_to_what_is_not_known() -> None:
    task = load_task("breakfast")
    cells = [_cells("deliberate", budget)[0] for budget in (30, 60)]
    rows = summarise(task, "curves", [CellResult(cell, 0.4, 0.4, "toast", {}) for cell in cells])
    doubtful = [replace(row, clairvoyant=None, fraction=None) for row in rows]
    assert robustness_chart("r", "t", {"as stated": doubtful}, STRATEGIES) is None
    mixed = {"as stated": rows, "rates × 2": [rows[0], doubtful[1]]}
    chart = robustness_chart("r", "t", mixed, STRATEGIES)
    assert chart is not None
    assert [list(panel.series[0].x) for panel in chart.panels] == [
        ["as stated", "rates × 2"],
        ["as stated"],
    ]
    table = robustness_table("r", mixed)
    assert table.rows[1][-1] == "–"
    rewards = reward_table("t", [rows[0], doubtful[1]], None)
    assert rewards.rows[1][rewards.columns.index("of possible")] == "–"


def test_what_is_not_proven_is_said(study: FrontierStudy) -> None:
    """With rates × 2 there may be something better above a budget of 50."""
    found = study.frontiers["rates × 2"]
    assert study.proven
    bounds = (*found.values[:51], *(2 * value for value in found.values[51:]))
    doubtful = replace(found, bounds=bounds)
    half = replace(study, frontiers={**study.frontiers, "rates × 2": doubtful})
    assert not half.proven
    whole, chart = loss_chart("l", "t", {"stated": study}), loss_chart("l", "t", {"stated": half})
    assert whole is not None
    assert chart is not None
    shown = [{series.name for series in one.panels[0].series} for one in (whole, chart)]
    assert shown[0] - shown[1] == {"rates × 2"}
    cells = {row[0]: row[2] for row in switch_table("s", {"stated": half}).rows}
    assert cells["rates × 2"] == "–"
    assert "%" in cells["rates × 1/2"]
    achieved = achieved_chart(_finished(), doubtful)
    assert achieved.panels[0].series[0].name == "best known: toast"
    assert "not proven" in achieved.text


def test_solvers_that_refused_are_named() -> None:
    def one(solver: str, status: str, seconds: float | None, states: int = 41) -> dict[str, object]:
        return {"solver": solver, "status": status, "seconds": seconds, "states": states}

    measured = {
        "time_limit": 10.0,
        "growth": [one("plans", "optimal", 0.5, 5001) | {"task": "4 objects"}],
        "compared": [
            one("plans", "optimal", 0.1),
            one("scip", "feasible", 10.0),
            one("gurobi", "refused", None, 5001),
        ],
    }
    chart = solving_chart("s", measured)
    names = {s.name: (list(s.x), list(s.y)) for s in chart.panels[0].series}
    assert names == {
        "plan search": ([41, 5001], [0.1, 0.5]),
        "SCIP, not done at the limit": ([41], [10.0]),
    }
    assert "refused tasks from 5,001 states on" in chart.text
