"""Results of studies in one SQLite file: what is finished is never run again.

The file is made to be read by people too: the view ``sessions`` has a row for every session that
belongs to an experiment, with its reward, or none while it is not finished.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from deliberate_practice.errors import ArgumentError
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.study.plan import Experiment
from deliberate_practice.study.results_schema import prepare_schema
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import parse_task
from deliberate_practice.task.toml_writer import task_to_toml

WAIT_SECONDS = 60.0
"""How long to wait while somebody else writes to the file."""


@dataclass(frozen=True)
class Recorded:
    """An experiment as its results are kept.

    Attributes:
        study: The study it belongs to.
        experiment: What it is; its task is the task itself.
        key: What decides its results besides the cell (see :mod:`.experiment_key`).
        version: Version of this package.
    """

    study: str
    experiment: Experiment
    key: str
    version: str

    @property
    def task(self) -> Task:
        """What is practised for, as the robot practises it."""
        assert isinstance(self.experiment.task, Task)
        return self.experiment.task


class Results:
    """Experiments, their cells and what came of them; an addition outlives this process.

    Args:
        path: The file; it is made if there is none.

    Raises:
        ArgumentError: It cannot be opened, or is something else.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._database = sqlite3.connect(path, WAIT_SECONDS, isolation_level=None)
            prepare_schema(self._database)
        except sqlite3.Error as error:
            raise ArgumentError(f"results: {path} cannot be used ({error}).") from None
        self._logged = False

    def declare(self, study: str, experiments: Sequence[Recorded]) -> None:
        """Say which cells belong to the experiments of a study, in place of what it was before."""
        self._log()
        with _transaction(self._database) as database:
            for (name,) in database.execute(
                "SELECT name FROM experiments WHERE study = ?", (study,)
            ).fetchall():
                _forget(database, name)
            for number, recorded in enumerate(experiments):
                _forget(database, recorded.experiment.name)
                database.execute(
                    "INSERT INTO experiments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (*_described(recorded), number),
                )
                database.executemany(
                    "INSERT INTO cells VALUES (?, ?, ?, ?, ?)",
                    [(recorded.experiment.name, *_columns(c)) for c in recorded.experiment.cells],
                )

    def experiments(self) -> list[Recorded]:
        """All experiments of the file, as they were declared last."""
        rows = self._database.execute(
            "SELECT study, key, version, task_text, definition FROM experiments "
            "ORDER BY study, number"
        )
        return [
            Recorded(study, _experiment(json.loads(definition), text), key, version)
            for study, key, version, text, definition in rows.fetchall()
        ]

    def known(self, key: str) -> dict[Cell, CellResult]:
        """What is finished of all experiments with this key."""
        rows = self._database.execute("SELECT result FROM results WHERE key = ?", (key,))
        found = [_decoded(text) for (text,) in rows]
        return {result.cell: result for result in found}

    def finished(self, recorded: Recorded) -> list[CellResult]:
        """The finished sessions of an experiment, in the order of its cells."""
        known = self.known(recorded.key)
        return [known[cell] for cell in recorded.experiment.cells if cell in known]

    def add(self, key: str, result: CellResult, seconds: float | None = None) -> bool:
        """Keep a result.

        Args:
            key: Of its experiment.
            result: What came of a cell.
            seconds: Wall time it took; kept apart from the result, which is the same every time.

        Returns:
            Whether it is new; one that is there already stays.
        """
        self._log()
        text = json.dumps(asdict(result))
        added = self._database.execute(
            "INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (key, *_columns(result.cell), result.reward, result.goal, seconds, text),
        )
        return added.rowcount == 1

    def close(self) -> None:
        """Close the file; nothing is left beside it, unless somebody else still uses it."""
        if self._logged:
            with contextlib.suppress(sqlite3.OperationalError):  # somebody does
                self._database.execute("PRAGMA journal_mode = DELETE")
        self._database.close()

    def _log(self) -> None:
        """Write to a log first, which the system brings to the disk in its own time.

        That takes a fiftieth of the time. What is written survives the end of this process; if the
        machine itself fails, the file stays sound, and the last sessions are run again.
        """
        if self._logged:
            return
        self._logged = True
        with contextlib.suppress(sqlite3.OperationalError):  # this drive cannot: be slow, and safe
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")


class _transaction:
    """All of it or nothing, also if the process is killed."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def __enter__(self) -> sqlite3.Connection:
        self._database.execute("BEGIN IMMEDIATE")
        return self._database

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._database.execute("ROLLBACK" if kind else "COMMIT")


def _forget(database: sqlite3.Connection, experiment: str) -> None:
    """Forget what an experiment was, not its results."""
    database.execute("DELETE FROM cells WHERE experiment = ?", (experiment,))
    database.execute("DELETE FROM experiments WHERE name = ?", (experiment,))


def _described(recorded: Recorded) -> tuple[object, ...]:
    experiment = recorded.experiment
    definition = {
        name: value
        for name, value in vars(experiment).items()
        if name not in ("task", "parameters")  # both are in the task's text
    }
    return (
        recorded.study,
        experiment.name,
        recorded.key,
        recorded.task.name,
        experiment.robot,
        experiment.approach,
        recorded.version,
        task_to_toml(recorded.task),
        json.dumps(definition),
    )


def _experiment(definition: Mapping[str, object], text: str) -> Experiment:
    return Experiment(task=parse_task(text), **definition)  # type: ignore[arg-type] # it checks


def _columns(cell: Cell) -> tuple[str, str, int, int]:
    return cell.strategy, cell.belief, cell.budget, cell.seed


def _decoded(text: str) -> CellResult:
    data = json.loads(text)
    found = CellResult(**{**data, "cell": Cell(**data["cell"])})
    curve = tuple((int(spent), float(reward)) for spent, reward in found.curve)
    return replace(found, curve=curve, plan=tuple(found.plan))
