"""Sessions that failed, beside the results: each with its message, until it succeeds."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from deliberate_practice.study.cell import Cell, CellFailure

_TABLE = """
CREATE TABLE IF NOT EXISTS failures (  -- sessions that failed; they are tried again
    key TEXT NOT NULL, strategy TEXT NOT NULL, belief TEXT NOT NULL,
    budget INTEGER NOT NULL, seed INTEGER NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (key, strategy, belief, budget, seed)
)
"""


def add_failure(database: sqlite3.Connection, key: str, failure: CellFailure) -> None:
    """Keep a failure, in place of an earlier one of the same session."""
    database.execute(_TABLE)
    database.execute(
        "INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?, ?, ?)",
        (key, *_columns(failure.cell), failure.message),
    )


def forget_failure(database: sqlite3.Connection, key: str, cell: Cell) -> None:
    """The session succeeded."""
    if _is_there(database):
        database.execute(
            "DELETE FROM failures WHERE key = ? AND strategy = ? AND belief = ? AND budget = ? "
            "AND seed = ?",
            (key, *_columns(cell)),
        )


def kept_failures(
    database: sqlite3.Connection, key: str, cells: Iterable[Cell]
) -> tuple[CellFailure, ...]:
    """The failures of some sessions, in their order."""
    if not _is_there(database):
        return ()
    rows = database.execute(
        "SELECT strategy, belief, budget, seed, message FROM failures WHERE key = ?", (key,)
    )
    found = {Cell(*columns): message for *columns, message in rows}
    return tuple(CellFailure(cell, found[cell]) for cell in cells if cell in found)


def _is_there(database: sqlite3.Connection) -> bool:
    """Files in which nothing ever failed have no such table."""
    query = "SELECT 1 FROM sqlite_master WHERE name = 'failures'"
    return database.execute(query).fetchone() is not None


def _columns(cell: Cell) -> tuple[str, str, int, int]:
    return cell.strategy, cell.belief, cell.budget, cell.seed
