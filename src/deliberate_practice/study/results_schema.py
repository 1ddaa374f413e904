"""The tables of a file of results.

Results are added in any order by several processes, so rows are not chained: each carries a
checksum over all its columns, and no damaged row is read as another result. A row that is missing
is a session that is not finished, and is run again.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from deliberate_practice.foundation.errors import ArgumentError, refuse
from deliberate_practice.foundation.sqlite_faults import Store
from deliberate_practice.foundation.tables import (
    changed_tables,
    is_empty,
    make_tables,
    pragma,
)

LAYOUT = 5
OURS = {"experiments", "cells", "results", "sessions"}
"""Tables that every layout has; they identify a file of results."""

RESULTS = Store(
    name="file of results",
    error=ArgumentError,
    kept="Finished sessions are kept; the same command goes on.",
    elsewhere="move it away, or take another folder",
    repair=lambda path: "restore it from a copy, or remove it: its sessions are then run again.",
)

_TABLES = """
CREATE TABLE experiments (    -- what was asked for, as it was asked last
    study TEXT NOT NULL,
    name TEXT PRIMARY KEY,
    task TEXT NOT NULL,
    robot TEXT NOT NULL,
    approach TEXT NOT NULL,
    version TEXT NOT NULL,
    task_text TEXT NOT NULL,
    definition TEXT NOT NULL, -- the experiment itself: JSON
    number INTEGER NOT NULL,  -- in the study
    checksum TEXT NOT NULL    -- of the columns before, as in the other tables
);
CREATE TABLE cells (          -- which sessions belong to an experiment, finished or not
    experiment TEXT NOT NULL, strategy TEXT NOT NULL, belief TEXT NOT NULL,
    learner TEXT NOT NULL, budget INTEGER NOT NULL, seed INTEGER NOT NULL,
    key TEXT NOT NULL,        -- names all else that decides the result, code included
    checksum TEXT NOT NULL,
    PRIMARY KEY (experiment, strategy, belief, learner, budget, seed)
);
CREATE TABLE results (        -- finished sessions, each of them once
    key TEXT NOT NULL, strategy TEXT NOT NULL, belief TEXT NOT NULL,
    learner TEXT NOT NULL, budget INTEGER NOT NULL, seed INTEGER NOT NULL,
    reward REAL NOT NULL, goal TEXT,
    practice_episodes INTEGER NOT NULL, test_episodes INTEGER NOT NULL,
    skill_executions INTEGER NOT NULL,  -- in all these episodes, approaches included
    seconds REAL,             -- wall time; no part of the result
    result TEXT NOT NULL,     -- all of it: JSON
    checksum TEXT NOT NULL,
    PRIMARY KEY (key, strategy, belief, learner, budget, seed)
);
CREATE TABLE failures (       -- sessions that failed when they were tried last: not finished
    key TEXT NOT NULL, strategy TEXT NOT NULL, belief TEXT NOT NULL,
    learner TEXT NOT NULL, budget INTEGER NOT NULL, seed INTEGER NOT NULL,
    message TEXT NOT NULL,
    checksum TEXT NOT NULL,
    PRIMARY KEY (key, strategy, belief, learner, budget, seed)
);
CREATE VIEW sessions AS
SELECT e.study, e.name AS experiment, e.task, e.robot, e.approach,
       c.strategy, c.belief, c.learner, c.budget, c.seed, r.reward, r.goal,
       r.practice_episodes, r.test_episodes, r.skill_executions, r.seconds, r.result
FROM experiments e
JOIN cells c ON c.experiment = e.name
LEFT JOIN results r ON r.key = c.key AND r.strategy = c.strategy AND r.belief = c.belief
                   AND r.learner = c.learner AND r.budget = c.budget AND r.seed = c.seed;
"""


def prepare_schema(database: sqlite3.Connection, path: Path) -> None:
    """Make the tables if the file is empty, or check that they are as they were made.

    Raises:
        ArgumentError: The file holds something else, is damaged, or is of another layout.
        sqlite3.Error: It cannot be read or written.
    """
    layout = pragma(database, "user_version")
    if layout <= LAYOUT and is_empty(database):
        return make_tables(database, _TABLES, user_version=LAYOUT)
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    faults = {
        f"this is a database of something else; {RESULTS.elsewhere}.": (
            bool(tables) and not tables >= OURS
        ),
        f"the file of results has layout {layout}, this version of the package knows layout "
        f"{LAYOUT}; use the version that wrote it, or {RESULTS.elsewhere}.": layout != LAYOUT,
    }
    refuse(ArgumentError, path, faults)
    changed = ", ".join(changed_tables(database, _TABLES))
    (found,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    fault = f"{changed} is missing or changed" if changed else found.replace("\n", " ")
    if fault != "ok":
        raise ArgumentError(
            f"{path}: the file of results is damaged ({fault}); {RESULTS.repair(path)}"
        )
