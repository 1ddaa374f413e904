"""The sections of a report: the verdict, experiments, possible rewards, wrong priors, solvers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from deliberate_practice.charts.chart import Chart
from deliberate_practice.study.experiment import as_file_name
from deliberate_practice.study.experiment_charts import experiment_charts
from deliberate_practice.study.figures.possibilities import (
    achieved_chart,
    hour_chart,
    loss_chart,
    switch_chart,
)
from deliberate_practice.study.figures.robustness import robustness_chart
from deliberate_practice.study.figures.solving import solving_chart
from deliberate_practice.study.grouping import grouped
from deliberate_practice.study.report.content import Progress, Section, Table
from deliberate_practice.study.report.possible import Possible, possible
from deliberate_practice.study.report.tables import (
    hour_table,
    reward_table,
    robustness_table,
    solver_table,
    standing_table,
    switch_table,
    verdict_table,
)
from deliberate_practice.study.report.verdict import (
    Verdict,
    sentences,
    standings,
    summary,
    verdicts,
)
from deliberate_practice.study.run_study import Finished
from deliberate_practice.study.statistics import half_width
from deliberate_practice.study.summary import Row, failed_sessions
from deliberate_practice.study.wrong_priors import said
from deliberate_practice.task.toml_writer import task_to_toml

BEFORE_THE_FRONTIER = ("rewards", "progress", "choice", "spending")
"""Charts of an experiment that come before what practice achieved on the frontier."""


def all_sections(
    finished: Sequence[Finished],
    solvers: Mapping[str, Any] | None,
    episode_seconds: float,
    progress: Progress | None = None,
) -> list[Section]:
    """All sections of the report on a study.

    Args:
        finished: Its experiments.
        solvers: What ``benchmarks/allocation.py --json`` measured, if it was.
        episode_seconds: How long an episode takes [s].
        progress: Called after every frontier and every experiment.
    """
    begun = [one for one in finished if one.sessions]
    tasks = possible(begun, episode_seconds, progress)
    for number, one in enumerate(begun, 1):
        _ = one.rows  # thousands of resamples, and the best that is possible
        if progress:
            progress("experiments", number, len(begun))
    judged = {one.experiment.name: verdicts(one) for one in begun}
    as_stated = [one for one in begun if not one.experiment.truth]
    return [
        _verdict(begun, judged),
        _overview(finished),
        *(
            _experiment(one, tasks[one.loaded.task.name], judged, alone=len(finished) == 1)
            for one in as_stated
        ),
        *(_possibilities(found, episode_seconds) for found in tasks.values()),
        *_robustness(begun),
        *([_solving(solvers)] if solvers else []),
    ]


def _verdict(begun: Sequence[Finished], judged: Mapping[str, Sequence[Verdict]]) -> Section:
    """Who won, first of all."""
    ranked = standings(begun)
    text = [summary(ranked)] if len(judged) > 1 else []
    parts = [standing_table("standings", ranked)] if len(judged) > 1 else []
    if len(judged) == 1:
        text += [sentence for found in judged.values() for sentence in sentences(found)]
    text.append(
        "A lead is settled if one strategy earned more than the other one with the same seed so "
        "often that the exact 95 % interval (Clopper-Pearson) of this rate excludes one half. Each "
        "pair is judged alone. Fewer than 6 seeds settle nothing."
    )
    return Section("Verdict", text, [*parts, verdict_table("verdict", judged)])


def _overview(finished: Sequence[Finished]) -> Section:
    columns: dict[str, Callable[[Finished], str]] = {
        "experiment": lambda one: one.experiment.name,
        "task": lambda one: one.loaded.task.name,
        "robot": _robot,
        "approach": lambda one: one.experiment.approach,
        "budgets": lambda one: ", ".join(map(str, one.experiment.budgets)),
        "strategies": lambda one: ", ".join(one.experiment.strategies),
        "beliefs": lambda one: ", ".join(one.experiment.beliefs),
        "learners": lambda one: ", ".join(one.experiment.learners),
        "seeds": lambda one: str(one.experiment.seeds),
        "finished": lambda one: f"{len(one.sessions)} of {len(one.experiment.cells)}",
    }
    rows = [[text(one) for text in columns.values()] for one in finished]
    table = Table("experiments", "Experiments of this study", list(columns), rows, words=8)
    text = [
        "Sessions of all strategies, beliefs and budgets share their seeds, so that differences "
        "are paired. On synthetic robots rewards are exact; in physics they are measured by "
        "executing the robot's own plan from the same starts for all. Intervals are at 95 %.",
    ]
    if any(len(one.sessions) < len(one.experiment.cells) for one in finished):
        text.append("Not all sessions are finished: figures show those that are.")
    text += [
        f"{one.experiment.name}: {failed_sessions(one.failures)}."
        for one in finished
        if one.failures
    ]
    return Section("Overview", text, [table])


def _robot(one: Finished) -> str:
    """The robot, and what is secretly true of it."""
    truth = one.experiment.truth
    return one.experiment.robot + (f" ({said(truth)})" if truth else "")


def _experiment(
    one: Finished, found: Possible, judged: Mapping[str, Sequence[Verdict]], *, alone: bool
) -> Section:
    asked = one.experiment
    charts = experiment_charts(one)
    parts: list[Chart | Table] = [
        *(charts.pop(name) for name in BEFORE_THE_FRONTIER if name in charts),
        achieved_chart(one, found.of(one).stated),
        *charts.values(),
        reward_table(f"{asked.name}-table", one.rows, asked.against),
    ]
    text = [] if alone else sentences(judged[asked.name])
    if one.executions:
        text.append(
            f"Rewards are means over {asked.executions} executions after practice (a success rate "
            f"is known to ±{half_width(asked.executions):.2f} or better), and over "
            f"{asked.point_executions} before that (±{half_width(asked.point_executions):.2f}); "
            "they are discounted as the task says, like the frontier."
        )
    title = one.title if alone else f"{asked.name}: {one.title}"
    return Section(title, text, parts, one.title)


def _possibilities(found: Possible, episode_seconds: float) -> Section:
    name, file = found.task, f"{as_file_name(found.task)}-possible"
    studies = {
        priors if study.proven else f"{priors} (not proven)": study
        for priors, study in found.studies.items()
    }
    text = [
        "These figures are computed from the stated curves, for every budget at once; no session "
        "was run. If priors are wrong, plans switch elsewhere, and a split that is not corrected "
        "is worth less than it could be."
    ]
    if not all(study.proven for study in studies.values()):
        text.append(
            "Not proven: the search was not complete, so there may be better plans, and plans may "
            "switch elsewhere. The cost of wrong priors is shown only where the optimum is known."
        )
    parts: list[Chart | Table | None] = [
        switch_chart(
            f"{file}-switches", f"{name}: where plans switch", found.goals, studies, found.unit
        ),
        switch_table(f"{file}-switch-table", studies),
        hour_chart(
            f"{file}-hour",
            f"{name}: what another hour buys",
            studies,
            episode_seconds,
            found.unit,
        ),
        hour_table(f"{file}-hour-table", studies, found.budgets, episode_seconds, found.unit),
        loss_chart(f"{file}-loss", f"{name}: what wrong priors cost", studies, found.unit),
    ]
    title = f"What practice can buy in {name}"
    return Section(title, text, [part for part in parts if part], name)


def _robustness(finished: Sequence[Finished]) -> list[Section]:
    """Experiments that differ only in what is secretly true, side by side."""
    groups = grouped(
        finished,
        lambda o: (task_to_toml(o.loaded.stated), o.experiment.robot, o.experiment.approach),
    )
    found = [group for group in groups.values() if any(one.experiment.truth for one in group)]
    titles = [group[0].title for group in found]
    return [
        _robustness_section(group, title, alone=titles.count(title) == 1)
        for group, title in zip(found, titles, strict=True)
    ]


def _robustness_section(group: Sequence[Finished], title: str, *, alone: bool) -> Section:
    """One section; where it is not alone with its title, an experiment's name is added."""
    first = group[0]
    name = f"{as_file_name(first.loaded.task.name)}-{first.experiment.approach}-wrong-priors"
    if not alone:
        title, name = f"{title} ({first.experiment.name})", f"{name}-{first.experiment.name}"
    tables = _by_truth(group)
    parts: list[Chart | Table | None] = [
        robustness_chart(name, f"{title}: what wrong priors leave", tables, first.looks),
        robustness_table(f"{name}-table", tables),
    ]
    return Section(
        f"Wrong priors: {title}",
        [
            "If priors are too optimistic, practice may go to plans that cannot be learned "
            "in time. Here the robot differs from the task; the belief has to find out."
        ],
        [part for part in parts if part],
        title,
    )


def _by_truth(group: Sequence[Finished]) -> dict[str, list[Row]]:
    """What came of strategies that met a wrong prior, by what is true; the stated truth first."""
    wrong = [one for one in group if one.experiment.truth]
    wanted = {(row.strategy, row.setting, row.budget) for one in wrong for row in one.rows}
    tables: dict[str, dict[tuple[str, str, int], Row]] = {}
    for one in (*(one for one in group if not one.experiment.truth), *wrong):
        table = tables.setdefault(said(one.experiment.truth), {})
        for row in one.rows:
            cell = (row.strategy, row.setting, row.budget)
            if cell in wanted and (cell not in table or row.seeds > table[cell].seeds):
                table[cell] = row
    return {truth: list(table.values()) for truth, table in tables.items()}


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
