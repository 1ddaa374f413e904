"""What SQLite cannot do with a file of results, in words that say what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deliberate_practice.errors import ArgumentError

WAIT_SECONDS = 60.0
"""How long to wait while somebody else writes to the file."""

GO_ON = "Finished sessions are kept; the same command goes on."


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn SQLite's faults into messages that say what to do.

    Raises:
        ArgumentError: In their place.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise ArgumentError(f"results: {path} {_explanation(error)}") from error


def _explanation(error: sqlite3.Error) -> str:
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return f"cannot be written: the disk is full; free some space. {GO_ON}"
    if code == sqlite3.SQLITE_IOERR:
        return (
            f"cannot be used: the disk refused ({error}); it may be full or failing. Free some "
            f"space. {GO_ON}"
        )
    if code == sqlite3.SQLITE_READONLY:
        return "cannot be written: it or its folder is read-only; make both writable."
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return (
            f"has been in use by another process for {WAIT_SECONDS:.0f} s; wait for it, or stop "
            f"it. {GO_ON}"
        )
    if code == sqlite3.SQLITE_NOTADB:
        return "cannot be used: it is no SQLite file; move it away, or take another folder."
    if code == sqlite3.SQLITE_CORRUPT:
        return f"cannot be used: it is damaged ({error}); restore it from a copy, or remove it."
    if code == sqlite3.SQLITE_CANTOPEN:
        return "cannot be opened; check that its folder exists and may be read and written."
    return f"cannot be used ({error})."
