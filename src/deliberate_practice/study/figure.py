"""Pictures of studies: reward against budget by strategy, and how skills learn alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from deliberate_practice.allocation.figure import COLOURS, check_format
from deliberate_practice.study.cell import CellResult
from deliberate_practice.study.learning_curves import LearningCurve
from deliberate_practice.study.summary import Row


def plot_comparison(title: str, rows: Sequence[Row], path: str | Path) -> None:
    """Draw mean reward with its 95 % interval against budget, and save it (png, pdf, svg).

    Args:
        title: What was compared.
        rows: The table.
        path: Where to; the ending says the format.
    """
    from matplotlib.figure import Figure  # slow to import

    check_format(path)
    figure = Figure(figsize=(7.6, 4.4), layout="constrained")
    axes = figure.subplots()
    series = list(dict.fromkeys((row.strategy, row.belief) for row in rows))
    several = len({belief for _, belief in series}) > 1
    for i, (strategy, belief) in enumerate(series):
        mine = [row for row in rows if (row.strategy, row.belief) == (strategy, belief)]
        budgets = [row.budget for row in mine]
        colour, style = COLOURS[i % len(COLOURS)], ("-", "--", ":")[i // len(COLOURS) % 3]
        label = f"{strategy} on {belief}" if several else strategy
        means = [row.mean for row in mine]
        axes.plot(budgets, means, style, color=colour, marker="o", markersize=4, label=label)
        low, high = [row.ci95[0] for row in mine], [row.ci95[1] for row in mine]
        axes.fill_between(budgets, low, high, color=colour, alpha=0.15, linewidth=0)
    known = {row.budget: row.clairvoyant for row in rows if row.clairvoyant is not None}
    if known:
        axes.plot(list(known), list(known.values()), color="0.6", linewidth=1, label="clairvoyant")
    axes.set_xlabel("practice budget")
    axes.set_ylabel("reward after practice")
    axes.set_ylim(bottom=0)
    axes.set_title(title.replace("$", r"\$"))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=160)


def plot_progress(title: str, results: Sequence[CellResult], path: str | Path) -> None:
    """Draw the reward measured as practice went on: a panel for each budget, mean and deviation.

    Args:
        title: What was compared.
        results: Sessions with measured curves.
        path: Where to; the ending says the format.
    """
    from matplotlib.figure import Figure  # slow to import

    check_format(path)
    budgets = sorted({result.cell.budget for result in results})
    series = list(dict.fromkeys((r.cell.strategy, r.cell.belief) for r in results))
    several = len({belief for _, belief in series}) > 1
    figure = Figure(figsize=(3.2 * len(budgets) + 0.8, 3.6), layout="constrained")
    panels = figure.subplots(1, len(budgets), sharey=True, squeeze=False)[0]
    for axes, budget in zip(panels, budgets, strict=True):
        for i, (strategy, belief) in enumerate(series):
            mine = [
                dict(result.curve)
                for result in results
                if (result.cell.strategy, result.cell.belief, result.cell.budget)
                == (strategy, belief, budget)
            ]
            spent = sorted(set.intersection(*(set(curve) for curve in mine)))
            rewards = np.array([[curve[b] for b in spent] for curve in mine])
            mean, std = rewards.mean(axis=0), rewards.std(axis=0)
            colour, style = COLOURS[i % len(COLOURS)], ("-", "--", ":")[i // len(COLOURS) % 3]
            label = f"{strategy} on {belief}" if several else strategy
            axes.plot(spent, mean, style, color=colour, linewidth=1.6, label=label)
            axes.fill_between(spent, mean - std, mean + std, color=colour, alpha=0.13, linewidth=0)
        axes.set_title(f"budget {budget}", fontsize=10)
        axes.set_xlabel("episodes")
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(x=0)
    panels[0].set_ylim(bottom=0)  # for all, and only now that all are drawn
    panels[0].set_ylabel("reward of the robot's own plan")
    panels[0].legend(frameon=False, fontsize=7, loc="upper left")
    figure.suptitle(title.replace("$", r"\$"), fontsize=11)
    figure.savefig(path, dpi=160)


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
    for axes, curve in zip(grid, curves, strict=False):
        b = np.linspace(0, curve.attempts[-1], 100)
        fit = curve.start + (curve.ceiling - curve.start) * -np.expm1(-curve.rate * b)
        axes.plot(b, fit, color=COLOURS[0], linewidth=1.4)
        axes.errorbar(
            curve.attempts, curve.competence, curve.error, fmt="o", color="0.2", markersize=3
        )
        axes.set_title(curve.policy.replace("$", r"\$"), fontsize=9)
        axes.set_ylim(0, 1.03)
        axes.spines[["top", "right"]].set_visible(False)
    figure.supxlabel("attempts", fontsize=9)
    figure.supylabel("competence", fontsize=9)
    figure.suptitle(title.replace("$", r"\$"), fontsize=10)
    figure.savefig(path, dpi=160)
