"""The output of ``deliberate compare``: tables, files and JSON of an experiment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from deliberate_practice.cli.output import console, print_whole, table
from deliberate_practice.foundation.percent import percent

if TYPE_CHECKING:
    from rich.table import Table

    from deliberate_practice.foundation.estimates import Estimate
    from deliberate_practice.study.report.verdict import Verdict
    from deliberate_practice.study.run_study import Finished
    from deliberate_practice.study.summary import Row

Columns = dict[str, Callable[["Row"], str]]
"""The columns of a table by heading, each with the text of its cells."""

NUMERIC = ("reward", "95 %", "better", "possible", "episodes", "skills")


def as_json(finished: Finished) -> dict[str, Any]:
    """The experiment with its table, for programs."""
    from deliberate_practice.study.report.verdict import verdicts

    experiment = finished.experiment
    return {
        "name": experiment.name,
        "task": finished.loaded.task.name,
        "approach": experiment.approach,
        "robot": experiment.robot,
        "against": experiment.against,
        "evaluation": _evaluation(finished),
        "rows": [_row_as_json(row) for row in finished.rows],
        "verdicts": [_verdict_as_json(one) for one in verdicts(finished)],
        "failures": [{**vars(f.cell), "message": f.message} for f in finished.failures],
    }


def print_table(finished: Finished, *, named: bool) -> None:
    """Tables for people: one for each belief, learner and budget, so that names have room.

    Args:
        finished: The experiment.
        named: Whether to say its name, because there are several.
    """
    from deliberate_practice.study.report.verdict import sentences, verdicts
    from deliberate_practice.study.summary import failed_sessions, number_of_seeds

    experiment, shown = finished.experiment, console()
    conditions = f"{number_of_seeds([experiment.seeds])}, approach {experiment.approach}"
    title = f"{finished.loaded.task.name}: {conditions}"
    shown.print(f"{experiment.name}: {title}" if named else title, style="bold")
    for sentence in sentences(verdicts(finished)):
        shown.print(sentence)
    columns = _columns(finished)
    for parts in product(experiment.beliefs, experiment.learners, experiment.budgets):
        belief, learner, budget = parts
        heading = f"budget {budget}"
        heading += f", belief {belief}" if len(experiment.beliefs) > 1 else ""
        heading += f", learner {learner}" if len(experiment.learners) > 1 else ""
        rows = [row for row in finished.rows if (row.belief, row.learner, row.budget) == parts]
        print_whole(shown, _table(columns, rows, heading))
    shown.print()
    for note in _notes(finished, columns):
        shown.print(note)
    if finished.failures:
        shown.print(f"failed    {failed_sessions(finished.failures)}")


def _evaluation(finished: Finished) -> dict[str, float] | None:
    """How rewards were measured; None where they are exact."""
    from deliberate_practice.study.statistics import half_width

    if not finished.executions:
        return None
    return {"executions": finished.executions, "half_width": half_width(finished.executions)}


def _row_as_json(row: Row) -> dict[str, Any]:
    return {
        **vars(row),
        "std": row.std or 0.0,
        "ci95": _two_numbers(row.mean, row.ci95),
        "iqm": _estimate(row.iqm),
        "improvement": None if row.improvement is None else _estimate(row.improvement),
        "goal_rates": {goal: _estimate(rate) for goal, rate in row.goal_rates.items()},
    }


def _verdict_as_json(verdict: Verdict) -> dict[str, Any]:
    lead = None if verdict.lead is None else _estimate(verdict.lead)
    return {**vars(verdict), "lead": lead, "settled": verdict.settled}


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "ci95": _two_numbers(estimate.value, estimate.interval)}


def _two_numbers(value: float, interval: tuple[float, float] | None) -> list[float]:
    """An interval for programs, which expect numbers also where one seed has none."""
    return list(interval or (value, value))


def _columns(finished: Finished) -> Columns:
    """What a table shows of a row; a column that says nothing is left out."""
    columns: Columns = {
        "strategy": lambda row: row.strategy,
        "reward": lambda row: f"{row.mean:z.3f}",
    }
    if any(row.ci95 for row in finished.rows):
        columns["95 %"] = lambda row: "{:z.3f} to {:z.3f}".format(*row.ci95) if row.ci95 else "-"
    if finished.experiment.against:
        columns["better"] = lambda row: _percent(row.improvement.value if row.improvement else None)
    if any(row.fraction is not None for row in finished.rows):
        columns["possible"] = lambda row: _percent(row.fraction)
    columns["episodes"] = _episodes
    columns["skills"] = lambda row: f"{row.skill_executions:.0f}"
    columns["aims for"] = lambda row: ", ".join(f"{goal} {n}" for goal, n in row.goals.items())
    return columns


def _table(columns: Columns, rows: Sequence[Row], heading: str) -> Table:
    from rich.cells import cell_len

    cells = [[text(row) for text in columns.values()] for row in rows]
    numeric = [i for i, name in enumerate(columns) if name in NUMERIC]
    result = table(list(columns), cells, numeric)
    result.title, result.title_justify = f"\n{heading}", "left"
    result.show_edge, result.collapse_padding = False, True  # 80 characters are few
    for column, *texts in zip(result.columns[:-1], columns, *cells, strict=False):
        column.no_wrap = True  # where it is narrow, only what is aimed for goes on below
        column.min_width = max(map(cell_len, texts))
    aims = [f"{entry}," for row in cells for entry in row[-1].split(", ")]
    result.columns[-1].min_width = max(map(cell_len, aims), default=0)  # no name is broken
    return result


def _notes(finished: Finished, columns: Columns) -> list[str]:
    """What the columns mean, where that is not plain, and why "possible" is missing."""
    from deliberate_practice.study.summary import CLAIRVOYANT_SECONDS, unproven_budgets

    notes = []
    if "better" in columns:
        against = finished.experiment.against
        notes.append(f"better    probability of a higher reward than {against}, same seed")
    if "possible" in columns:
        notes.append("possible  reward as a part of the best possible for the true curves")
    unproven = unproven_budgets(finished.experiment.robot, finished.rows)
    if unproven:
        budgets = ", ".join(map(str, unproven))
        notes.append(
            f"possible  not known for budget {budgets}: in {CLAIRVOYANT_SECONDS:.0f} s no split "
            "could be proven to be the best for the true curves"
        )
    tested = any(row.test_episodes for row in finished.rows)
    notes.append(f"episodes  of practice{' + tests' if tested else ''}, mean over seeds")
    notes.append("skills    executed in these episodes, approaches included")
    evaluation = _evaluation(finished)
    if evaluation:
        notes.append(
            f"reward    mean of {evaluation['executions']} executions for each seed; a success "
            f"rate is then known to ± {evaluation['half_width']:.2f}"
        )
    return notes


def _episodes(row: Row) -> str:
    """Episodes of practice, and tests if there were any."""
    tests = f"+{row.test_episodes:.0f}" if row.test_episodes else ""
    return f"{row.practice_episodes:.0f}{tests}"


def _percent(value: float | None) -> str:
    return "-" if value is None else percent(value)
