"""Compare a journal with the last commit that is known, from the file beside it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from deliberate_practice.foundation.head_file import Head
from deliberate_practice.practice.journal_rows import is_sound


def head_path(journal: Path) -> Path:
    """The file beside a journal, or beside the file that a link leads to."""
    file = journal.resolve()
    return file.with_name(file.name + "-head")


def lost_end(connection: sqlite3.Connection, head: Head) -> str | None:
    """A message that a journal lacks the last row that was written; None if the row is there.

    A journal whose own count of rows is damaged cannot be compared; that shows when its sessions
    are read.
    """
    heads = connection.execute("SELECT session, length, digest, checksum FROM heads").fetchall()
    if not all(is_sound("head", row) for row in heads):
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
