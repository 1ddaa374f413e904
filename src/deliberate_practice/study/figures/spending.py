"""What was chosen at which budget, and how the budget was spent over skills."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from deliberate_practice.charts.chart import Chart, Look, Panel, Series
from deliberate_practice.charts.palette import of_goals, of_lines
from deliberate_practice.charts.ticks import whole_ticks
from deliberate_practice.study.aims import aims
from deliberate_practice.study.cell import CellResult
from deliberate_practice.study.figures.units import EPISODES, budget_unit, units_spent
from deliberate_practice.study.grouping import grid, grouped
from deliberate_practice.study.run_study import Finished

MANY = 12
"""With more policies than this, those that differ in a number only are drawn as one."""


def choice_chart(finished: Finished) -> Chart:
    """How often each goal was aimed for in the end, by strategy and budget."""
    results = finished.sessions
    goals = aims(finished.loaded.task, (result.goal for result in results))

    def share(mine: Sequence[CellResult]) -> dict[str, float]:
        chosen = [result.goal or "none" for result in mine]
        return {goal: chosen.count(goal) / len(chosen) for goal in (*goals, "none")}

    return Chart(
        f"{finished.title}: what was chosen",
        "What the robot would aim for after practice: share of seeds for each goal.",
        _stacked(results, share, of_goals(goals)),
        "",
        "share of seeds",
        columns=len({result.cell.budget for result in results}),
        horizontal=True,
        limits=(0, 1),
    )


def spending_chart(finished: Finished) -> Chart:
    """The mean budget of each policy, by strategy and budget."""
    results, task = finished.sessions, finished.loaded.task
    spent = {result.cell: units_spent(task, result) for result in results}
    policies = list(dict.fromkeys(p for units in spent.values() for p in units))
    merged = {p: re.sub(r"\d+", "#", p) if len(policies) > MANY else p for p in policies}

    def means(mine: Sequence[CellResult]) -> dict[str, float]:
        sums = dict.fromkeys(merged.values(), 0.0)
        for result in mine:
            for policy, units in spent[result.cell].items():
                sums[merged[policy]] += units / len(mine)
        return sums

    unit = budget_unit(task)
    largest = max((result.cell.budget for result in results), default=0)
    return Chart(
        f"{finished.title}: how the budget was spent",
        f"How the practice budget was spent over skills: mean {unit} of each, over seeds."
        + ("" if unit == EPISODES else " An episode counts as many units as it costs."),
        _stacked(results, means, of_lines(merged.values()), whole_ticks(largest)),
        "",
        f"spent [{unit}]",
        columns=len({result.cell.budget for result in results}),
        horizontal=True,
        limits=(0, None),
    )


def _stacked(
    results: Sequence[CellResult],
    parts: Callable[[Sequence[CellResult]], Mapping[str, float]],
    looks: Mapping[str, Look],
    ticks: Sequence[int] = (),
) -> list[Panel]:
    """A panel for each belief and budget; a bar for each strategy; its parts on each other."""
    panels = []
    everyone = list(dict.fromkeys(result.cell.strategy for result in results))
    for title, _, here in grid(results, lambda r: (r.cell.setting, r.cell.budget)):
        sessions = grouped(here, lambda result: result.cell.strategy)
        values = [parts(mine) for mine in sessions.values()]
        base = np.zeros(len(sessions))
        series = []
        for part in dict.fromkeys(part for one in values for part in one):
            heights = np.array([one.get(part, 0.0) for one in values])
            if heights.any():
                bars, below = heights.tolist(), base.tolist()
                series.append(
                    Series(part, list(sessions), bars, "bar", base=below, look=looks[part])
                )
            base = base + heights
        panels.append(Panel(title, series, words=everyone, ticks=ticks))
    return panels
