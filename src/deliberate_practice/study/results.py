"""Results of a study in one SQLite file: what is finished is never run again."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from dataclasses import asdict
from pathlib import Path

from deliberate_practice.errors import ArgumentError
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_writer import task_to_toml

_TABLE = """
CREATE TABLE IF NOT EXISTS results (
    study TEXT NOT NULL, cell TEXT NOT NULL, result TEXT NOT NULL, PRIMARY KEY (study, cell)
)
"""


class Results:
    """Cells of studies and what came of them; every addition is on disk when it returns.

    Args:
        path: The file; it is made if there is none.

    Raises:
        ArgumentError: It cannot be opened, or is something else.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._database = sqlite3.connect(path, isolation_level=None)
            self._database.execute("PRAGMA synchronous = FULL")
            self._database.execute(_TABLE)
        except sqlite3.Error as error:
            raise ArgumentError(f"results: {path} cannot be used ({error}).") from None

    def known(self, study: str) -> dict[Cell, CellResult]:
        """What is finished of a study."""
        rows = self._database.execute("SELECT result FROM results WHERE study = ?", (study,))
        found = [_decoded(text) for (text,) in rows]
        return {result.cell: result for result in found}

    def add(self, study: str, result: CellResult) -> None:
        """Keep a result; one that is there already stays."""
        cell = json.dumps(asdict(result.cell))
        values = (study, cell, json.dumps(asdict(result)))
        self._database.execute("INSERT OR IGNORE INTO results VALUES (?, ?, ?)", values)

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def study_key(task: Task, robot: str, approach: str) -> str:
    """What decides results besides the cell, as a short text."""
    from deliberate_practice import __version__

    said = "\n".join([__version__, robot, approach, task_to_toml(task)])
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def _decoded(text: str) -> CellResult:
    data = json.loads(text)
    curve = tuple((int(spent), float(reward)) for spent, reward in data.pop("curve"))
    return CellResult(**{**data, "cell": Cell(**data["cell"]), "curve": curve})
