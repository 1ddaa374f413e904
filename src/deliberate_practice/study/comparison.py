"""Compare strategies over budgets and seeds on one robot: a study of one experiment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from deliberate_practice.practice.domain import Domain
from deliberate_practice.study.engines import Engine
from deliberate_practice.study.experiment import Experiment, Study, as_file_name
from deliberate_practice.study.run_study import Finished, Status, run_study
from deliberate_practice.study.saving import save_experiment
from deliberate_practice.task.model import Task


def compare(
    task: str | Path | Domain | Task,
    budgets: Sequence[int],
    *,
    out: str | Path | None = None,
    engine: Engine | None = None,
    progress: Callable[[Status], None] | None = None,
    **asked: Any,
) -> Finished:
    """Practise with every strategy, belief and learner at every budget, with the same seeds.

    >>> done = compare("breakfast", [20], strategies=["deliberate", "random"], seeds=2)
    >>> [(row.strategy, row.seeds) for row in done.rows]
    [('deliberate', 2), ('random', 2)]

    Args:
        task: A domain or its name, the path of a task file, or a task as its robot practises it.
        budgets: Budgets to compare at.
        out: A folder that keeps finished sessions, tables and pictures.
        engine: Where to run it; processes on this machine, one for each core, by default.
        progress: Called after every session.
        asked: Further fields of an :class:`Experiment`: strategies, beliefs, learners, seeds,
            robot, approach, against, ...

    Returns:
        Every session's result, the rows of the table, and the sessions that failed.
    """
    (finished,) = run_study(
        comparison(task, budgets, **asked), out, engine=engine, progress=progress
    )
    if out is not None:
        save_experiment(finished, out)
    return finished


def comparison(task: str | Path | Domain | Task, budgets: Sequence[int], **asked: Any) -> Study:
    """A study of one experiment, named after its task, robot and approach.

    Args:
        task, budgets, asked: As for :func:`compare`.
    """
    named = task.name if isinstance(task, Task | Domain) else Path(str(task)).stem
    robot, approach = asked.get("robot", "curves"), asked.get("approach", "execute")
    name = as_file_name(f"{named}-{robot}-{approach}")
    return Study(name, [Experiment(name, task, budgets, **asked)])
