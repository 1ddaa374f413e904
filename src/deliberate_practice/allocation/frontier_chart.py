"""A chart of a frontier: the value of each budget, and its split over skills."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

from deliberate_practice.allocation.frontier import Frontier
from deliberate_practice.charts.chart import Chart, Look, Panel, Series
from deliberate_practice.charts.palette import PALE, of_goals

ROW = 0.09
"""Height of a row of the split, as a part of a usual panel's."""
FEWEST = 3
"""The fewest rows for which the split has room, so that its scale can be read."""
LEAST = 0.02
"""Switches below this part of the largest value have no number, because they are crowded."""


@dataclass(frozen=True)
class Stretch:
    """Budgets from ``first`` to ``last``, for which one goal is best."""

    goal: str | None
    first: int
    last: int


def frontier_chart(frontier: Frontier) -> Chart:
    """Expected reward by goal of the best plan, and episodes by skill, against the budget."""
    looks = of_goals(goal or "none" for goal in frontier.goals)
    panels = [
        Panel(
            "",
            [*_doubt(frontier), *frontier_lines(frontier, looks, "best plan: ")],
            _switches(frontier),
            y_label="expected reward after practice",
            limits=(0, None),
            height=1.25,
        )
    ]
    policies = list(dict.fromkeys(name for split in frontier.allocations for name in split))
    rows = [
        Series(
            name, frontier.budgets, [split.get(name, 0) for split in frontier.allocations], "heat"
        )
        for name in policies
    ]
    if rows:
        panels.append(Panel("", rows, height=ROW * max(FEWEST, len(rows)), scale="episodes"))
    return Chart(
        f"{frontier.task}: what practice buys",
        "Above: expected reward after practice with the best split of each budget, coloured by the "
        "goal of the best plan; thin lines mark the budgets at which the best plan changes. "
        "Below: episodes of each skill in that split.",
        panels,
        "practice budget [units]",
    )


def frontier_lines(frontier: Frontier, looks: Mapping[str, Look], words: str) -> list[Series]:
    """The frontier in pieces with one goal each; each piece begins where the last one ended.

    Args:
        frontier: The frontier to draw.
        looks: The look of each goal, and of ``none``.
        words: Text before the goals' names in the legend.
    """
    pieces, named = [], set[str]()
    for stretch in stretches(frontier):
        goal = stretch.goal or "none"
        budgets = range(max(0, stretch.first - 1), stretch.last + 1)
        values = [frontier.values[budget] for budget in budgets]
        quiet = goal in named
        named.add(goal)
        pieces.append(Series(f"{words}{goal}", budgets, values, look=looks[goal], quiet=quiet))
    return pieces


def stretches(frontier: Frontier) -> tuple[Stretch, ...]:
    """The ranges of budgets with the same best goal, in order."""
    runs = itertools.groupby(frontier.budgets, key=frontier.goals.__getitem__)
    budgets = ((goal, list(run)) for goal, run in runs)
    return tuple(Stretch(goal, run[0], run[-1]) for goal, run in budgets)


def _doubt(frontier: Frontier) -> list[Series]:
    """The band between values and bounds, unless all values are proven optimal."""
    if frontier.proven:
        return []
    known = [budget for budget in frontier.budgets if math.isfinite(frontier.bounds[budget])]
    ends = [(frontier.values[budget], frontier.bounds[budget]) for budget in known]
    bounds = [bound for _, bound in ends]
    return [Series("not yet proven", known, bounds, ends=ends, look=Look(PALE))]


def _switches(frontier: Frontier) -> list[tuple[float, str]]:
    """The switches, each with its budget as a label if there is room."""
    least = LEAST * frontier.values[-1]
    return [
        (budget, str(budget) if frontier.values[budget] > least else "")
        for budget in dict.fromkeys(switch.budget for switch in frontier.switches)
    ]
