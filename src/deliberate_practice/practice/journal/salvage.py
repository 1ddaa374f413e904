"""Read all that is sound of a damaged session."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from deliberate_practice.foundation.checks import check_name
from deliberate_practice.foundation.database import checked_path
from deliberate_practice.foundation.errors import choose_from
from deliberate_practice.foundation.head_file import read_head
from deliberate_practice.foundation.row_chain import is_sound
from deliberate_practice.foundation.sqlite_faults import explained
from deliberate_practice.practice.journal.rows import (
    JOURNAL,
    DamagedRow,
    JournalError,
    SessionRecord,
    read_session,
    read_single_entry,
)
from deliberate_practice.practice.journal.schema import connect, head_path, lost_end


@dataclass(frozen=True)
class SoundEvent:
    """An event whose own checksum matches.

    Attributes:
        number: Its number in the session.
        kind: ``decide``, ``ask``, ``tell``, ``refund``, ``extend`` or ``execute``.
        time: When it was written.
        chained: Whether all rows before it are there and sound too; behind a damage none is.
        data: All of it.
    """

    number: int
    kind: str
    time: str
    chained: bool
    data: dict[str, Any]


@dataclass(frozen=True)
class Salvage:
    """All that is sound of a session.

    Attributes:
        name: Its name.
        session: Task, settings and time of its start; None if that row is damaged.
        events: Sound events, in their order.
        faults: Every damage, in words.
    """

    name: str
    session: dict[str, Any] | None
    events: tuple[SoundEvent, ...]
    faults: tuple[str, ...]


def salvage(db: str | Path, name: str) -> Salvage:
    """Read a session of a journal as far as it is sound; nothing is changed.

    Args:
        db: The journal's file.
        name: The session; if its own row is lost, its number.

    Raises:
        JournalError: There is no such session, or nothing of it can be read.
    """
    check_name("name", name, "monday")
    path = checked_path(JOURNAL, db)
    if not path.exists():
        raise JournalError(f"{db}: there is no such journal; name the file with --db.")
    head = read_head(head_path(path))  # before the journal itself, which may grow meanwhile
    with explained(JOURNAL, Path(db)), closing(connect(path)) as connection:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA writable_schema = ON")  # look past a table that is malformed
        faults: list[str] = []
        with suppress(sqlite3.DatabaseError, UnicodeDecodeError):  # told of the session's own rows
            lost = head and lost_end(connection, head)
            faults += [lost] if lost else []
        number, session = _session(connection, Path(db), name, faults)
        rows = _event_rows(connection, number, faults)
        events = _sound_events(rows, session, faults)
        _check_end(connection, number, events, faults)
    if session is None and not events:
        raise JournalError(f"{db}: session {name!r}: nothing of it can be read ({faults[0]}).")
    about = (
        {
            "task": session.task,
            "settings": asdict(session.settings),
            "created": session.created.isoformat(),
        }
        if session
        else None
    )
    return Salvage(name, about, tuple(events), tuple(faults))


def _session(
    connection: sqlite3.Connection, path: Path, name: str, faults: list[str]
) -> tuple[int, SessionRecord | None]:
    """Number of the session, and its row if that is sound."""
    query = "SELECT id, name, task, settings, created, digest FROM sessions NOT INDEXED"
    rows = _read(connection, query, (), "the table of sessions", faults)
    named = sorted(
        (row for row in rows if row[1] == name), key=lambda row: not is_sound(row, "session")
    )
    if not named and name.isdecimal() and len(name) < 10:
        named = [row for row in rows if row[0] == int(name)]
        if not named:
            faults.append("its own row is missing")
            return int(name), None
        if is_sound(named[0], "session"):
            named = []  # a session of another name
    if not named:
        noted = f" Damage: {'; '.join(faults)}." if faults else ""
        names = [str(row[1]) for row in rows]
        raise JournalError(f"{path}: session {choose_from(name, names)}{noted}")
    try:
        return named[0][0], read_session(named[0])
    except DamagedRow as fault:
        faults.append(str(fault))
        return named[0][0], None


def _event_rows(
    connection: sqlite3.Connection, session: int, faults: list[str]
) -> list[tuple[Any, ...]]:
    """Rows of the session's events; around a damaged page they are read from both ends."""
    query = "SELECT * FROM events WHERE session = ? ORDER BY number"
    before = len(faults)
    rows = _read(connection, query, (session,), "the events behind a damaged page", faults)
    if len(faults) > before:
        behind = _read(connection, query + " DESC", (session,), "the events before it", faults)
        numbers = {row[1] for row in rows}
        rows += [row for row in reversed(behind) if row[1] not in numbers]
    return rows


def _read(
    connection: sqlite3.Connection,
    query: str,
    values: tuple[int, ...],
    what: str,
    faults: list[str],
) -> list[tuple[Any, ...]]:
    """Rows up to the first that cannot be read."""
    rows = []
    try:
        for row in connection.execute(query, values):
            rows.append(row)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        faults.append(f"{what} cannot be read ({error})")
    return rows


def _sound_events(
    rows: list[tuple[Any, ...]], session: SessionRecord | None, faults: list[str]
) -> list[SoundEvent]:
    """Events whose own checksum matches, and whether the chain before them holds."""
    events = []
    number, previous = 0, session.digest if session else None
    for row in rows:
        try:
            entry = read_single_entry(row)
        except DamagedRow as fault:
            faults.append(str(fault))
            previous = None
            continue
        if previous is not None and (entry.number != number + 1 or row[5] != previous):
            faults.append(f"event {entry.number} does not follow event {number}")
            previous = None
        chained = previous is not None
        events.append(
            SoundEvent(entry.number, row[2], entry.time.isoformat(), chained, json.loads(row[3]))
        )
        if chained:
            number, previous = entry.number, entry.digest
    return events


def _check_end(
    connection: sqlite3.Connection, session: int, events: list[SoundEvent], faults: list[str]
) -> None:
    """Note whether events are missing at the end."""
    query = "SELECT session, length, digest, checksum FROM heads WHERE session = ?"
    heads = _read(connection, query, (session,), "the number of its events", faults)
    if not heads or not is_sound(heads[0], "head"):
        faults.append("the number of its events is missing or damaged")
        return
    length, last = heads[0][1], max((event.number for event in events), default=0)
    if last < length:
        faults.append(f"of {length} events the last sound one is number {last}")
