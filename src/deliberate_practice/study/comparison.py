"""Compare strategies over budgets and seeds on a simulated robot: a study of one experiment."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from deliberate_practice.study.cell import CellResult
from deliberate_practice.study.engines import Engine
from deliberate_practice.study.parallel import LocalEngine
from deliberate_practice.study.plan import Experiment, Study, as_file_name
from deliberate_practice.study.results import Results
from deliberate_practice.study.run_cell import Approach
from deliberate_practice.study.run_study import Status, prepare, run_prepared
from deliberate_practice.study.summary import Row, failed_sessions
from deliberate_practice.task.model import Task

Progress = Callable[[int, int], None]
"""Told (sessions done, sessions in all)."""


def compare(
    task: str | Path | Task,
    budgets: Sequence[int],
    strategies: Sequence[str],
    beliefs: Sequence[str] = ("bayes",),
    seeds: int = 5,
    *,
    robot: str = "curves",
    approach: Approach = "execute",
    workers: int = 2,
    engine: Engine | None = None,
    against: str | None = None,
    progress: Progress | None = None,
    results: Results | None = None,
) -> tuple[list[Row], list[CellResult]]:
    """Practise with every strategy and belief at every budget, with the same seeds for all.

    Args:
        task: A built-in name, the path of a task file, or a task as its robot practises it.
        budgets: Budgets to compare at.
        strategies: Registered strategies.
        beliefs: Registered beliefs.
        seeds: Sessions per cell of the table; their seeds are 0, 1, ...
        robot: A simulated robot.
        approach: Whether approaches are executed, or free.
        workers: Processes to use.
        engine: Where to run it instead of in so many processes.
        against: The strategy that the others' probability of improvement refers to.
        progress: Called with (cells done, cells in all).
        results: Where finished sessions are kept; those that are there are not run again.

    Returns:
        The rows of the table, and every session's result in the order of the cells. Sessions that
        failed are in neither; a warning says how many there are, and why.
    """
    name = comparison_name(task, robot, approach)
    experiment = Experiment(
        name, task, budgets, robot, approach, strategies, beliefs, seeds, against=against
    )
    prepared = prepare(Study(name, [experiment]), results)
    told = _told(progress) if progress else None
    (finished,) = run_prepared(prepared, engine or LocalEngine(workers), told)
    if finished.failures:
        warnings.warn(f"{failed_sessions(finished.failures)}.", stacklevel=2)
    return finished.rows, list(finished.sessions)


def comparison_name(task: str | Path | Task, robot: str, approach: str) -> str:
    """What a comparison is called where its results are kept; names may become folders."""
    of_task = task.name if isinstance(task, Task) else Path(str(task)).stem
    return as_file_name(f"{of_task}-{robot}-{approach}")


def _told(progress: Progress) -> Callable[[Status], None]:
    return lambda status: progress(status.done, status.count)
