"""Task files: from TOML to a task."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.foundation.text_file import parse_toml, read_text
from deliberate_practice.task.entries import (
    LEARNING_KEYS,
    effects,
    gaps,
    learning,
    named,
    tables,
)
from deliberate_practice.task.experience import read_experience
from deliberate_practice.task.model import Goal, ServedTask, Start, Task
from deliberate_practice.task.skill import Skill


def read_task(path: str | Path) -> Task:
    """Read a task file (TOML, or TOML beside a PDDL domain and problem).

    Args:
        path: The TOML file; the files that it names are searched for beside it.

    Returns:
        The task, fully checked.

    Raises:
        TaskError: The file or its content is not valid; the message names file, place and fix.
    """
    if Path(path).suffix == ".pddl":
        raise TaskError(
            "",
            "this is a PDDL file; a task names it in a TOML file. Write one: "
            "deliberate new --from-pddl DOMAIN PROBLEM.",
            str(path),
        )
    return parse_task(read_text(path), str(path))


def parse_task(text: str, file: str | None = None, *, alone: bool = False) -> Task:
    """Read a task from the text of a task file.

    >>> task = parse_task('''
    ... name = "toast"
    ... variables = { bread = ["counter", "toaster"] }
    ... [[goals]]
    ... name = "toast"
    ... reward = 1.0
    ... when = { bread = "toaster" }
    ... [[skills]]
    ... name = "Put"
    ... precondition = { bread = "counter" }
    ... effect = { bread = "toaster" }
    ... competence = 0.2
    ... ''')
    >>> task.policies["Put"].competence
    0.2

    Args:
        text: TOML.
        file: Its path, for messages and to find PDDL files; by default the current folder.
        alone: Refuse a task that names other files, because the text comes from elsewhere.

    Raises:
        TaskError: The task is not valid; the message names place, value and fix.
    """
    try:
        document = parse_toml(text)
        if "pddl" in document:
            if alone:
                raise TaskError("pddl", "files are not read here; send the task itself, as TOML.")
            from deliberate_practice.task.pddl.task import pddl_task  # most tasks do not need it

            return pddl_task(document, Path(file).parent if file else Path())
        return _task(document)
    except TaskError as error:
        if error.file or not file:
            raise
        raise type(error)(error.place, error.message, file) from None  # keeps TaskTooLarge


def _task(document: Mapping[str, Any]) -> Task:
    required = ["name", "variables", "goals", "skills"]
    optional = ["discount", "domain", "experience", "gaps", "priors", "starts", "tasks"]
    if "tasks" in document:  # these have their own goals
        required.remove("goals")
        optional.append("goals")
    checks.keys("", document, required, optional)
    skills = [
        _skill(named("skill", i, entry), entry)
        for i, entry in enumerate(tables(document, "skills"), 1)
    ]
    tasks = [
        _served(named("task", i, entry), entry)
        for i, entry in enumerate(tables(document, "tasks"), 1)
    ]
    stated = {key: document[key] for key in ("discount", "domain", "priors") if key in document}
    if "experience" in document:
        stated["experience"] = read_experience(document["experience"])
    return Task(
        document["name"],
        document["variables"],
        _goals(document),
        skills,
        starts=_starts(document),
        tasks=tasks,
        gaps=gaps(document),
        **stated,
    )


def _served(place: str, entry: Mapping[str, Any]) -> ServedTask:
    checks.keys(place, entry, ["name", "goals"], ["weight", "starts"])
    with checks.inside(place):
        parts = {"goals": _goals(entry, "tasks"), "starts": _starts(entry, "tasks")}
    return ServedTask(**{**entry, **parts})


def _goals(document: Mapping[str, Any], parent: str = "") -> list[Goal]:
    return [
        _goal(named("goal", i, entry), entry)
        for i, entry in enumerate(tables(document, "goals", parent=parent), 1)
    ]


def _starts(document: Mapping[str, Any], parent: str = "") -> list[Start]:
    entries = tables(document, "starts", parent=parent)
    return [_start(f"start {i}", entry) for i, entry in enumerate(entries, 1)]


def _goal(place: str, entry: Mapping[str, Any]) -> Goal:
    checks.keys(place, entry, ["name", "reward", "when"], [])
    return Goal(**entry)


def _skill(place: str, entry: Mapping[str, Any]) -> Skill:
    checks.keys(place, entry, ["name", "precondition", "effect"], ["failure", *LEARNING_KEYS])
    results = {
        key: effects(f"{place}: {key}", entry[key]) for key in ("effect", "failure") if key in entry
    }
    return Skill(
        name=entry["name"],
        precondition=entry["precondition"],
        **results,
        **learning(place, entry),
    )


def _start(place: str, entry: Mapping[str, Any]) -> Start:
    checks.keys(place, entry, ["probability", "state"], [])
    return Start(**entry)
