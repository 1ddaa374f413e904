"""Study files: from TOML to a study."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.errors import ArgumentError, TaskError, shown
from deliberate_practice.foundation.text_file import parse_toml, read_text
from deliberate_practice.practice.domain import DOMAINS, is_domain
from deliberate_practice.study.experiment import Experiment, Study, check_names
from deliberate_practice.task.entries import named, tables

OPTIONAL = [f.name for f in fields(Experiment) if f.name not in ("name", "task", "budgets")]
"""Keys for which ``[study]`` may state defaults."""


def read_study(path: str | Path) -> Study:
    """Read a study file.

    Args:
        path: The TOML file; task files it names are looked for beside it.

    Raises:
        ArgumentError: Something in it is wrong; the message names file, place, value and fix.
        TaskError: It cannot be read at all.
    """
    return parse_study(read_text(path), str(path))


def parse_study(text: str, file: str | None = None) -> Study:
    """Read a study from the text of a study file.

    >>> study = parse_study('''
    ... [study]
    ... name = "short"
    ... seeds = 3
    ... strategies = ["deliberate", "random"]
    ... [[experiments]]
    ... name = "toast-or-oatmeal"
    ... task = "breakfast"
    ... budgets = [30, 60]
    ... ''')
    >>> len(study.experiments[0].cells)
    12

    Args:
        text: TOML.
        file: Name for messages, and where to look for task files; the current folder without it.

    Raises:
        ArgumentError: Something is wrong; the message names place, value and fix.
    """
    folder = Path(file).parent if file else Path()
    try:
        return _study(parse_toml(text), folder)
    except TaskError as error:  # raised by what is shared with task files
        raise _at(file, ": ".join(part for part in (error.place, error.message) if part)) from None
    except ArgumentError as error:
        raise _at(file, str(error)) from None


def is_study(path: str | Path) -> bool:
    """Whether the content of a file is a study; an unreadable file is none."""
    try:
        document = parse_toml(read_text(path))
    except TaskError:
        return False
    return "study" in document or "experiments" in document


def _study(document: Mapping[str, Any], folder: Path) -> Study:
    checks.keys("", document, ["study", "experiments"], [])
    head: dict[str, Any] = dict(checks.table("study", document["study"]))
    checks.keys("study", head, ["name"], ["task", "budgets", *OPTIONAL])
    name = head.pop("name")
    experiments = [
        _experiment(named("experiment", i, entry), {**head, **entry}, folder)
        for i, entry in enumerate(tables(document, "experiments"), 1)
    ]
    return Study(name, experiments)


def _experiment(place: str, entry: Mapping[str, Any], folder: Path) -> Experiment:
    checks.keys(place, entry, ["name", "task", "budgets"], OPTIONAL)
    stated = dict(entry)
    try:
        if not isinstance(stated["task"], str):
            raise ArgumentError(
                f'task: {shown(stated["task"])} is not valid; write e.g. "cleanup".'
            )
        if not is_domain(stated["task"]):
            stated["task"] = _task_file(stated["task"], folder)
        experiment = Experiment(**stated)
        check_names(experiment)
        return experiment
    except ArgumentError as error:
        raise ArgumentError(f"{place}: {error}") from None


def _task_file(task: str, folder: Path) -> str:
    """Where a task file is, seen from here."""
    path = folder / task
    if not os.path.isfile(path):  # also right for names that no file can have
        names = ", ".join(DOMAINS)
        raise ArgumentError(
            f"task: {shown(task)} is neither one of {names} nor a file beside the study "
            f"({folder.absolute()}); check the path."
        )
    return str(path)


def _at(file: str | None, message: str) -> ArgumentError:
    return ArgumentError(f"{file}: {message}" if file else message)
