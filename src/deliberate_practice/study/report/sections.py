"""The sections of a report: each experiment, what its tasks allow, wrong priors, solvers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deliberate_practice.domains.library import BUILT_IN, load_task
from deliberate_practice.domains.robots import SCENES, SYNTHETIC, embodied
from deliberate_practice.errors import ArgumentError
from deliberate_practice.study.figures.chart import Chart
from deliberate_practice.study.figures.comparing import improvement_chart, middle_chart
from deliberate_practice.study.figures.learning import learning_chart, reward_chart
from deliberate_practice.study.figures.possibilities import (
    achieved_chart,
    hour_chart,
    loss_chart,
    switch_chart,
)
from deliberate_practice.study.figures.robustness import robustness_chart
from deliberate_practice.study.figures.solving import solving_chart
from deliberate_practice.study.figures.spending import choice_chart, spending_chart
from deliberate_practice.study.frontiers import (
    FrontierStudy,
    episodes_per_hour,
    frontier_study,
)
from deliberate_practice.study.report.content import Section, Table
from deliberate_practice.study.report.tables import (
    hour_table,
    reward_table,
    robustness_table,
    solver_table,
    switch_table,
)
from deliberate_practice.study.run_study import Finished
from deliberate_practice.study.statistics import half_width
from deliberate_practice.study.wrong_priors import said
from deliberate_practice.task.model import Task

FRONTIER_SECONDS = 30.0
"""For each frontier of a task that is not of product form."""


def all_sections(
    finished: Sequence[Finished], solvers: Mapping[str, Any] | None, episode_seconds: float
) -> list[Section]:
    """Everything that can be said about a study.

    Args:
        finished: Its experiments.
        solvers: What ``benchmarks/allocation.py --json`` measured, if it was.
        episode_seconds: How long an episode takes [s].
    """
    begun = [one for one in finished if one.sessions]
    frontiers = _frontiers(begun, episode_seconds)
    sections = [_overview(finished)]
    sections += [_experiment(one, frontiers) for one in begun if not one.experiment.truth]
    sections += [
        _possibilities(name, studies, _budgets(begun, name), episode_seconds)
        for name, studies in frontiers.items()
    ]
    sections += _robustness(begun)
    if solvers:
        sections.append(_solving(solvers))
    return sections


def _overview(finished: Sequence[Finished]) -> Section:
    rows = []
    for one in finished:
        asked = one.experiment
        rows.append(
            [
                asked.name,
                one.recorded.task.name,
                asked.robot + (f" ({said(asked.truth)})" if asked.truth else ""),
                asked.approach,
                ", ".join(map(str, asked.budgets)),
                ", ".join(asked.strategies),
                ", ".join(asked.beliefs),
                str(asked.seeds),
                f"{len(one.sessions)} of {len(asked.cells)}",
            ]
        )
    columns = ["experiment", "task", "robot", "approach", "budgets", "strategies", "beliefs"]
    table = Table(
        "experiments",
        "Experiments of this study",
        [*columns, "seeds", "finished"],
        rows,
        words=len(columns),
    )
    text = [
        "Sessions of all strategies, beliefs and budgets share their seeds, so that differences "
        "are paired. On synthetic robots rewards are exact; in physics they are measured by "
        "executing the robot's own plan from the same starts for all. Intervals are at 95 %.",
    ]
    if any(len(one.sessions) < len(one.experiment.cells) for one in finished):
        text.append("Not all sessions are finished: figures show those that are.")
    return Section("Overview", text, [table])


def _experiment(one: Finished, frontiers: Mapping[str, Mapping[str, FrontierStudy]]) -> Section:
    asked, task, rows = one.experiment, one.recorded.task, one.rows
    name, goals = asked.name, [goal.name for goal in task.goals]
    title = f"{task.name} on {asked.robot}, approach {asked.approach}"
    studies = frontiers[task.name]
    mine = studies.get(_priors(asked.robot, task)) or next(iter(studies.values()))
    parts: list[Chart | Table | None] = [
        learning_chart(f"{name}-learning", f"{title}: reward against episodes", one.sessions),
        reward_chart(f"{name}-reward", f"{title}: reward against budget", rows),
        choice_chart(f"{name}-choice", f"{title}: what was chosen", goals, one.sessions),
        spending_chart(f"{name}-spending", f"{title}: how the budget was spent", one.sessions),
        achieved_chart(f"{name}-frontier", f"{title}: on the frontier", goals, mine.stated, rows),
        improvement_chart(f"{name}-improvement", f"{title}: who is better", one.sessions),
        middle_chart(f"{name}-iqm", f"{title}: interquartile means", rows),
        reward_table(f"{name}-table", rows, asked.against),
    ]
    seeds = "1 seed" if asked.seeds == 1 else f"{asked.seeds} seeds"
    text = [f"{seeds}, budgets {', '.join(map(str, asked.budgets))}."]
    if asked.robot not in SYNTHETIC:
        text.append(
            f"Rewards are means over {asked.executions} executions after practice (a success rate "
            f"is known to ±{half_width(asked.executions):.2f} or better), and over "
            f"{asked.point_executions} on the way (±{half_width(asked.point_executions):.2f}); "
            "they are not discounted, the frontier is."
        )
    return Section(f"{name}: {title}", text, [part for part in parts if part])


def _possibilities(
    name: str,
    studies: Mapping[str, FrontierStudy],
    budgets: Sequence[int],
    episode_seconds: float,
) -> Section:
    goals = list(
        dict.fromkeys(
            goal
            for study in studies.values()
            for found in study.frontiers.values()
            for goal in found.goals
            if goal
        )
    )
    file = f"{name}-possible"
    return Section(
        f"What practice can buy in {name}",
        [
            "No session was run for this: it is computed from what is stated about the skills, for "
            "every budget at once. Priors may be wrong: then plans switch elsewhere, and a split "
            "that nobody corrects is worth less than it could be."
        ],
        [
            switch_chart(f"{file}-switches", f"{name}: where plans switch", goals, studies),
            switch_table(f"{file}-switch-table", studies),
            hour_chart(f"{file}-hour", f"{name}: what another hour buys", studies, episode_seconds),
            hour_table(f"{file}-hour-table", studies, budgets, episode_seconds),
            loss_chart(f"{file}-loss", f"{name}: what wrong priors cost", studies),
        ],
    )


def _robustness(finished: Sequence[Finished]) -> list[Section]:
    """Experiments that differ only in what is secretly true, side by side."""
    sections = []
    groups: dict[tuple[str, str, str], list[Finished]] = {}
    for one in finished:
        key = (one.recorded.task.name, one.experiment.robot, one.experiment.approach)
        groups.setdefault(key, []).append(one)
    for (task, robot, approach), group in groups.items():
        wrong = [one for one in group if one.experiment.truth]
        if not wrong:
            continue
        wanted = {(r.strategy, r.belief, r.budget) for one in wrong for r in one.rows}
        tables = {
            said(one.experiment.truth): [
                r for r in one.rows if (r.strategy, r.belief, r.budget) in wanted
            ]
            for one in (*(one for one in group if not one.experiment.truth), *wrong)
        }
        name = f"{task}-{approach}-wrong-priors"
        title = f"{task} on {robot}, approach {approach}"
        sections.append(
            Section(
                f"Wrong priors: {title}",
                [
                    "If priors are too optimistic, practice may go to plans that cannot be learned "
                    "in time. Here the robot is not as the task says; the belief has to find out."
                ],
                [
                    robustness_chart(name, f"{title}: what wrong priors leave", tables),
                    robustness_table(f"{name}-table", tables),
                ],
            )
        )
    return sections


def _solving(measured: Mapping[str, Any]) -> Section:
    return Section(
        "Solve time",
        [
            "The paper's program is bilinear; plan search finds and proves the same optimum "
            "without it. The whole frontier of Cleanup-Multi, all budgets up to 1,000, took "
            f"{measured['frontier_seconds']:.2f} s."
        ],
        [solving_chart("solvers", measured), solver_table("solvers-table", measured)],
    )


def _frontiers(
    finished: Sequence[Finished], episode_seconds: float
) -> dict[str, dict[str, FrontierStudy]]:
    """Of each task, by where its priors are from: as practised, and the other ones we know of."""
    found: dict[str, dict[str, Task]] = {}
    for one in finished:
        if not one.experiment.truth:
            task = one.recorded.task
            found.setdefault(task.name, {})[_priors(one.experiment.robot, task)] = task
    for name, tasks in found.items():
        if name in BUILT_IN:
            tasks.setdefault(STATED, load_task(name))
        if name in SCENES:
            try:
                tasks.setdefault(MEASURED, embodied("mujoco", load_task(name)))
            except ArgumentError:
                continue  # without the simulator its priors are not there either
    hour = episodes_per_hour(episode_seconds)
    return {
        name: {
            priors: frontier_study(
                tasks[priors],
                max(_budgets(finished, name)) + hour,
                time_limit=FRONTIER_SECONDS,
            )
            for priors in sorted(tasks, reverse=True)
        }
        for name, tasks in found.items()
    }


STATED, MEASURED = "stated priors", "priors measured in physics"


def _priors(robot: str, task: Task) -> str:
    return MEASURED if robot == "mujoco" and task.name in SCENES else STATED


def _budgets(finished: Sequence[Finished], name: str) -> list[int]:
    """All budgets at which a task was practised."""
    return sorted(
        {b for one in finished if one.recorded.task.name == name for b in one.experiment.budgets}
    )
