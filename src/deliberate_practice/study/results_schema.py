"""The tables of a file of results, and how a file of an older layout becomes one of this."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from deliberate_practice.errors import ArgumentError

LAYOUT = 2
OURS = {"experiments", "cells", "results", "sessions"}
"""Its tables. They say whose file it is: no other mark was ever written into one."""
FIRST_COLUMNS = ["study", "cell", "result"]
"""Of the one table of the first layout."""

_TABLES = """
CREATE TABLE experiments (    -- what was asked for, as it was asked last
    study TEXT NOT NULL,
    name TEXT PRIMARY KEY,
    key TEXT NOT NULL,        -- names the task's text, robot, approach, evaluation and version
    task TEXT NOT NULL,
    robot TEXT NOT NULL,
    approach TEXT NOT NULL,
    version TEXT NOT NULL,
    task_text TEXT NOT NULL,
    definition TEXT NOT NULL, -- budgets, strategies, beliefs, seeds, evaluation: JSON
    number INTEGER NOT NULL   -- in the study
);
CREATE TABLE cells (          -- which sessions belong to an experiment, finished or not
    experiment TEXT NOT NULL, strategy TEXT NOT NULL, belief TEXT NOT NULL,
    budget INTEGER NOT NULL, seed INTEGER NOT NULL,
    PRIMARY KEY (experiment, strategy, belief, budget, seed)
);
CREATE TABLE results (        -- finished sessions, each of them once
    key TEXT NOT NULL, strategy TEXT NOT NULL, belief TEXT NOT NULL,
    budget INTEGER NOT NULL, seed INTEGER NOT NULL,
    reward REAL NOT NULL, goal TEXT,
    seconds REAL,             -- wall time; no part of the result
    result TEXT NOT NULL,     -- all of it: JSON
    PRIMARY KEY (key, strategy, belief, budget, seed)
);
CREATE VIEW sessions AS
SELECT e.study, e.name AS experiment, e.task, e.robot, e.approach,
       c.strategy, c.belief, c.budget, c.seed, r.reward, r.goal, r.seconds, r.result
FROM experiments e
JOIN cells c ON c.experiment = e.name
LEFT JOIN results r ON r.key = e.key AND r.strategy = c.strategy AND r.belief = c.belief
                   AND r.budget = c.budget AND r.seed = c.seed;
"""


def prepare_schema(database: sqlite3.Connection, path: Path) -> None:
    """Make the tables if the file is empty, or of an older layout.

    Raises:
        ArgumentError: The file holds something else, or is of a layout that is not known here.
        sqlite3.Error: It cannot be read or written.
    """
    if _state(database, path) == "ready":
        return
    with transaction(database):
        state = _state(database, path)  # somebody else may just have made them
        if state != "ready":
            _make(database, old=state == "old")


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing, also if the process is killed."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:  # SQLite goes back by itself where the disk is full
            database.execute("ROLLBACK")
        raise


def _state(database: sqlite3.Connection, path: Path) -> Literal["empty", "old", "ready"]:
    layout = int(database.execute("PRAGMA user_version").fetchone()[0])
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    if layout == LAYOUT and tables >= OURS:
        return "ready"
    if layout < LAYOUT and not tables:
        return "empty"
    columns = [name for _, name, *_ in database.execute("PRAGMA table_info(results)")]
    if layout < LAYOUT and columns == FIRST_COLUMNS:
        return "old"
    if layout > LAYOUT and (not tables or tables >= OURS):
        raise ArgumentError(
            f"results: {path} was made by a newer version of this package; take that one."
        )
    raise ArgumentError(
        f"results: {path} is a database of something else; move it away, or take another folder."
    )


def _make(database: sqlite3.Connection, *, old: bool) -> None:
    if old:
        database.execute("ALTER TABLE results RENAME TO layout_1")
    for statement in _TABLES.split(";\n"):
        if statement.strip():
            database.execute(statement)
    if old:
        _take_over(database)
    database.execute(f"PRAGMA user_version = {LAYOUT}")


def _take_over(database: sqlite3.Connection) -> None:
    """Sessions of the first layout, which had one column for all that is in a result."""
    for key, text in database.execute("SELECT study, result FROM layout_1").fetchall():
        data = json.loads(text)
        cell = data["cell"]
        database.execute(
            "INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?, NULL, ?)",
            (
                *(key, cell["strategy"], cell["belief"], cell["budget"], cell["seed"]),
                *(data["reward"], data["goal"], text),
            ),
        )
    database.execute("DROP TABLE layout_1")
