"""A picture of a frontier: what each budget buys, plan by plan."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from deliberate_practice.allocation.frontier import Frontier
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.markup import text_in_figure

FORMATS = (".png", ".pdf", ".svg")

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
"""The Okabe-Ito palette, which colour-blind readers can tell apart."""


def plot_frontier(frontier: Frontier, path: str | Path) -> None:
    """Draw value by plan and episodes by skill against budget, and save it (png, pdf, svg).

    Args:
        frontier: What to draw.
        path: Where to; the ending says the format.
    """
    from matplotlib.figure import Figure  # slow to import

    check_format(path)
    policies = list(dict.fromkeys(name for split in frontier.allocations for name in split))
    rows = max(len(policies), 1) * 0.22
    figure = Figure(figsize=(7.6, 3.8 + rows), layout="constrained")
    top, below = figure.subplots(2, 1, sharex=True, height_ratios=[3.2, rows])
    budgets, values = np.array(frontier.budgets), np.array(frontier.values)
    names = list(dict.fromkeys(_label(frontier, i) for i in range(len(budgets))))
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}

    top.plot(budgets, values, color="0.75", linewidth=1, zorder=1)
    for name in names:
        here = np.array([_label(frontier, i) == name for i in range(len(budgets))])
        top.plot(
            budgets, np.where(here, values, np.nan), color=colours[name], linewidth=2.5, label=name
        )
    if (np.array(frontier.bounds) > values * (1 + 1e-6)).any():
        top.fill_between(budgets, values, frontier.bounds, color="0.88", label="not yet proven")
    for switch in frontier.switches:
        top.axvline(switch.budget, color="0.8", linewidth=0.8, zorder=0)
        if values[-1] > 0 and values[switch.budget] > 0.02 * values[-1]:
            top.annotate(
                str(switch.budget),
                (switch.budget, values[switch.budget]),
                textcoords="offset points",
                xytext=(-4, 6),
                ha="right",
                fontsize=9,
            )
    top.set_ylabel("expected reward after practice")
    top.set_ylim(bottom=0)
    top.set_title(f"{text_in_figure(frontier.task)}: what practice buys")
    top.legend(title="best plan", frameon=False, loc="upper left")

    shares = np.array([[split.get(name, 0) for split in frontier.allocations] for name in policies])
    if len(policies):
        extent = (-0.5, len(budgets) - 0.5, len(policies) - 0.5, -0.5)
        image = below.imshow(
            shares, aspect="auto", extent=extent, cmap="Greys", interpolation="nearest"
        )
        figure.colorbar(image, ax=below, label="episodes", pad=0.01)
    below.set_yticks(range(len(policies)), [text_in_figure(name) for name in policies], fontsize=8)
    below.set_xlabel("practice budget")
    top.spines[["top", "right"]].set_visible(False)
    top.margins(x=0)
    try:
        figure.savefig(path, dpi=160)
    except OSError as error:
        raise ArgumentError(f"plot: cannot write '{path}': {error.strerror}.") from error


def check_format(path: str | Path) -> None:
    """Refuse a picture format we do not write, before any work is done for it."""
    if Path(path).suffix.lower() not in FORMATS:
        raise ArgumentError(
            f"plot: '{path}' has no known ending; use one of: {', '.join(FORMATS)}."
        )


def _label(frontier: Frontier, i: int) -> str:
    return text_in_figure(frontier.goals[i] or "none")
