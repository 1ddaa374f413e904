"""The tables of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deliberate_practice.allocation.frontier_chart import stretches
from deliberate_practice.foundation.estimates import Estimate
from deliberate_practice.study.frontiers import (
    LEAST,
    FrontierStudy,
    another_hour,
    parts_left,
)
from deliberate_practice.study.report.content import Table
from deliberate_practice.study.summary import Row


def reward_table(name: str, rows: Sequence[Row], against: str | None) -> Table:
    """Everything about the reward of each strategy, belief and budget."""
    better = f"P(better than {against})" if against else None
    possible = any(row.fraction is not None for row in rows)
    columns = ["strategy", "belief", "budget", "seeds", "mean ± sd", "95 % interval", "IQM"]
    columns += ["of possible"] if possible else []
    columns += [better] if better else []
    cells = []
    for row in rows:
        line = [row.strategy, row.setting, str(row.budget), str(row.seeds)]
        line += [f"{row.mean:.2f}" + ("" if row.std is None else f" ± {row.std:.2f}")]
        line += [f"{row.ci95[0]:.2f} to {row.ci95[1]:.2f}" if row.ci95 else "–"]
        line += [_estimate(row.iqm)]
        if possible:
            line.append(_part(row.fraction))
        if better:
            line.append(_estimate(row.improvement))
        line.append(", ".join(f"{goal} {count}" for goal, count in row.goals.items()))
        cells.append(line)
    caption = (
        "Reward after practice: mean and standard deviation over seeds, and interquartile mean "
        "(IQM), with intervals at 95 %; how often each goal was aimed for"
    )
    return Table(name, caption, [*columns, "aims for"], cells, words=2)


def switch_table(name: str, studies: Mapping[str, FrontierStudy]) -> Table:
    """From which budget on each goal is the best."""
    cells = []
    for priors, study in studies.items():
        for variant, found in study.frontiers.items():
            parts = [f"{s.goal or 'nothing'} from {s.first}" for s in stretches(found)]
            loss = _worst(study, variant)
            cells.append([priors, variant, ", ".join(parts), loss])
    caption = (
        "Which goal is the best to practise for, by budget; and what is left, at the worst budget, "
        "of the possible value if the split is made for the stated priors (budgets are left out "
        f"that can buy less than {LEAST:.0%} of what the largest one can)"
    )
    columns = ["priors", "if truly", "aim for", "left at worst"]
    return Table(name, caption, columns, cells, words=3)


def hour_table(
    name: str, studies: Mapping[str, FrontierStudy], budgets: Sequence[int], episode_seconds: float
) -> Table:
    """What another hour buys at the budgets of the study."""
    cells = []
    for priors, study in studies.items():
        for hour in another_hour(study.stated, budgets, episode_seconds):
            cells.append(
                [
                    priors,
                    str(hour.budget),
                    hour.goal or "nothing",
                    f"{hour.value:.2f}",
                    hour.goal_after or "nothing",
                    f"{hour.value_after:.2f}",
                    f"{hour.gain:+.2f}",
                ]
            )
    caption = f"What another hour of practice buys, at {episode_seconds:g} s for an episode"
    columns = ["priors", "budget", "aim for", "value", "then aim for", "value then", "gain"]
    return Table(name, caption, columns, cells)


def solver_table(name: str, measured: Mapping[str, Any]) -> Table:
    """Every answer of every solver."""
    cells = []
    for one in measured["compared"]:
        line = [one["task"], one["solver"], f"{one['states']:,}", str(one["budget"])]
        if one["seconds"] is None:
            line += ["", "", "", {"refused": "refused by its licence"}.get(one["status"], "absent")]
        else:
            gap = "" if one["gap"] is None else f"{one['gap']:.1%}"
            line += [f"{one['value']:.4f}", gap, f"{one['seconds']:.4f}", one["status"]]
        cells.append(line)
    caption = (
        "Plan search against global solvers of the bilinear program; CPU seconds, or the limit of "
        f"{measured['time_limit']:g} s"
    )
    columns = ["task", "solver", "states", "budget", "value", "gap", "seconds", "status"]
    return Table(name, caption, columns, cells, words=2)


def robustness_table(name: str, tables: Mapping[str, Sequence[Row]]) -> Table:
    """Reward as a part of the clairvoyant's, by what is wrong."""
    keys = list(
        dict.fromkeys((r.strategy, r.setting, r.budget) for rows in tables.values() for r in rows)
    )
    cells = []
    for strategy, belief, budget in keys:
        line = [strategy, belief, str(budget)]
        for rows in tables.values():
            mine = [
                r for r in rows if (r.strategy, r.setting, r.budget) == (strategy, belief, budget)
            ]
            line.append(_part(mine[0].fraction) if mine else "")
        cells.append(line)
    caption = "Reward as a part of the clairvoyant's, by what is true of the robot"
    return Table(name, caption, ["strategy", "belief", "budget", *tables], cells, words=2)


def _worst(study: FrontierStudy, variant: str) -> str:
    if variant not in study.kept:
        return ""  # nothing is wrong there
    return _part(min(parts_left(study, variant).values(), default=None))


def _part(value: float | None) -> str:
    """Of what is possible; a dash where that is not known."""
    return "–" if value is None else f"{value:.0%}"


def _estimate(found: Estimate | None) -> str:
    if found is None:
        return ""
    low_high = "({:.2f} to {:.2f})".format(*found.interval) if found.interval else ""
    return f"{found.value:.2f} {low_high}".rstrip()
