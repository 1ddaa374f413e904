"""Rewards of practice where the true curves differ from the stated ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deliberate_practice.charts.chart import Chart, Look, Panel, Series
from deliberate_practice.study.grouping import grid
from deliberate_practice.study.summary import DRAWN, Row


def robustness_chart(
    name: str, title: str, rows: Mapping[str, Sequence[Row]], looks: Mapping[str, Look]
) -> Chart | None:
    """Reward as a part of the clairvoyant's, by what is wrong with the priors.

    Args:
        name: Of the files.
        title: What was compared.
        rows: Tables of the same comparison, by the true curves of the robot. The result is None if
            the clairvoyant's value is never known.
        looks: By strategy.
    """
    known = [(truth, row) for truth, table in rows.items() for row in table if row.clairvoyant]
    if not known:
        return None
    strategies = dict.fromkeys(row.strategy for _, row in known)
    panels = []
    for heading, _, here in grid(known, lambda pair: (pair[1].setting, pair[1].budget)):
        found = {
            strategy: {truth: row for truth, row in here if row.strategy == strategy}
            for strategy in strategies
        }
        series = [_points(name, mine, looks[name]) for name, mine in found.items() if mine]
        panels.append(Panel(heading, series, words=list(rows)))
    return Chart(
        title,
        "The belief starts from the stated priors; the robot's true rates, starts or competences "
        "are those times the factor at the left. Mean reward as a part of the clairvoyant's, who "
        f"knows the truth, {DRAWN}.",
        panels,
        "true of the robot",
        "part of what is possible",
        columns=len({row.budget for _, row in known}),
        name=name,
        horizontal=True,
        limits=(0, 1.05),
    )


def _points(strategy: str, found: Mapping[str, Row], look: Look) -> Series:
    possible = [row.clairvoyant or 1.0 for row in found.values()]
    pairs = list(zip(found.values(), possible, strict=True))
    return Series(
        strategy,
        list(found),
        [row.mean / best for row, best in pairs],
        "points",
        ends=[
            (row.drawn[0] / best, row.drawn[1] / best) if row.drawn else None for row, best in pairs
        ],
        look=look,
    )
