"""Pictures of studies: reward against budget by strategy, and how skills learn alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from deliberate_practice.allocation.figure import COLOURS, check_format
from deliberate_practice.charts.print import draw
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.markup import text_in_figure
from deliberate_practice.study.cell import CellResult
from deliberate_practice.study.figures.learning import learning_chart, reward_chart
from deliberate_practice.study.learning_curves import LearningCurve
from deliberate_practice.study.summary import Row


def plot_comparison(title: str, rows: Sequence[Row], path: str | Path) -> None:
    """Draw mean reward with its 95 % interval against budget, and save it (png, pdf, svg).

    Args:
        title: What was compared.
        rows: The table.
        path: Where to; the ending says the format.
    """
    check_format(path)
    draw(reward_chart("rewards", title, rows), titled=True).savefig(path, dpi=200)


def plot_progress(title: str, results: Sequence[CellResult], path: str | Path) -> None:
    """Draw the reward as practice went on: a panel for each budget, mean and deviation.

    Args:
        title: What was compared.
        results: Sessions with curves.
        path: Where to; the ending says the format.
    """
    check_format(path)
    chart = learning_chart("progress", title, results)
    if chart is None:
        raise ArgumentError("results: give sessions that were measured on the way, at least one.")
    draw(chart, titled=True).savefig(path, dpi=200)


def plot_learning_curves(title: str, curves: Sequence[LearningCurve], path: str | Path) -> None:
    """Draw each skill's measured competence against attempts, with the curve that fits it best."""
    from matplotlib.figure import Figure  # slow to import

    check_format(path)
    columns = min(4, len(curves))
    rows = -(-len(curves) // columns)
    figure = Figure(figsize=(2.1 * columns + 0.6, 1.8 * rows + 0.6), layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for axes in grid[len(curves) :]:
        axes.set_visible(False)
    for axes in grid[: len(curves)][-columns:]:  # also above those that are not there
        axes.tick_params(labelbottom=True)
    for axes, curve in zip(grid, curves, strict=False):
        b = np.linspace(0, curve.attempts[-1], 100)
        fit = curve.start + (curve.ceiling - curve.start) * -np.expm1(-curve.rate * b)
        axes.plot(b, fit, color=COLOURS[0], linewidth=1.4)
        axes.errorbar(
            curve.attempts, curve.competence, curve.error, fmt="o", color="0.2", markersize=3
        )
        axes.set_title(text_in_figure(curve.policy), fontsize=9)
        axes.set_ylim(0, 1.03)
        axes.spines[["top", "right"]].set_visible(False)
    figure.supxlabel("attempts", fontsize=9)
    figure.supylabel("competence", fontsize=9)
    figure.suptitle(text_in_figure(title), fontsize=10)
    figure.savefig(path, dpi=160)
