"""The tables of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from deliberate_practice.allocation.frontier_chart import stretches
from deliberate_practice.foundation.estimates import Estimate
from deliberate_practice.foundation.percent import percent
from deliberate_practice.study.figures.units import EPISODES
from deliberate_practice.study.frontiers import (
    LEAST,
    FrontierStudy,
    another_hour,
    parts_left,
)
from deliberate_practice.study.report.content import Table
from deliberate_practice.study.report.verdict import Standing, Verdict
from deliberate_practice.study.summary import Row


def standing_table(name: str, ranked: Sequence[Standing]) -> Table:
    """How each strategy did in the whole study."""
    columns = ["strategy", "highest mean", "settled as the best", "won", "lost", "not settled"]
    cells = [
        [
            one.strategy,
            f"{one.highest} of {one.compared}",
            f"{one.best} of {one.compared}",
            *map(str, (one.won, one.lost, one.undecided)),
        ]
        for one in ranked
    ]
    caption = (
        "Every budget of every experiment is a comparison; won, lost and not settled are pairs "
        "with another strategy at the same belief, budget and seeds"
    )
    return Table(name, caption, columns, cells)


def verdict_table(name: str, judged: Mapping[str, Sequence[Verdict]]) -> Table:
    """The best strategy of every experiment, setting and budget.

    Args:
        name: Name of the file.
        judged: Verdicts by the name of the experiment.
    """
    lines = [(experiment, one) for experiment, found in judged.items() for one in found]
    columns: dict[str, Callable[[str, Verdict], str]] = {}
    if len(judged) > 1:
        columns["experiment"] = lambda experiment, _: experiment
    if len({one.setting for _, one in lines}) > 1:
        columns["belief"] = lambda _, one: one.setting
    columns |= {
        "best": lambda _, one: one.best,
        "budget": lambda _, one: str(one.budget),
        "reward": lambda _, one: f"{one.reward:.3f}",
        "of possible": lambda _, one: _part(one.fraction),
        "ahead by": lambda _, one: _signed(one.lead),
        "of": lambda _, one: one.second or "–",
        "settled over": lambda _, one: ", ".join(one.beaten) or "–",
        "not settled over": lambda _, one: ", ".join(one.undecided) or "–",
    }
    if not any(one.fraction is not None for _, one in lines):
        del columns["of possible"]
    cells = [[text(experiment, one) for text in columns.values()] for experiment, one in lines]
    caption = (
        "The strategy with the highest mean reward at each budget, and its mean lead over the next "
        "one with the same seeds (95 % interval)"
    )
    return Table(name, caption, list(columns), cells, words=list(columns).index("budget"))


def reward_table(name: str, rows: Sequence[Row], against: str | None) -> Table:
    """Everything about the reward of each strategy, belief and budget."""
    columns: dict[str, Callable[[Row], str]] = {
        "strategy": lambda row: row.strategy,
        "belief": lambda row: row.setting,
        "budget": lambda row: str(row.budget),
        "seeds": lambda row: str(row.seeds),
        "mean ± sd": lambda r: f"{r.mean:z.2f}" + ("" if r.std is None else f" ± {r.std:.2f}"),
        "95 % interval": lambda row: "{:z.2f} to {:z.2f}".format(*row.ci95) if row.ci95 else "–",
        "IQM": lambda row: _estimate(row.iqm),
    }
    if any(row.fraction is not None for row in rows):
        columns["of possible"] = lambda row: _part(row.fraction)
    if against:
        columns[f"P(better than {against})"] = lambda row: _estimate(row.improvement)
    columns["practice"] = lambda row: f"{row.practice_episodes:.0f}"
    columns["tests"] = lambda row: f"{row.test_episodes:.0f}"
    columns["executions"] = lambda row: f"{row.skill_executions:.0f}"
    columns["aims for"] = lambda row: ", ".join(f"{goal} {n}" for goal, n in row.goals.items())
    cells = [[text(row) for text in columns.values()] for row in rows]
    caption = (
        "Reward after practice: mean and standard deviation over seeds, and interquartile mean "
        "(IQM), with intervals at 95 %; episodes of practice, tests, and skills executed in both, "
        "approaches included, as means; how often each goal was aimed for"
    )
    return Table(name, caption, list(columns), cells, words=2)


def switch_table(name: str, studies: Mapping[str, FrontierStudy]) -> Table:
    """From which budget on each goal is the best."""
    cells = [
        [
            priors,
            variant,
            ", ".join(f"{s.goal or 'nothing'} from {s.first}" for s in stretches(found)),
            _worst(study, variant),
        ]
        for priors, study in studies.items()
        for variant, found in study.frontiers.items()
    ]
    caption = (
        "Which goal is the best to practise for, from which budget on. Left at worst: the smallest "
        "part of the possible value, over all budgets, that the split for the stated priors keeps "
        f"(without budgets that can buy less than {percent(LEAST)} of what the largest one can)"
    )
    columns = ["priors", "if truly", "aim for", "left at worst"]
    return _of_priors(Table(name, caption, columns, cells, words=3), studies)


def hour_table(
    name: str,
    studies: Mapping[str, FrontierStudy],
    budgets: Sequence[int],
    episode_seconds: float,
    unit: str,
) -> Table:
    """What another hour buys at the budgets of the study."""
    cells = [
        [
            priors,
            str(hour.budget),
            hour.goal or "nothing",
            f"{hour.value:.2f}",
            hour.goal_after or "nothing",
            f"{hour.value_after:.2f}",
            f"{hour.gain:+z.2f}",
        ]
        for priors, study in studies.items()
        for hour in another_hour(study.stated, budgets, episode_seconds)
    ]
    one = "an episode" if unit == EPISODES else "a unit"
    caption = f"What another hour of practice buys, at {episode_seconds:g} s for {one}"
    columns = ["priors", "budget", "aim for", "value", "then aim for", "value then", "gain"]
    return _of_priors(Table(name, caption, columns, cells), studies)


def solver_table(name: str, measured: Mapping[str, Any]) -> Table:
    """Every answer of every solver."""
    cells = []
    for one in measured["compared"]:
        line = [one["task"], one["solver"], f"{one['states']:,}", str(one["budget"])]
        if one["seconds"] is None:
            line += ["", "", "", {"refused": "refused by its licence"}.get(one["status"], "absent")]
        else:
            gap = "" if one["gap"] is None else percent(one["gap"], digits=1)
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
    parts = [
        {(row.strategy, row.setting, row.budget): _part(row.fraction) for row in rows}
        for rows in tables.values()
    ]
    cells = [
        [*map(str, place), *(known.get(place, "") for known in parts)]
        for place in dict.fromkeys(place for known in parts for place in known)
    ]
    caption = "Reward as a part of the clairvoyant's, by what is true of the robot"
    return Table(name, caption, ["strategy", "belief", "budget", *tables], cells, words=2)


def _of_priors(table: Table, studies: Mapping[str, FrontierStudy]) -> Table:
    """The table without its first column if all rows have the same priors."""
    if len(studies) > 1:
        return table
    rows = [row[1:] for row in table.rows]
    return replace(table, columns=table.columns[1:], rows=rows, words=max(1, table.words - 1))


def _worst(study: FrontierStudy, variant: str) -> str:
    left = _part(min(parts_left(study, variant).values(), default=None))
    return left if variant in study.kept else ""  # nothing is wrong there


def _part(value: float | None) -> str:
    """Of what is possible; a dash where that is not known."""
    return "–" if value is None else percent(value)


def _signed(lead: Estimate | None) -> str:
    """A difference; a dash where there is nobody to compare with."""
    if lead is None:
        return "–"
    ends = " ({:+z.3f} to {:+z.3f})".format(*lead.interval) if lead.interval else ""
    return f"{lead.value:+z.3f}{ends}"


def _estimate(found: Estimate | None) -> str:
    if found is None:
        return ""
    return f"{found.value:z.2f}" + (
        " ({:z.2f} to {:z.2f})".format(*found.interval) if found.interval else ""
    )
