"""Reward in the course of practice, at each budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from deliberate_practice.charts.chart import Chart, Look, Panel, Series
from deliberate_practice.charts.ticks import whole_ticks
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.study import statistics
from deliberate_practice.study.cell import CellResult
from deliberate_practice.study.figures.units import budget_unit
from deliberate_practice.study.grouping import grid, grouped
from deliberate_practice.study.run_study import Finished
from deliberate_practice.study.summary import DRAWN, number_of_seeds


def progress_chart(finished: Finished) -> Chart | None:
    """Mean reward as practice goes on, with its 95 % interval; a panel for each budget.

    Returns None if some sessions were not measured during practice.
    """
    results, looks = finished.sessions, finished.looks
    if not results or not all(result.curve for result in results):
        return None
    panels = []
    for title, budget, here in grid(results, lambda r: (r.cell.setting, r.cell.budget)):
        spent = _common_grid(here, budget)
        series = [
            _mean(mine, strategy, spent, looks[strategy])
            for strategy, mine in grouped(here, lambda result: result.cell.strategy).items()
        ]
        panels.append(Panel(title, series, ticks=whole_ticks(budget)))
    seeds = Counter((r.cell.strategy, r.cell.setting, r.cell.budget) for r in results).values()
    unit = budget_unit(finished.loaded.task)
    return Chart(
        f"{finished.title}: reward during practice",
        "Reward of the robot's own plan against the budget spent so far, linear between two "
        f"measurements. Mean over {number_of_seeds(seeds)}, {DRAWN}.",
        panels,
        f"spent [{unit}]",
        "reward (mean, 95 % interval)",
        columns=len({result.cell.budget for result in results}),
        limits=(0, None),
    )


def _common_grid(results: Sequence[CellResult], budget: int) -> list[float]:
    """The budgets at which all sessions of a panel are compared.

    Equal episodes are measured at the same budgets. Where costs differ, each session steps over
    others; there the grid has as many points as a session, at equal distances.
    """
    measured = {tuple(spent for spent, _ in result.curve) for result in results}
    if len(measured) == 1:
        (points,) = measured
        return sorted({*points, budget})
    number = max((len(points) for points in measured), default=2)
    return [float(place) for place in np.linspace(0, budget, number)]


def _mean(
    results: Sequence[CellResult], strategy: str, spent: Sequence[float], look: Look
) -> Series:
    """The mean over seeds with its interval, which few seeds do not have."""
    rewards = np.array([_on_grid(result.curve, spent) for result in results])
    points = [statistics.mean(column.tolist()) for column in rewards.T]
    banded = len(results) >= statistics.FEWEST
    ends = [point.interval for point in points] if banded else []
    return Series(strategy, spent, [point.value for point in points], ends=ends, look=look)


def _on_grid(curve: Sequence[tuple[int, float]], spent: Sequence[float]) -> FloatArray:
    """A curve at other budgets, linear between its points."""
    places, rewards = np.array(curve, dtype=np.float64).T
    found: FloatArray = np.interp(np.asarray(spent, dtype=np.float64), places, rewards)
    return found
