"""Results of studies in one SQLite file: what is finished is never run again.

The file is made to be read by people too: the view ``sessions`` has a row for every session that
belongs to an experiment, with its reward, or none while it is not finished. Every row carries a
checksum; a damaged one is never read, and :meth:`Results.remove_damaged` makes room for running its
session again.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from deliberate_practice.foundation.database import Database
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.row_chain import Value, is_sound, sealed
from deliberate_practice.foundation.sqlite_faults import WAIT_SECONDS
from deliberate_practice.foundation.tables import any_text, is_empty
from deliberate_practice.practice.domain import Domain
from deliberate_practice.study.cell import Cell, CellFailure, CellResult
from deliberate_practice.study.experiment import Experiment
from deliberate_practice.study.loaded import Loaded
from deliberate_practice.study.results_schema import RESULTS, prepare_schema
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import parse_task
from deliberate_practice.task.toml_writer import task_to_toml


def open_results(folder: str | Path) -> Results:
    """The results in a folder; both are made if they are not there.

    Raises:
        ArgumentError: They cannot be made or used.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(
            f"out: {folder} cannot be made a folder ({error.strerror}); name another one."
        ) from None
    return Results(Path(folder) / "results.sqlite")


OWN_TABLES = ("experiments", "cells", "results", "failures")


class Results(Database):
    """Experiments, their cells and what came of them; an addition outlives this process.

    Args:
        path: The file; it is made if there is none.

    Raises:
        ArgumentError: It cannot be opened, is damaged, or is something else.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(RESULTS, path)
        self._logged = False
        with self._faults:
            self._connection = sqlite3.connect(self._file, WAIT_SECONDS, isolation_level=None)
            try:
                self._connection.text_factory = any_text
                prepare_schema(self._connection, path)
                self._remember_files()
            except BaseException:
                self._connection.close()
                raise

    def declare(self, study: str, experiments: Sequence[Loaded]) -> None:
        """Replace the experiments and cells of a study."""
        self._log()
        with self.transaction():
            earlier = self._rows("SELECT name FROM experiments WHERE study = ?", study)
            names = [loaded.experiment.name for loaded in experiments]
            for name in [*names, *(name for (name,) in earlier)]:  # their results stay
                self._rows("DELETE FROM cells WHERE experiment = ?", name)
                self._rows("DELETE FROM experiments WHERE name = ?", name)
            for number, loaded in enumerate(experiments):
                self._insert("INTO experiments", *_described(loaded), number)
                for cell, key in loaded.keys.items():
                    self._insert("INTO cells", loaded.experiment.name, *_columns(cell), key)

    def experiments(self) -> list[Loaded]:
        """All experiments of the file, as they were declared last.

        Raises:
            ArgumentError: A row of the file is damaged, wherever it is.
        """
        rows = {table: self._sound(f"{table} NOT INDEXED") for table in OWN_TABLES}
        keys: dict[str, dict[Cell, str]] = {}
        for name, *columns, key in rows["cells"]:
            keys.setdefault(name, {})[Cell(*columns)] = key
        found = []
        for row in sorted(rows["experiments"], key=lambda row: (row[0], row[8])):
            study, name, _, _, _, version, text, definition, _ = row
            experiment = Experiment(**json.loads(definition))
            mine = keys.get(name, {})
            ordered = {cell: mine[cell] for cell in experiment.cells if cell in mine}
            found.append(Loaded(study, experiment, parse_task(text), ordered, version))
        return found

    def known(self, loaded: Loaded) -> dict[Cell, CellResult]:
        """The finished sessions of an experiment, in the order of its cells.

        Raises:
            ArgumentError: A row is damaged.
        """
        found = [
            (key, _decoded(row[-1]))
            for key in set(loaded.keys.values())
            for row in self._sound("results WHERE key = ?", key)
        ]
        results = {(key, result.cell): result for key, result in found}
        return {
            cell: results[key, cell] for cell, key in loaded.keys.items() if (key, cell) in results
        }

    def remove_damaged(self) -> list[str]:
        """Remove damaged rows, so that their sessions are run again.

        Returns:
            What each of them was, as far as that can be read.
        """
        damaged = self._damaged()
        if any(damaged.values()):
            with self.transaction():
                damaged = self._damaged()  # another process may have replaced them meanwhile
                for table, rows in damaged.items():
                    for row in rows:
                        self._rows(f"DELETE FROM {table} WHERE rowid = ?", row[0])
        return [_named(table, row) for table, rows in damaged.items() for row in rows]

    def add(self, key: str, result: CellResult, seconds: float | None = None) -> bool:
        """Keep a result.

        Args:
            key: Of its session.
            result: What came of a cell.
            seconds: Wall time it took; kept apart from the result, which is the same every time.

        Returns:
            Whether it is new; one that is there already stays.
        """
        self._log()
        text = json.dumps(asdict(result))
        took = None if seconds is None else float(seconds)
        mine = (key, *_columns(result.cell))
        came = (
            float(result.reward),
            result.goal,
            result.practice_episodes,
            result.test_episodes,
            result.skill_executions,
        )
        with self.transaction():
            self._rows(
                "DELETE FROM failures WHERE key = ? AND strategy = ? AND belief = ? AND "
                "learner = ? AND budget = ? AND seed = ?",
                *mine,
            )
            added = self._insert("OR IGNORE INTO results", *mine, *came, took, text)
        return added == 1

    def add_failure(self, key: str, failure: CellFailure) -> None:
        """Keep why a session failed, in place of an earlier failure, until it succeeds."""
        self._log()
        with self.transaction():
            self._insert("OR REPLACE INTO failures", key, *_columns(failure.cell), failure.message)

    def failures(self, loaded: Loaded) -> tuple[CellFailure, ...]:
        """The sessions of an experiment that failed when they were tried last."""
        rows = self._sound("failures")
        messages = {(key, Cell(*columns)): message for key, *columns, message in rows}
        return tuple(
            CellFailure(cell, messages[key, cell])
            for cell, key in loaded.keys.items()
            if (key, cell) in messages
        )

    def close(self) -> None:
        """Close the file; nothing is left beside it, unless somebody else still uses it."""
        if self._logged and not self._moved:  # what is there now may be somebody else's
            with contextlib.suppress(sqlite3.OperationalError):  # somebody does
                self._connection.execute("PRAGMA journal_mode = DELETE")
        super().close()

    def _log(self) -> None:
        """Write to a log first, which the system brings to the disk in its own time.

        That takes a fiftieth of the time. What is written survives the end of this process; if the
        machine itself fails, the file stays sound, and the last sessions are run again.
        """
        if self._logged:
            return
        self._logged = True
        with contextlib.suppress(sqlite3.OperationalError):  # this drive cannot: be slow, and safe
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            is_empty(self._connection)  # a first look makes the log
        self._remember_files()

    def _insert(self, where: str, *columns: Value) -> int:
        """Add a row with its checksum, within a transaction; the number of rows added."""
        row = sealed(*columns)
        marks = ", ".join("?" * len(row))
        return self._connection.execute(f"INSERT {where} VALUES ({marks})", row).rowcount

    def _sound(self, source: str, *values: str) -> list[tuple[Any, ...]]:
        """Rows of a table without their checksums.

        Raises:
            ArgumentError: One is damaged.
        """
        rows = self._numbered(source, *values)
        damaged = [row for row in rows if not is_sound(row[1:])]
        if damaged:
            more = f" (and {len(damaged) - 1} more)" if len(damaged) > 1 else ""
            raise ArgumentError(
                f"{self.path}: {_named(source.split()[0], damaged[0])}{more} is damaged: its "
                "checksum does not match. Run the same deliberate compare command again: it "
                "removes damaged rows, and runs their sessions again."
            )
        return [row[1:-1] for row in rows]

    def _damaged(self) -> dict[str, list[tuple[Any, ...]]]:
        """The damaged rows of each table, each with its number before it."""
        return {
            table: [row for row in self._numbered(f"{table} NOT INDEXED") if not is_sound(row[1:])]
            for table in OWN_TABLES
        }

    def _numbered(self, source: str, *values: str) -> list[tuple[Any, ...]]:
        """Rows of a table, each with its number before it."""
        self._check_files()
        return self._rows(f"SELECT rowid, * FROM {source}", *values)


def _described(loaded: Loaded) -> tuple[str, ...]:
    asked = loaded.experiment
    named = asked.task.name if isinstance(asked.task, Task | Domain) else str(asked.task)
    return (
        loaded.study,
        asked.name,
        loaded.stated.name,
        asked.robot,
        asked.approach,
        loaded.version,
        task_to_toml(loaded.stated),
        json.dumps({**vars(asked), "task": named}),
    )


def _named(table: str, row: tuple[Any, ...]) -> str:
    """A row for a message; its columns may hold anything."""
    names = row[1:3] if table == "experiments" else row[1:7]
    return f"row {row[0]} of {table} ({', '.join(str(value)[:40] for value in names)})"


def _columns(cell: Cell) -> tuple[str, str, str, int, int]:
    return cell.strategy, cell.belief, cell.learner, cell.budget, cell.seed


def _decoded(text: str) -> CellResult:
    data = json.loads(text)
    result = CellResult(**{**data, "cell": Cell(**data["cell"])})
    curve = tuple((int(spent), float(reward)) for spent, reward in result.curve)
    return replace(result, curve=curve, plan=tuple(result.plan))
