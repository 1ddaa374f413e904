"""Compare strategies over budgets and seeds on a simulated robot: a study of one experiment."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from deliberate_practice.study.cell import CellResult
from deliberate_practice.study.engines import Engine
from deliberate_practice.study.parallel import LocalEngine
from deliberate_practice.study.plan import Experiment, Study
from deliberate_practice.study.results import Results
from deliberate_practice.study.run_cell import Approach
from deliberate_practice.study.run_study import Status, prepare, run_prepared
from deliberate_practice.study.summary import Row
from deliberate_practice.task.model import Task

Progress = Callable[[int, int], None]
"""Told (sessions done, sessions in all)."""


def compare(
    task: Task,
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
        task: What is practised for, as the robot practises it.
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
        The rows of the table, and every session's result in the order of the cells.
    """
    study = comparison(
        task, budgets, strategies, beliefs, seeds, robot=robot, approach=approach, against=against
    )
    prepared = prepare(study, results)
    told = _told(progress) if progress else None
    (finished,) = run_prepared(prepared, engine or LocalEngine(workers), told)
    return finished.rows, list(finished.sessions)


def comparison(
    task: Task,
    budgets: Sequence[int],
    strategies: Sequence[str],
    beliefs: Sequence[str] = ("bayes",),
    seeds: int = 5,
    *,
    robot: str = "curves",
    approach: Approach = "execute",
    against: str | None = None,
) -> Study:
    """A comparison as a study of one experiment; the arguments are those of :func:`compare`."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", f"{task.name}-{robot}-{approach}").lstrip(".")
    experiment = Experiment(
        name,
        task,
        budgets,
        robot=robot,
        approach=approach,
        strategies=strategies,
        beliefs=beliefs,
        seeds=seeds,
        against=against,
    )
    return Study(name, [experiment])


def _told(progress: Progress) -> Callable[[Status], None]:
    return lambda status: progress(status.done, status.count)
