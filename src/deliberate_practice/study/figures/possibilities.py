"""The frontier with what was achieved on it; where plans switch; what wrong priors cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from deliberate_practice.allocation.frontier import Frontier
from deliberate_practice.allocation.frontier_chart import frontier_lines, stretches
from deliberate_practice.charts.chart import Chart, Look, Panel, Series
from deliberate_practice.charts.palette import MORE, OTHERS, of_goals
from deliberate_practice.charts.ticks import spaced, whole_ticks
from deliberate_practice.study.aims import aims
from deliberate_practice.study.figures.units import EPISODES, budget_label
from deliberate_practice.study.frontiers import (
    FrontierStudy,
    another_hour,
    episodes_per_hour,
    parts_left,
)
from deliberate_practice.study.grouping import grouped
from deliberate_practice.study.run_study import Finished
from deliberate_practice.study.summary import DRAWN


def achieved_chart(finished: Finished, found: Frontier) -> Chart:
    """What each budget could buy by the stated curves, and what practice achieved.

    Args:
        finished: What was achieved.
        found: The frontier of what the task states.
    """
    rows, looks = finished.rows, finished.looks
    goal_looks = of_goals(aims(finished.loaded.task, found.goals))
    words = "frontier: " if found.proven else "best known: "
    doubt = "" if found.proven else " (not proven: there may be better plans)"
    step = 0.008 * found.budgets[-1]  # side by side, so that intervals can be told apart
    panels = []
    for setting, here in grouped(rows, lambda row: row.setting).items():
        strategies = grouped(here, lambda row: row.strategy)
        series = frontier_lines(found, goal_looks, words)
        series += [
            Series(
                strategy,
                [row.budget + step * (i - (len(strategies) - 1) / 2) for row in mine],
                [row.mean for row in mine],
                "points",
                ends=[row.drawn for row in mine],
                look=looks[strategy],
            )
            for i, (strategy, mine) in enumerate(strategies.items())
        ]
        ticks = spaced([0, *(row.budget for row in here), found.budgets[-1]])
        panels.append(Panel(f"belief {setting}", series, ticks=ticks))
    if len(panels) == 1:
        panels = [replace(panels[0], title="")]
    return Chart(
        f"{finished.title}: on the frontier",
        "Lines: the best expected reward that each budget can buy by the stated curves"
        f"{doubt}, coloured by the goal of the best plan. Points: mean reward achieved, "
        f"{DRAWN}; strategies at the same budget are drawn side by side.",
        panels,
        budget_label(finished.loaded.task),
        "reward",
        columns=len(panels),
        name=f"{finished.experiment.name}-frontier",
        limits=(0, None),
    )


def switch_chart(
    name: str,
    title: str,
    goals: Sequence[str],
    studies: Mapping[str, FrontierStudy],
    unit: str = EPISODES,
) -> Chart:
    """For which budgets each goal is the best, as stated and with wrong priors.

    Args:
        name: Of the files.
        title: Which task.
        goals: The task's goals, in its order.
        studies: By the origin of the priors.
        unit: The unit of budgets.
    """
    goal_looks = of_goals(goals)
    panels = []
    for priors, study in studies.items():
        variants = list(study.frontiers)
        parts: list[Series] = []
        for goal in (*goals, "none"):
            bars = [
                (variant, stretch.first, stretch.last + 1 - stretch.first)
                for variant in variants
                for stretch in stretches(study.frontiers[variant])
                if (stretch.goal or "none") == goal
            ]
            if bars:
                where, base, width = zip(*bars, strict=True)
                parts.append(Series(goal, where, width, "bar", base=base, look=goal_looks[goal]))
        ticks = whole_ticks(study.stated.budgets[-1])
        panels.append(Panel(priors, parts, words=variants, ticks=ticks))
    return Chart(
        title,
        "Which goal is the best to practise for at each budget, if the priors are right, and if "
        "rates, starts or competences are wrong by the factor at the left.",
        panels,
        "",
        f"practice budget [{unit}]",
        columns=len(panels),
        name=name,
        horizontal=True,
    )


def hour_chart(
    name: str,
    title: str,
    studies: Mapping[str, FrontierStudy],
    episode_seconds: float,
    unit: str = EPISODES,
) -> Chart:
    """What one more hour of practice adds to the expected reward, against the budget."""
    more = episodes_per_hour(episode_seconds)
    panels = []
    for priors, study in studies.items():
        budgets = study.stated.budgets[: len(study.stated.budgets) - more]
        hours = another_hour(study.stated, budgets, episode_seconds)
        gains = Series("another hour", budgets, [hour.gain for hour in hours], look=Look(MORE[0]))
        switches = [s for s in study.stated.switches if s.goal and 0 < s.budget < len(budgets)]
        first = [
            (those[0].budget, f"{goal}")
            for goal, those in grouped(switches, lambda s: s.goal).items()
        ]
        panels.append(Panel(priors, [gains], first, ticks=whole_ticks(budgets[-1])))
    return Chart(
        title,
        f"Expected reward that another hour of practice ({more} {unit} of {episode_seconds:g} s) "
        "adds at each budget. Dotted: from there on another goal is the best.",
        panels,
        f"practice budget [{unit}]",
        "reward per hour",
        columns=len(panels),
        name=name,
        limits=(0, None),
    )


def loss_chart(
    name: str, title: str, studies: Mapping[str, FrontierStudy], unit: str = EPISODES
) -> Chart | None:
    """What is left of the best possible value if a split is made for wrong priors.

    Args:
        name: Of the files.
        title: Which task.
        studies: By the origin of the priors. The result is None if no optimum is proven.
        unit: The unit of budgets.
    """
    panels = []
    for priors, study in studies.items():
        worth = {variant: parts_left(study, variant) for variant in study.kept}
        series = [
            Series(
                variant,
                list(parts),
                list(parts.values()),
                look=replace(OTHERS[i % len(OTHERS)], marker=""),
            )
            for i, (variant, parts) in enumerate(worth.items())
            if parts
        ]
        if series:
            panels.append(Panel(priors, series, ticks=whole_ticks(study.stated.budgets[-1])))
    if not panels:
        return None
    return Chart(
        title,
        "If the priors are wrong as the legend says, and nothing corrects them: true value of the "
        "split for the stated priors, as a part of the best split for the true ones.",
        panels,
        f"practice budget [{unit}]",
        "part of what is possible",
        columns=len(panels),
        name=name,
        limits=(0, 1.05),
    )
