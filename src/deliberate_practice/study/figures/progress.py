"""Reward against episodes, at each budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from deliberate_practice.charts.chart import Chart, Look, Panel, Series
from deliberate_practice.charts.ticks import whole_ticks
from deliberate_practice.study.grouping import grid, grouped
from deliberate_practice.study.run_study import Finished
from deliberate_practice.study.summary import number_of_seeds


def progress_chart(finished: Finished) -> Chart | None:
    """Mean reward as practice goes on, with its standard deviation; a panel for each budget.

    Returns None if some sessions were not measured during practice.
    """
    results, looks = finished.sessions, finished.looks
    if not results or not all(result.curve for result in results):
        return None
    panels = []
    for title, budget, here in grid(results, lambda r: (r.cell.setting, r.cell.budget)):
        series = [
            _mean([result.curve for result in mine], strategy, budget, looks[strategy])
            for strategy, mine in grouped(here, lambda result: result.cell.strategy).items()
        ]
        panels.append(Panel(title, series, ticks=whole_ticks(budget)))
    seeds = Counter((r.cell.strategy, r.cell.setting, r.cell.budget) for r in results).values()
    return Chart(
        f"{finished.title}: reward against episodes",
        f"Reward of the robot's own plan against practice episodes, where it was looked at. Mean "
        f"over {number_of_seeds(seeds)}; bands: mean ± one standard deviation.",
        panels,
        "episodes",
        "reward (mean ± sd)",
        columns=len({result.cell.budget for result in results}),
        limits=(0, None),
    )


def _mean(
    curves: Sequence[Sequence[tuple[int, float]]], strategy: str, budget: int, look: Look
) -> Series:
    """Over the seeds, wherever one of them was measured; each stays as it was measured last."""
    spent = sorted({b for curve in curves for b, _ in curve} | {budget})
    rewards = np.array([_held(curve, spent) for curve in curves])
    mean = rewards.mean(axis=0)
    ends: list[tuple[float, float]] = []
    if len(curves) > 1:
        std = rewards.std(axis=0, ddof=1)
        least = min(0.0, float(rewards.min()))  # no reward is below that, so bands are not either
        ends = list(zip(np.maximum(least, mean - std), mean + std, strict=True))
    return Series(strategy, spent, mean.tolist(), ends=ends, look=look)


def _held(curve: Sequence[tuple[int, float]], spent: Sequence[int]) -> list[float]:
    """A curve at each budget: skills that cost more than 1 step over some of them."""
    at = np.searchsorted([b for b, _ in curve], spent, side="right") - 1
    return [curve[max(0, i)][1] for i in at]
