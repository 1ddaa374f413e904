"""Reward against episodes at each budget, and after practice against the budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from deliberate_practice.charts.chart import Chart, Look, Panel, Series, grid
from deliberate_practice.charts.palette import GREY, of_strategy
from deliberate_practice.charts.ticks import spaced, whole_ticks
from deliberate_practice.study.cell import CellResult
from deliberate_practice.study.summary import DRAWN, Row, number_of_seeds


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
            _mean([r.curve for r in here if r.cell.strategy == strategy], strategy, budget)
            for strategy in strategies
        ]
        panels.append(Panel(words, series, ticks=whole_ticks(budget)))
    seeds = Counter((r.cell.strategy, r.cell.belief, r.cell.budget) for r in results).values()
    return Chart(
        name,
        title,
        f"Reward of the robot's own plan against practice episodes, where it was looked at. Mean "
        f"over {number_of_seeds(seeds)}; bands: mean ± one standard deviation.",
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
                    ends=[row.drawn for row in mine],
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
        f"Reward after practice against the budget. Mean over seeds, {DRAWN}."
        + (possible_text if any(row.clairvoyant is not None for row in rows) else ""),
        panels,
        len(beliefs),
        "practice budget [episodes]",
        "reward (mean, 95 % interval)",
        limits=(0, None),
    )


def _mean(curves: Sequence[Sequence[tuple[int, float]]], strategy: str, budget: int) -> Series:
    """Over the seeds, wherever one of them was measured; each stays as it was measured last."""
    spent = sorted({b for curve in curves for b, _ in curve} | {budget})
    rewards = np.array([_held(curve, spent) for curve in curves])
    mean = rewards.mean(axis=0)
    ends: list[tuple[float, float]] = []
    if len(curves) > 1:
        std = rewards.std(axis=0, ddof=1)
        least = min(0.0, float(rewards.min()))  # no reward is below that, so bands are not either
        low, high = np.maximum(least, mean - std), mean + std
        ends = list(zip(low.tolist(), high.tolist(), strict=True))
    return Series(strategy, spent, mean.tolist(), ends=ends, look=of_strategy(strategy))


def _held(curve: Sequence[tuple[int, float]], spent: Sequence[int]) -> list[float]:
    """A curve at each budget: skills that cost more than 1 step over some of them."""
    at = np.searchsorted([b for b, _ in curve], spent, side="right") - 1
    return [curve[max(0, i)][1] for i in at]
