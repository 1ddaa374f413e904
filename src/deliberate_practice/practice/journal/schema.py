"""The tables of a journal, how its file is opened, and whether its end is still there."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from deliberate_practice.foundation.errors import refuse
from deliberate_practice.foundation.head_file import Head
from deliberate_practice.foundation.row_chain import is_sound
from deliberate_practice.foundation.sqlite_faults import WAIT_SECONDS
from deliberate_practice.foundation.tables import (
    SCHEMA_BITS,
    any_text,
    begin,
    changed_tables,
    is_empty,
    pragma,
)
from deliberate_practice.practice.journal.rows import JOURNAL, JournalError

APPLICATION = 0x44505241
"""Marks a SQLite file as ours ("DPRA")."""

SCHEMA = 2
"""Version of the tables below; a file with another one is left alone."""

NOT_REMOVED = """CREATE TRIGGER events_are_not_removed BEFORE DELETE ON events
    BEGIN SELECT RAISE (ABORT, 'events are only added'); END"""

TABLES = f"""
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    task TEXT NOT NULL,
    settings TEXT NOT NULL,
    created TEXT NOT NULL,
    digest TEXT NOT NULL      -- checksum of this row: the first link of the session's chain
);
CREATE TABLE events (
    session INTEGER NOT NULL REFERENCES sessions (id),
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    time TEXT NOT NULL,
    previous TEXT NOT NULL,   -- digest of the row before
    digest TEXT NOT NULL,     -- checksum of this row, previous included
    PRIMARY KEY (session, number)
) WITHOUT ROWID;
CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
    BEGIN SELECT RAISE (ABORT, 'events are only added'); END;
{NOT_REMOVED};
CREATE TABLE heads (          -- where the chain of each session ends
    session INTEGER PRIMARY KEY REFERENCES sessions (id),
    length INTEGER NOT NULL,  -- number of events
    digest TEXT NOT NULL,     -- of the last one
    checksum TEXT NOT NULL
);
CREATE TABLE holders (
    session INTEGER NOT NULL REFERENCES sessions (id),
    trial INTEGER NOT NULL,
    asker TEXT NOT NULL,
    checksum TEXT NOT NULL,
    PRIMARY KEY (session, trial)
) WITHOUT ROWID;
"""


def connect(path: Path, *, create: bool = False) -> sqlite3.Connection:
    """Open the file, for reading only where nothing else is allowed."""
    options = "?mode=rwc" if create else "?mode=rw"
    if path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        log = path.with_name(path.name + "-wal")
        still = not log.exists() or not log.stat().st_size
        options = "?immutable=1" if still else "?mode=ro"
    connection = sqlite3.connect(
        path.resolve().as_uri() + options, uri=True, timeout=WAIT_SECONDS, isolation_level=None
    )
    connection.text_factory = any_text
    connection.execute("PRAGMA cell_size_check = ON")  # a damaged page is noticed early
    return connection


def prepare(connection: sqlite3.Connection, path: Path, head: Head | None, *, create: bool) -> None:
    """Make the tables in a new file, or check that the file is a journal of this version.

    Raises:
        JournalError: It is something else.
        sqlite3.Error: It cannot be read or written.
    """
    if is_empty(connection):
        if head:
            raise JournalError(
                f"{path}: the journal is empty, although {head.rows} rows were written to it; "
                f"restore it from a copy. To begin anew, remove {path} and {path}-head."
            )
        if not create:
            raise JournalError(f"{path}: the journal is empty; start a session there first.")
        begin(connection, TABLES, APPLICATION, SCHEMA)
    version = pragma(connection, "user_version") & SCHEMA_BITS
    changed = changed_tables(connection, TABLES)
    faults = {
        f"this is a database of something else; {JOURNAL.elsewhere}.": (
            pragma(connection, "application_id") != APPLICATION
        ),
        f"the journal has schema version {version}, this program knows version {SCHEMA}; use the "
        f"program that wrote it, or {JOURNAL.elsewhere}.": version != SCHEMA,
        f"the journal is damaged ({', '.join(changed)} is missing or changed); "
        f"{JOURNAL.repair(path)}": bool(changed),
    }
    refuse(JournalError, path, faults)


def head_path(journal: Path) -> Path:
    """The file beside a journal, or beside the file that a link leads to."""
    return Path(f"{journal.resolve()}-head")


def lost_end(connection: sqlite3.Connection, head: Head) -> str | None:
    """A message that a journal lacks the last row that was written; None if the row is there.

    A journal whose own count of rows is damaged cannot be compared; that shows when its sessions
    are read.
    """
    heads = connection.execute("SELECT session, length, digest, checksum FROM heads").fetchall()
    if not all(is_sound(row, "head") for row in heads):
        return None
    rows = sum(row[1] + 1 for row in heads)
    first = "SELECT digest FROM sessions WHERE id = ? AND 0 = ?"
    later = "SELECT digest FROM events WHERE session = ? AND number = ?"
    last = connection.execute(later if head.length else first, (head.chain, head.length)).fetchone()
    if rows >= head.rows and last == (head.digest,):
        return None
    return (
        f"the journal holds {rows} rows, but not the last of the {head.rows} that were written: "
        "its end is lost"
    )
