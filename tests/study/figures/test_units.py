"""Units of budgets: episodes where all cost the same, units where they do not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from deliberate_practice.practice.domain import load_task
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.study.experiment import Experiment
from deliberate_practice.study.figures.progress import progress_chart
from deliberate_practice.study.figures.rewards import rewards_chart
from deliberate_practice.study.figures.spending import spending_chart
from deliberate_practice.study.figures.units import budget_label, budget_unit, units_spent
from deliberate_practice.study.loaded import Loaded
from deliberate_practice.study.run_study import Finished
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import read_task

EQUAL = load_task("breakfast")
COSTLY = replace(
    EQUAL,
    skills=[replace(s, cost=3) if s.name == "StartToaster" else s for s in EQUAL.skills],
)
EXAMPLES = Path(__file__).parents[3] / "examples"


def _result(**more: Any) -> CellResult:
    curve = ((0, 0.0), (7, 0.5), (13, 1.0))
    cell = Cell("ees", "bayes", "cma-es", 13, 0)
    return CellResult(cell, 1.0, 1.0, None, **{"attempts": {}, "curve": curve, **more})


def _finished(task: Task, *results: CellResult) -> Finished:
    experiment = Experiment("e", task, [13], "regions", strategies=["ees"])
    return Finished(Loaded("s", experiment, task, {}, "0"), results)


def test_the_unit_is_an_episode_unless_costs_differ() -> None:
    assert (budget_unit(EQUAL), budget_unit(COSTLY)) == ("episodes", "units")
    assert budget_label(COSTLY) == "practice budget [units]"
    assert budget_unit(read_task(EXAMPLES / "so101.toml")) == "units"


def test_every_axis_with_budgets_names_its_unit() -> None:
    for task, unit in ((EQUAL, "[episodes]"), (COSTLY, "[units]")):
        one = _finished(task, _result(episodes={"StartToaster": 3, "OpenMicrowave": 4}))
        learning = progress_chart(one)
        assert learning is not None
        assert unit in learning.x_label
        assert unit in rewards_chart(one).x_label
        assert unit in spending_chart(one).y_label


def test_spending_counts_costs_so_that_bars_reach_the_budget() -> None:
    result = _result(episodes={"StartToaster": 3, "OpenMicrowave": 4})
    assert units_spent(COSTLY, result) == {"StartToaster": 9, "OpenMicrowave": 4}
    series = spending_chart(_finished(COSTLY, result)).panels[0].series
    assert sum(one.y[0] for one in series) == 13


def test_rounds_count_demonstrations_training_and_evaluations() -> None:
    task = read_task(EXAMPLES / "so101.toml")
    counts = {"episodes": 23, "attempts": 20, "tests": 5}  # three were never reached
    result = _result(**{name: {"PickCube": count} for name, count in counts.items()})
    assert units_spent(task, result) == {"PickCube": 23 * 2 + 2 * 3 + 5 * 1}
