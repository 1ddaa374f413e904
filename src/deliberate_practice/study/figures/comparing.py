"""Strategies against each other: interquartile means, and the probability of improvement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from deliberate_practice.charts.chart import Chart, Look, Panel, Series
from deliberate_practice.foundation.estimates import Estimate
from deliberate_practice.study.cell import rewards_by_seed
from deliberate_practice.study.grouping import grid
from deliberate_practice.study.run_study import Finished
from deliberate_practice.study.statistics import improvement_by_seed
from deliberate_practice.study.summary import DRAWN, Row

OURS = ("deliberate", "deliberate-paper")
"""Strategies whose superiority is asked for, where they were compared."""


def iqm_chart(finished: Finished) -> Chart:
    """Interquartile mean of the reward with its interval, by strategy."""
    rows, looks = finished.rows, finished.looks
    strategies = list(dict.fromkeys(row.strategy for row in rows))
    panels = [
        Panel(
            title,
            [_point(r.strategy, {r.strategy: _drawn(r)}, looks[r.strategy]) for r in here],
            words=strategies,
        )
        for title, _, here in grid(rows, lambda row: (row.setting, row.budget))
    ]
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
    sessions = finished.sessions
    strategies = list(dict.fromkeys(session.cell.strategy for session in sessions))
    ours = [one for one in OURS if one in strategies] or strategies[:1]
    others = [one for one in strategies if one not in ours]
    if not others:  # nobody else is there: the first of ours against the other
        ours, others = strategies[:1], strategies[1:]
    if not others:
        return None
    panels = []
    for title, _, here in grid(sessions, lambda r: (r.cell.setting, r.cell.budget)):
        rewards = rewards_by_seed(here)
        series = []
        for strategy in ours:
            mine = rewards.get(strategy, {})
            found = {other: improvement_by_seed(mine, rewards.get(other, {})) for other in others}
            known = {other: estimate for other, estimate in found.items() if estimate}
            series.append(_point(strategy, known, finished.looks[strategy]))
        panels.append(Panel(title, series, [(0.5, "")], others))
    return Chart(
        f"{finished.title}: who is better",
        f"Probability that a run of {' or '.join(ours)} earns more than one of the strategy at the "
        "left with the same seed, belief and budget; ties count half. Exact 95 % intervals; "
        "dotted: no difference.",
        panels,
        "better than",
        "probability",
        columns=len({session.cell.budget for session in sessions}),
        horizontal=True,
        limits=(0, 1.02),
    )


def _drawn(row: Row) -> Estimate:
    return row.iqm if row.drawn else replace(row.iqm, interval=None)


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
