"""Learning curves: measured points with the same kind of interval as everything else."""

from __future__ import annotations

from deliberate_practice.study import statistics
from deliberate_practice.study.figures.curves import curves_chart
from deliberate_practice.study.learning_curves import LearningCurve


def _measured(seeds: int) -> LearningCurve:
    rates = tuple((0.0, 0.2 * (seed % 3), 1.0) for seed in range(seeds))
    return LearningCurve("Pick", (0, 6, 12), rates, (0.1, 0.5), 0.0, 0.1, 1.0)


def test_points_have_95_percent_intervals_within_0_and_1() -> None:
    curve = _measured(6)
    (panel,) = curves_chart("t", [curve]).panels
    measured = next(series for series in panel.series if series.name == "measured")
    middle = statistics.mean([rates[1] for rates in curve.rates])
    assert middle.interval is not None
    assert list(measured.ends) == [
        (0, 0),
        (max(0.0, middle.interval[0]), middle.interval[1]),
        (1, 1),
    ]
    assert "95 %" in curves_chart("t", [curve]).text


def test_few_seeds_have_no_interval() -> None:
    (panel,) = curves_chart("t", [_measured(3)]).panels
    measured = next(series for series in panel.series if series.name == "measured")
    assert not any(measured.ends)
