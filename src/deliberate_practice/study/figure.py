"""A picture of a comparison: reward against budget, by strategy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deliberate_practice.allocation.figure import COLOURS, check_format
from deliberate_practice.study.comparison import Row


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
