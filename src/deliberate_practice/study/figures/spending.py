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
        limits=(0, 1),
    )


def spending_chart(finished: Finished) -> Chart:
    """Mean episodes of practice of each policy, by strategy and budget."""
    results = finished.sessions
    policies = list(dict.fromkeys(p for result in results for p in _spent(result)))
    merged = {p: re.sub(r"\d+", "#", p) if len(policies) > MANY else p for p in policies}

    def episodes(mine: Sequence[CellResult]) -> dict[str, float]:
        sums = dict.fromkeys(merged.values(), 0.0)
        for result in mine:
            for policy, count in _spent(result).items():
                sums[merged[policy]] += count / len(mine)
        return sums

    return Chart(
        f"{finished.title}: how the budget was spent",
        "How the practice budget was spent over skills: mean episodes of practice of "
        "each, over seeds.",
        _stacked(results, episodes, of_lines(merged.values())),
        "",
        "episodes",
        columns=len({result.cell.budget for result in results}),
        limits=(0, None),
        ticks=whole_ticks(max((result.cell.budget for result in results), default=0)),
    )


def _stacked(
    results: Sequence[CellResult],
    parts: Callable[[Sequence[CellResult]], Mapping[str, float]],
    looks: Mapping[str, Look],
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
        panels.append(Panel(title, series, words=everyone))
    return panels


def _spent(result: CellResult) -> Mapping[str, int]:
    """Episodes by policy; attempts where nothing else was kept."""
    return result.episodes or result.attempts
