"""Tables of ``deliberate priors``: curves, samples and budgets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from deliberate_practice.cli.output import console, print_whole, table
from deliberate_practice.foundation.percent import percent

if TYPE_CHECKING:
    from deliberate_practice.study.learning_curves import LearningCurve
    from deliberate_practice.study.natural_budgets import NaturalBudgets, Window
    from deliberate_practice.study.prior_samples import Load, PriorSample

MISSING = "-"


def print_curves(curves: Sequence[LearningCurve]) -> None:
    """Competence at every point, and the fitted curve."""
    points = sorted({point for curve in curves for point in curve.attempts})
    columns = ["skill", "start", "rate", "most", *map(str, points)]
    rows = []
    for curve in curves:
        at = dict(zip(curve.attempts, curve.competence, strict=True))
        shown = [f"{at[point]:.2f}" if point in at else MISSING for point in points]
        fit = [f"{curve.start:.2f}", f"{curve.rate:.3f}", f"{curve.ceiling:.2f}"]
        rows.append([curve.policy, *fit, *shown])
    pooled = ", one for all skills of a verb" if any(curve.pooled for curve in curves) else ""
    out = console()
    out.print(f"Competence by attempts, and the exponential curve that fits it best{pooled}")
    print_whole(out, table(columns, rows, numeric=range(1, len(columns))))


def print_samples(samples: Sequence[PriorSample]) -> None:
    """Rates of what is counted, with intervals, and the loads."""
    columns = ["skill", "executed", "touched", "succeeded", "stopped", "force", "speed"]
    rows = [
        [
            sample.skill,
            *(_rate(sample, counted) for counted in columns[1:5]),
            _load(sample.force),
            _load(sample.speed),
        ]
        for sample in samples
    ]
    out = console()
    out.print(
        f"Percent of {samples[0].samples} draws from each search prior, with 95 % intervals; the "
        "largest force and joint speed, and their medians, as parts of their limits"
    )
    print_whole(out, table(columns, rows, numeric=range(1, len(columns))))


def print_budgets(found: NaturalBudgets) -> None:
    """Windows of the goals, and the budgets that the rule chooses."""
    columns = ["goal", "best from", "to", "95 % of from", "has a window", "budget", "best there"]
    rows = [_window(window) for window in found.windows]
    out = console()
    sure = f"over {found.resamples} resamples of the seeds" if found.resamples else "from one seed"
    out.print(f"Budgets at which each goal is the best to aim for, {sure}")
    print_whole(out, table(columns, rows, numeric=range(1, len(columns))))
    if found.budgets:
        out.print(
            f"budgets for studies: {','.join(map(str, found.budgets))} (three quarters into each "
            "window, 1.5 times the beginning of the last one, rounded to 10)"
        )


def _rate(sample: PriorSample, counted: str) -> str:
    count, interval = getattr(sample, counted), sample.interval(counted)
    if interval is None:
        return MISSING
    part, low, high = (f"{100 * x:.0f}" for x in (count / sample.samples, *interval))
    return f"{part} ({low}-{high})"


def _load(load: Load | None) -> str:
    return f"{load.largest:.2f} ({load.median:.2f})" if load else MISSING


def _window(window: Window) -> list[str]:
    ends = window.first_ci95
    return [
        window.goal,
        _number(window.first),
        MISSING if window.first is None else "any" if window.last is None else str(window.last),
        f"{ends[0]:.0f}-{ends[1]:.0f}" if ends else MISSING,
        _percent(window.share),
        _number(window.budget),
        _percent(window.budget_share),
    ]


def _number(value: int | None) -> str:
    return MISSING if value is None else str(value)


def _percent(share: float | None) -> str:
    return MISSING if share is None else percent(share)
