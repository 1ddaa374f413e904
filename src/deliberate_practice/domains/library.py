"""Tasks by name: the built-in ones, or any task file."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path

from deliberate_practice.domains.cleanup import cleanup
from deliberate_practice.foundation.errors import ArgumentError, TaskError, choose_from
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import read_task


def load_task(name: str | Path, **parameters: float) -> Task:
    """A built-in task by name, or a task file by path.

    >>> len(load_task("cleanup-multi", objects=2).skills)
    14

    Args:
        name: ``counterexample``, ``cleanup``, ``cleanup-multi``, ``breakfast``, or a path.
        parameters: What the task lets you change: ``competence`` and ``rate`` of everything that is
            practised, ``objects`` of cleanup-multi, ``discount``.
    """
    build = BUILT_IN.get(str(name))
    if build is None:
        if not os.path.exists(name) and not Path(name).suffix:
            raise ArgumentError(
                "task: " + choose_from(str(name), BUILT_IN) + " Or give the path of a task file."
            )
        build = partial(_from_file, Path(name))
    valid = inspect.signature(build).parameters
    for key in parameters:
        if key not in valid:
            raise ArgumentError(f"task '{name}': parameter {choose_from(key, valid)}")
    return build(**parameters)


def _from_file(path: Path, *, competence: float | None = None, rate: float | None = None) -> Task:
    task = read_task(path)
    try:
        return task.with_priors(competence, rate)
    except TaskError as error:
        raise error.within("parameters") from None


def _shipped(domain: str, *, competence: float | None = None, rate: float | None = None) -> Task:
    with as_file(files("deliberate_practice.domains") / domain / "task.toml") as path:
        return _from_file(path, competence=competence, rate=rate)


def _cleanup(*, competence: float = 0.1, rate: float = 0.018, discount: float = 0.99) -> Task:
    return cleanup(1, competence, rate, discount)


def _cleanup_multi(
    *, objects: int = 4, competence: float = 0.1, rate: float = 0.018, discount: float = 0.99
) -> Task:
    return cleanup(objects, competence, rate, discount)


BUILT_IN: dict[str, Callable[..., Task]] = {
    "counterexample": partial(_shipped, "counterexample"),
    "cleanup": _cleanup,
    "cleanup-multi": _cleanup_multi,
    "breakfast": partial(_shipped, "breakfast"),
}
"""Built-in tasks: what makes them, with keyword parameters only."""
