"""The tables of a database: created by a script, and compared with it."""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from deliberate_practice.foundation.sqlite_faults import WAIT_SECONDS

SCHEMA_BITS = 0xFFFF
"""The bits of ``user_version`` that hold the version of the tables."""
LOOK_SECONDS = 0.01
"""Time between two attempts to begin a log [s]."""


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """An exclusive transaction: all or nothing, even if the process is killed."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # the first fault is the one to report
            if database.in_transaction:  # SQLite rolls back by itself if the disk is full
                database.execute("ROLLBACK")
        raise


@contextmanager
def savepoint(database: sqlite3.Connection) -> Iterator[None]:
    """A part of a transaction: all or nothing by itself."""
    database.execute("SAVEPOINT part")
    try:
        yield
        database.execute("RELEASE part")
    except BaseException:
        with suppress(sqlite3.Error):
            if database.in_transaction:
                database.execute("ROLLBACK TO part")
                database.execute("RELEASE part")
        raise


def begin(database: sqlite3.Connection, script: str, application: int, schema: int) -> None:
    """Make the tables of a new database that writes to a log and has a mark of its own.

    Args:
        database: The database; if another process makes its tables first, they stay as they are.
        script: The statements that create its tables.
        application: Marks the file as ours.
        schema: The version of the tables, in the lower bits of ``user_version``. The upper bits
            distinguish this database from all others (see :mod:`.database`).
    """
    _write_ahead(database)
    mark = secrets.randbelow(1 << 15) << SCHEMA_BITS.bit_length()
    make_tables(database, script, application_id=application, user_version=mark | schema)


def make_tables(database: sqlite3.Connection, script: str, **header: int) -> None:
    """Run every statement of a script in an empty database; one with tables stays unchanged.

    Args:
        database: The database.
        script: The statements that create its tables.
        header: Whole numbers to store in its header, by name.
    """
    numbers = (f"PRAGMA {name} = {number}" for name, number in header.items())
    with transaction(database):
        if is_empty(database):  # no other process was faster
            for statement in (*_statements(script), *numbers):
                database.execute(statement)


def is_empty(database: sqlite3.Connection) -> bool:
    """Whether a database has no tables."""
    return not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def pragma(database: sqlite3.Connection, name: str) -> int:
    """A whole number from the database's header."""
    return int(database.execute(f"PRAGMA {name}").fetchone()[0])


def changed_tables(database: sqlite3.Connection, script: str) -> list[str]:
    """Tables, views and triggers of a script that are missing from a database or differ there.

    >>> database = sqlite3.connect(":memory:")
    >>> make_tables(database, "CREATE TABLE a (x);\\nCREATE TABLE b (y);\\n")
    >>> changed_tables(database, "CREATE TABLE a (x);\\nCREATE TABLE b (z);\\n")
    ['TABLE b']
    >>> database.close()
    """
    stored = {text for (text,) in database.execute("SELECT sql FROM sqlite_master")}
    texts = (statement.strip().removesuffix(";") for statement in _statements(script))
    return [" ".join(text.split()[1:3]) for text in texts if text not in stored]


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def any_text(raw: bytes) -> str:
    """A stored text; invalid UTF-8 is kept, so that its checksum fails."""
    return raw.decode("utf-8", "surrogateescape")


def _write_ahead(database: sqlite3.Connection) -> None:
    """Write to a log (``-wal``) from now on, so that others can read meanwhile.

    Here SQLite does not wait for other connections by itself.
    """
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > deadline:
                raise
        time.sleep(LOOK_SECONDS)
