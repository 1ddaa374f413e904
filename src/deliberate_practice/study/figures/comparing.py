"""Strategies against each other: interquartile means, and the probability of improvement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from deliberate_practice.charts.chart import Chart, Look, Panel, Series, grid
from deliberate_practice.foundation.estimates import Estimate
from deliberate_practice.study.cell import CellResult
from deliberate_practice.study.run_study import Finished
from deliberate_practice.study.statistics import improvement_by_seed
from deliberate_practice.study.summary import DRAWN, Row

OURS = ("deliberate", "deliberate-paper")
"""Strategies whose superiority is asked for, where they were compared."""


def iqm_chart(finished: Finished) -> Chart:
    """Interquartile mean of the reward with its interval, by strategy."""
    rows, looks = finished.rows, finished.looks
    strategies = list(dict.fromkeys(row.strategy for row in rows))
    panels = []
    for words, setting, budget in grid((row.setting, row.budget) for row in rows):
        here = [row for row in rows if (row.setting, row.budget) == (setting, budget)]
        series = [_point(r.strategy, {r.strategy: _drawn(r)}, looks[r.strategy]) for r in here]
        panels.append(Panel(words, series, words=strategies))
    return Chart(
        f"{finished.title}: interquartile means",
        f"Interquartile mean of the reward over seeds, {DRAWN}.",
        panels,
        "",
        "reward",
        columns=len({row.budget for row in rows}),
        horizontal=True,
        limits=(0, None),
    )


def improvement_chart(finished: Finished) -> Chart | None:
    """The probability that a run of ours is better than another strategy with the same seed.

    Returns None if there is nothing to compare with.
    """
    groups = _rewards(finished.sessions)
    strategies = list(dict.fromkeys(strategy for strategy, _, _ in groups))
    ours = [one for one in OURS if one in strategies] or strategies[:1]
    others = [one for one in strategies if one not in ours]
    if not others:  # nobody else is there: the first of ours against the other
        ours, others = strategies[:1], strategies[1:]
    if not others:
        return None
    panels = []
    for words, setting, budget in grid((setting, budget) for _, setting, budget in groups):
        series = []
        for strategy in ours:
            mine = groups.get((strategy, setting, budget), {})
            found = {
                other: improvement_by_seed(mine, groups.get((other, setting, budget), {}))
                for other in others
            }
            known = {other: estimate for other, estimate in found.items() if estimate}
            series.append(_point(strategy, known, finished.looks[strategy]))
        panels.append(Panel(words, series, [(0.5, "")], others))
    return Chart(
        f"{finished.title}: who is better",
        f"Probability that a run of {' or '.join(ours)} earns more than one of the strategy at the "
        "left with the same seed, belief and budget; ties count half. 95 % intervals (Wilson); "
        "dotted: no difference.",
        panels,
        "better than",
        "probability",
        columns=len({budget for _, _, budget in groups}),
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
        group = groups.setdefault((cell.strategy, cell.setting, cell.budget), {})
        group[cell.seed] = result.reward
    return groups


def _point(strategy: str, found: Mapping[str, Estimate], look: Look) -> Series:
    """Estimates by category, in a strategy's colour."""
    return Series(
        strategy,
        list(found),
        [one.value for one in found.values()],
        "points",
        ends=[one.interval for one in found.values()],
        look=look,
    )
