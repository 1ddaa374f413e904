"""The tables of a file of results, and how a file of an older layout becomes one of this."""

from __future__ import annotations

import json
import sqlite3

LAYOUT = 2

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


def prepare_schema(database: sqlite3.Connection) -> None:
    """Make the tables if they are not there.

    Raises:
        sqlite3.Error: The file is of no layout that is known here.
    """
    if _layout(database) == LAYOUT:
        return
    database.execute("BEGIN IMMEDIATE")
    try:
        if _layout(database) != LAYOUT:  # somebody else may just have made them
            _make(database)
        database.execute("COMMIT")
    except BaseException:
        database.execute("ROLLBACK")
        raise


def _layout(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def _make(database: sqlite3.Connection) -> None:
    if _layout(database) > LAYOUT:
        raise sqlite3.DatabaseError("a newer version of this package made it; take that one")
    columns = [name for _, name, *_ in database.execute("PRAGMA table_info(results)")]
    if columns == ["study", "cell", "result"]:
        database.execute("ALTER TABLE results RENAME TO layout_1")
    for statement in _TABLES.split(";\n"):
        if statement.strip():
            database.execute(statement)
    if columns == ["study", "cell", "result"]:
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
