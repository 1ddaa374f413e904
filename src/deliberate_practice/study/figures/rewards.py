"""Reward after practice against the budget."""

from __future__ import annotations

from dataclasses import replace

from deliberate_practice.charts.chart import Chart, Look, Panel, Series
from deliberate_practice.charts.palette import GREY
from deliberate_practice.charts.ticks import spaced
from deliberate_practice.study.figures.units import budget_label
from deliberate_practice.study.grouping import grouped
from deliberate_practice.study.run_study import Finished
from deliberate_practice.study.summary import DRAWN


def rewards_chart(finished: Finished) -> Chart:
    """Mean reward after practice with its 95 % interval against the budget."""
    rows, looks = finished.rows, finished.looks
    panels = []
    for setting, here in grouped(rows, lambda row: row.setting).items():
        ordered = {
            strategy: sorted(mine, key=lambda row: row.budget)
            for strategy, mine in grouped(here, lambda row: row.strategy).items()
        }
        series = [
            Series(
                strategy,
                [row.budget for row in mine],
                [row.mean for row in mine],
                ends=[row.drawn for row in mine],
                look=looks[strategy],
            )
            for strategy, mine in ordered.items()
        ]
        known = {row.budget: row.clairvoyant for row in here if row.clairvoyant is not None}
        if known:
            budgets = sorted(known)
            possible = [known[budget] for budget in budgets]
            series.append(Series("clairvoyant", budgets, possible, look=Look(GREY, (9, 4))))
        ticks = spaced([row.budget for row in here])
        panels.append(Panel(f"belief {setting}", series, ticks=ticks))
    if len(panels) == 1:
        panels = [replace(panels[0], title="")]
    possible_text = " Clairvoyant: the best that is possible for the true curves."
    return Chart(
        f"{finished.title}: reward against budget",
        f"Reward after practice against the budget. Mean over seeds, {DRAWN}."
        + (possible_text if any(row.clairvoyant is not None for row in rows) else ""),
        panels,
        budget_label(finished.loaded.task),
        "reward (mean, 95 % interval)",
        columns=len(panels),
        limits=(0, None),
    )
