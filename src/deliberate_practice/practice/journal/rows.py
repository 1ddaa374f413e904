"""Rows of the journal: what each holds, and the checks that every row passes when it is read.

A session's row is the first of a chain, its events are the others (see
:mod:`~deliberate_practice.foundation.row_chain`).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from deliberate_practice.foundation.command_line import command
from deliberate_practice.foundation.errors import DeliberatePracticeError
from deliberate_practice.foundation.row_chain import is_sound, sealed
from deliberate_practice.foundation.sqlite_faults import Store
from deliberate_practice.practice.journal.events import Event, decode, encode


class JournalError(DeliberatePracticeError):
    """The journal cannot be read or written."""


JOURNAL = Store(
    name="journal",
    error=JournalError,
    kept="Everything told so far is kept.",
    elsewhere="choose another file",
    repair=lambda path: (
        "restore it from a copy, or write out all that is sound: " + salvage_command("NAME", path)
    ),
)


TRIAL_SECONDS = 1800.0
"""Default time after which an open trial passes to another asker [s]."""


@dataclass(frozen=True)
class Settings:
    """What a session was started with.

    Attributes:
        budget: Budget units at the start.
        strategy: Name of the strategy.
        belief: Name of the belief.
        learner: Name of the learner.
        seed: For everything random in the session.
        approach: ``execute`` or ``free``.
        robot: Name of the robot that practises; None for one that asks and tells by itself.
        scene: What the robot's scene said about itself; empty if it said nothing.
        trial_seconds: After this time an open trial passes to another asker [s].
        gate: When a trial waits until somebody says Ready: ``never``, after an ``abort`` of its
            robot, or ``always``.
        until: When the budget ends, if it is time; units are seconds then.
        sinks: Names of the sinks that see every event.
    """

    budget: int
    strategy: str
    belief: str
    learner: str
    seed: int
    approach: str
    robot: str | None = None
    scene: str = ""
    trial_seconds: float = TRIAL_SECONDS
    gate: str = "never"
    until: str | None = None
    sinks: tuple[str, ...] = ()


@dataclass(frozen=True)
class SessionRecord:
    """A session as the journal holds it; ``digest`` is the first link of its chain."""

    id: int
    name: str
    task: str
    settings: Settings
    created: datetime
    digest: str


@dataclass(frozen=True)
class Entry:
    """An event with its number in the session, the time it was written, and its checksum."""

    number: int
    event: Event
    time: datetime
    digest: str


class DamagedRow(ValueError):
    """A stored row is not as it was written; the message says in which way."""


def session_row(
    number: int, name: str, task: str, settings: Settings, time: str
) -> tuple[Any, ...]:
    """The columns of a new session."""
    return sealed(number, name, task, json.dumps(asdict(settings)), time, kind="session")


def event_row(session: int, number: int, event: Event, time: str, previous: str) -> tuple[Any, ...]:
    """The columns of a new event behind the row whose checksum is ``previous``."""
    return sealed(session, number, *encode(event), time, previous)


def read_session(row: tuple[Any, ...]) -> SessionRecord:
    """A session from its columns.

    Raises:
        DamagedRow: They are not as they were written.
    """
    if not is_sound(row, "session"):
        raise DamagedRow("its row is damaged (task, settings, name or time of the start)")
    number, name, task, settings, created, digest = row
    try:
        stated = json.loads(settings)
        chosen = Settings(**{**stated, "sinks": tuple(stated.get("sinks", ()))})
        time = datetime.fromisoformat(created)
    except (ValueError, TypeError) as error:
        raise DamagedRow(f"its row is of another version of this package ({error})") from None
    return SessionRecord(number, name, task, chosen, time, digest)


def read_entry(row: tuple[Any, ...], number: int, previous: str) -> Entry:
    """The event of that number from its columns, behind the row with that checksum.

    Raises:
        DamagedRow: They are not as they were written, or another row stood before this one.
    """
    entry = read_single_entry(row)
    if entry.number != number:
        raise DamagedRow(f"event {number} is missing (the next one is {entry.number})")
    if row[5] != previous:
        raise DamagedRow(f"event {number} does not follow the row before it")
    return entry


def read_single_entry(row: tuple[Any, ...]) -> Entry:
    """An event from its columns, whatever stood before it.

    Raises:
        DamagedRow: They are not as they were written.
    """
    _, number, kind, data, time, _, digest = row
    if not is_sound(row):
        raise DamagedRow(f"event {number!r} is damaged (its checksum does not match)")
    try:
        return Entry(number, decode(kind, data), datetime.fromisoformat(time), digest)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DamagedRow(
            f"event {number} is of another version of this package ({error!r})"
        ) from None


def damage(path: Path, name: str, fault: object) -> JournalError:
    """The error for a damaged row of a session, with what can still be had."""
    return JournalError(
        f"{path}: session {name!r}: {fault}. Nothing was changed. Restore the file from a copy, "
        f"or write out all that is sound: {salvage_command(name, path)}"
    )


def salvage_command(name: object, path: Path) -> str:
    """The command that writes out all that is sound of a session."""
    return command("export", name, "--salvage", "--db", path)
