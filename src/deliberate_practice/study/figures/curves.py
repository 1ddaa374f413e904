"""How each skill improves by practice alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deliberate_practice.charts.chart import Chart, Look, Panel, Series
from deliberate_practice.charts.palette import GREY, STRATEGIES
from deliberate_practice.charts.ticks import whole_ticks
from deliberate_practice.study import statistics
from deliberate_practice.study.learning_curves import LearningCurve
from deliberate_practice.study.summary import DRAWN

POINTS = 100
"""At which a fitted curve is drawn."""


def curves_chart(title: str, curves: Sequence[LearningCurve]) -> Chart:
    """Measured competence against attempts, with the curve that fits best; a panel for each skill.

    Args:
        title: What was measured.
        curves: One for each skill.
    """
    return Chart(
        title,
        f"Competence of each skill against its attempts: measured, {DRAWN}, and the exponential "
        "curve that fits best.",
        [_panel(curve) for curve in curves],
        "attempts",
        "competence",
        columns=min(4, len(curves)),
        limits=(0, 1.03),
    )


def _panel(curve: LearningCurve) -> Panel:
    b = np.linspace(0, curve.attempts[-1], POINTS)
    fit = curve.start + (curve.ceiling - curve.start) * -np.expm1(-curve.rate * b)
    points = [statistics.mean(rates) for rates in zip(*curve.rates, strict=True)]
    drawn = len(curve.rates) >= statistics.FEWEST
    ends = [_within(point.interval) if drawn else None for point in points]
    series = [
        Series("fitted", b.tolist(), fit.tolist(), look=Look(STRATEGIES["deliberate"].colour)),
        Series("measured", curve.attempts, curve.competence, "points", ends, look=Look(GREY)),
    ]
    return Panel(curve.policy, series, ticks=whole_ticks(curve.attempts[-1]))


def _within(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    """An interval of a probability, cut off at 0 and 1."""
    return interval and (max(0.0, interval[0]), min(1.0, interval[1]))
