"""Strategies against each other: interquartile means, and how probable it is to be better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from deliberate_practice.charts.chart import Chart, Panel, Series, grid
from deliberate_practice.charts.palette import of_strategy
from deliberate_practice.foundation.estimates import Estimate
from deliberate_practice.study.cell import CellResult
from deliberate_practice.study.statistics import improvement_by_seed
from deliberate_practice.study.summary import DRAWN, Row

OURS = ("deliberate", "deliberate-paper")
"""Strategies whose superiority is asked for, where they were compared."""


def middle_chart(name: str, title: str, rows: Sequence[Row]) -> Chart:
    """Interquartile mean of the reward with its interval, by strategy."""
    strategies = list(dict.fromkeys(row.strategy for row in rows))
    panels = []
    for words, belief, budget in grid((row.belief, row.budget) for row in rows):
        here = [row for row in rows if (row.belief, row.budget) == (belief, budget)]
        series = [_point(row.strategy, {row.strategy: _drawn(row)}) for row in here]
        panels.append(Panel(words, series, words=strategies))
    return Chart(
        name,
        title,
        f"Interquartile mean of the reward over seeds, {DRAWN}.",
        panels,
        len({row.budget for row in rows}),
        "",
        "reward",
        horizontal=True,
        limits=(0, None),
    )


def improvement_chart(name: str, title: str, results: Sequence[CellResult]) -> Chart | None:
    """How probable it is that a run of ours is better than another strategy with the same seed.

    Args:
        name: Of the files.
        title: What was compared.
        results: Sessions; None comes back if there is nothing to compare with.
    """
    groups = _rewards(results)
    strategies = list(dict.fromkeys(strategy for strategy, _, _ in groups))
    ours = [one for one in OURS if one in strategies] or strategies[:1]
    others = [one for one in strategies if one not in ours]
    if not others:  # nobody else is there: the first of ours against the other
        ours, others = strategies[:1], strategies[1:]
    if not others:
        return None
    panels = []
    for words, belief, budget in grid((belief, budget) for _, belief, budget in groups):
        series = []
        for strategy in ours:
            mine = groups.get((strategy, belief, budget), {})
            found = {
                other: improvement_by_seed(mine, groups.get((other, belief, budget), {}))
                for other in others
            }
            series.append(_point(strategy, {o: e for o, e in found.items() if e}))
        panels.append(Panel(words, series, [(0.5, "")], others))
    return Chart(
        name,
        title,
        f"Probability that a run of {' or '.join(ours)} earns more than one of the strategy at the "
        "left with the same seed, belief and budget; ties count half. 95 % intervals (Wilson); "
        "dotted: no difference.",
        panels,
        len({budget for _, _, budget in groups}),
        "better than",
        "probability",
        horizontal=True,
        limits=(0, 1.02),
    )


def _drawn(row: Row) -> Estimate:
    return row.iqm if row.drawn else replace(row.iqm, interval=None)


def _rewards(results: Sequence[CellResult]) -> dict[tuple[str, str, int], dict[int, float]]:
    """Rewards by seed, of each strategy, belief and budget."""
    groups: dict[tuple[str, str, int], dict[int, float]] = {}
    for result in results:
        cell = result.cell
        group = groups.setdefault((cell.strategy, cell.belief, cell.budget), {})
        group[cell.seed] = result.reward
    return groups


def _point(strategy: str, found: Mapping[str, Estimate]) -> Series:
    """Estimates by category, in a strategy's colour."""
    return Series(
        strategy,
        list(found),
        [one.value for one in found.values()],
        "points",
        ends=[one.interval for one in found.values()],
        look=of_strategy(strategy),
    )
