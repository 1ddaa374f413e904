"""The sessions of the lab benchmark as a CSV file that grows task by task.

Its first line is a comment with the arguments of the run. A run that was stopped goes on where it
was if it has the same arguments; a task that was not finished is begun anew.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

import click


@dataclass(frozen=True)
class Session:
    """What one session earned.

    Attributes:
        seed, station: The task.
        method, approach, budget: What was run on it.
        session_seed: Seed of the session.
        earned: True value of what the robot would do afterwards.
        clairvoyant, paid: What it is compared with.
    """

    seed: int
    station: str
    method: str
    approach: str
    budget: int
    session_seed: int
    earned: float
    clairvoyant: float
    paid: float

    @property
    def score(self) -> float:
        """J relative to the best split that pays as much for approaches as the session does."""
        return self.earned / (self.paid if self.approach == "execute" else self.clairvoyant)


NAMES = [field.name for field in fields(Session)]
KINDS = (int, str, str, str, int, int, float, float, float)


class ResultsFile:
    """A CSV file of sessions.

    Args:
        path: The file; it is made if it is not there.
        arguments: The arguments of the run, as plain data.
        each: Sessions of a finished task.

    Attributes:
        sessions: The sessions of the tasks that were finished before.

    Raises:
        click.UsageError: The file is of a run with other arguments, or of something else.
    """

    def __init__(self, path: Path, arguments: Mapping[str, object], each: int) -> None:
        self.path = path
        head = [f"# {json.dumps(arguments)}", ",".join(NAMES)]
        text = path.read_text() if path.exists() else ""
        lines = text.split("\n")[:-1]  # the last one was not finished
        if text and lines[:2] != head:
            raise click.UsageError(_difference(path, text.partition("\n")[0], arguments))
        try:
            self.sessions = _finished(lines[2:], each)
        except ValueError as error:
            raise click.UsageError(f"{path}: a row is damaged ({error}); remove it.") from None
        # What an interrupted task has left behind is removed.
        temporary = path.with_name(f"{path.name}.new")
        temporary.write_text("\n".join([*head, *map(_line, self.sessions)]) + "\n")
        temporary.replace(path)

    @property
    def tasks(self) -> Collection[int]:
        """Seeds of the tasks that were finished before."""
        return {session.seed for session in self.sessions}

    def append(self, sessions: Iterable[Session]) -> None:
        """Add the sessions of a finished task, at once and for good."""
        with self.path.open("a") as file:
            file.write("".join(f"{_line(session)}\n" for session in sessions))
            file.flush()
            os.fsync(file.fileno())


def _line(session: Session) -> str:
    return ",".join(f"{getattr(session, name)}" for name in NAMES)


def _finished(lines: list[str], each: int) -> list[Session]:
    """The sessions of the tasks that have all of them."""
    by_task: dict[int, list[Session]] = {}
    for session in sessions_of(lines):
        by_task.setdefault(session.seed, []).append(session)
    return [session for mine in by_task.values() if len(mine) == each for session in mine]


def sessions_of(lines: list[str]) -> list[Session]:
    """The sessions in the lines of a file, without its head."""
    rows = (zip(KINDS, row, strict=True) for row in csv.reader(lines))
    return [Session(*(kind(cell) for kind, cell in row)) for row in rows]


def _difference(path: Path, first: str, arguments: Mapping[str, object]) -> str:
    """Why a file is refused."""
    try:
        known = dict(json.loads(first.removeprefix("# ")))
    except (TypeError, ValueError):
        return f"{path}: it is not a file of this benchmark; give another."
    differ = [
        f"{name} {known.get(name)}, not {value}"
        for name, value in arguments.items()
        if known.get(name) != value
    ]
    words = "; ".join(differ) or "other columns"
    return f"{path}: it was written with {words}. Give the same arguments, or another file."
