"""Reward against episodes at each budget, and after practice against the budget."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deliberate_practice.study.cell import CellResult
from deliberate_practice.study.figures.chart import Chart, Look, Panel, Series, grid
from deliberate_practice.study.figures.palette import GREY, of_strategy
from deliberate_practice.study.figures.ticks import spaced, whole_ticks
from deliberate_practice.study.summary import Row


def learning_chart(name: str, title: str, results: Sequence[CellResult]) -> Chart | None:
    """Mean reward as practice goes on, with its standard deviation; a panel for each budget.

    Args:
        name: Of the files.
        title: What was compared.
        results: Sessions; None comes back if some were not measured on the way.
    """
    if not results or not all(result.curve for result in results):
        return None
    panels = []
    for words, belief, budget in grid((r.cell.belief, r.cell.budget) for r in results):
        here = [r for r in results if (r.cell.belief, r.cell.budget) == (belief, budget)]
        strategies = list(dict.fromkeys(result.cell.strategy for result in here))
        series = [
            _mean([dict(r.curve) for r in here if r.cell.strategy == strategy], strategy)
            for strategy in strategies
        ]
        panels.append(Panel(words, series, ticks=whole_ticks(budget)))
    seeds = len({result.cell.seed for result in results})
    return Chart(
        name,
        title,
        f"Reward of the robot's own plan against practice episodes, where it was looked at. Mean "
        f"over {seeds} seeds; bands: mean ± one standard deviation.",
        panels,
        len({result.cell.budget for result in results}),
        "episodes",
        "reward (mean ± sd)",
        limits=(0, None),
    )


def reward_chart(name: str, title: str, rows: Sequence[Row]) -> Chart:
    """Mean reward after practice with its 95 % interval against the budget."""
    beliefs = list(dict.fromkeys(row.belief for row in rows))
    panels = []
    for belief in beliefs:
        here = [row for row in rows if row.belief == belief]
        series = []
        for strategy in dict.fromkeys(row.strategy for row in here):
            mine = sorted((r for r in here if r.strategy == strategy), key=lambda r: r.budget)
            series.append(
                Series(
                    strategy,
                    [row.budget for row in mine],
                    [row.mean for row in mine],
                    low=[row.ci95[0] for row in mine],
                    high=[row.ci95[1] for row in mine],
                    look=of_strategy(strategy),
                )
            )
        known = {row.budget: row.clairvoyant for row in here if row.clairvoyant is not None}
        if known:
            budgets = sorted(known)
            possible = [known[budget] for budget in budgets]
            series.append(Series("clairvoyant", budgets, possible, look=Look(GREY, (9, 4))))
        ticks = spaced([row.budget for row in here])
        panels.append(Panel(f"belief {belief}", series, ticks=ticks))
    possible_text = " The dashed line is the best that is possible for the true curves."
    return Chart(
        name,
        title,
        "Reward after practice against the budget. Mean over seeds; bands are 95 % intervals."
        + (possible_text if any(row.clairvoyant is not None for row in rows) else ""),
        panels,
        len(beliefs),
        "practice budget [episodes]",
        "reward (mean, 95 % interval)",
        limits=(0, None),
    )


def _mean(curves: Sequence[dict[int, float]], strategy: str) -> Series:
    """Over the seeds, where all of them were measured."""
    spent = sorted(set.intersection(*(set(curve) for curve in curves)))
    rewards = np.array([[curve[b] for b in spent] for curve in curves])
    mean = rewards.mean(axis=0)
    std = rewards.std(axis=0, ddof=1) if len(curves) > 1 else np.zeros(len(spent))
    return Series(
        strategy,
        spent,
        mean.tolist(),
        low=np.maximum(0.0, mean - std).tolist(),
        high=(mean + std).tolist(),
        look=of_strategy(strategy),
    )
