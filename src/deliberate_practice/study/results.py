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
from functools import cached_property
from pathlib import Path
from typing import Any

from deliberate_practice.errors import ArgumentError
from deliberate_practice.study.cell import Cell, CellFailure, CellResult
from deliberate_practice.study.plan import Experiment
from deliberate_practice.study.results_failures import (
    add_failure,
    forget_failure,
    kept_failures,
)
from deliberate_practice.study.results_faults import WAIT_SECONDS, explained
from deliberate_practice.study.results_schema import prepare_schema, transaction
from deliberate_practice.study.wrong_priors import factors, secretly, without_truth
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import parse_task
from deliberate_practice.task.toml_writer import task_to_toml


@dataclass(frozen=True)
class Recorded:
    """An experiment as its results are kept.

    Attributes:
        study: The study it belongs to.
        experiment: What it is; its task is the task itself, as it is stated.
        key: What decides its results besides the cell (see :mod:`.experiment_key`).
        version: Version of this package.
    """

    study: str
    experiment: Experiment
    key: str
    version: str

    @cached_property
    def task(self) -> Task:
        """What is practised for, as the robot practises it."""
        return practised_task(self.experiment)


def practised_task(experiment: Experiment) -> Task:
    """The task of an experiment whose task is loaded, with what is secretly true."""
    assert isinstance(experiment.task, Task)
    if not experiment.truth:
        return experiment.task
    return secretly(experiment.task, factors(experiment.truth))


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


class Results:
    """Experiments, their cells and what came of them; an addition outlives this process.

    Args:
        path: The file; it is made if there is none.

    Raises:
        ArgumentError: It cannot be opened, or is something else.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with explained(path):
            self._database = sqlite3.connect(path, WAIT_SECONDS, isolation_level=None)
            try:
                prepare_schema(self._database, path)
            except BaseException:
                self._database.close()
                raise
        self._logged = False

    def declare(self, study: str, experiments: Sequence[Recorded]) -> None:
        """Say which cells belong to the experiments of a study, in place of what it was before."""
        self._log()
        database = self._database
        with explained(self._path), transaction(database):
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
        with explained(self._path):
            rows = self._database.execute(
                "SELECT study, key, version, task_text, definition FROM experiments "
                "ORDER BY study, number"
            ).fetchall()
        return [
            Recorded(study, _experiment(json.loads(definition), text), key, version)
            for study, key, version, text, definition in rows
        ]

    def known(self, key: str) -> dict[Cell, CellResult]:
        """What is finished of all experiments with this key."""
        query = "SELECT result FROM results WHERE key = ?"
        with explained(self._path):
            found = [_decoded(text) for (text,) in self._database.execute(query, (key,))]
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
        with explained(self._path):
            forget_failure(self._database, key, result.cell)
            added = self._database.execute(
                "INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (key, *_columns(result.cell), result.reward, result.goal, seconds, text),
            )
        return added.rowcount == 1

    def add_failure(self, key: str, failure: CellFailure) -> None:
        """Keep why a session failed, until it succeeds."""
        self._log()
        with explained(self._path):
            add_failure(self._database, key, failure)

    def failures(self, recorded: Recorded) -> tuple[CellFailure, ...]:
        """The sessions of an experiment that failed when they were tried last."""
        with explained(self._path):
            return kept_failures(self._database, recorded.key, recorded.experiment.cells)

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
    if experiment.truth:
        assert isinstance(experiment.task, Task)
        definition["stated"] = task_to_toml(experiment.task)  # the task's text has the truth
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


def _experiment(definition: Mapping[str, Any], text: str) -> Experiment:
    """An experiment as it was asked for: with the task as stated, and its truth apart."""
    rest = {name: value for name, value in definition.items() if name != "stated"}
    found = Experiment(task=parse_task(definition.get("stated", text)), **rest)
    return found if "stated" in definition or not found.truth else _with_stated(found)


def _with_stated(experiment: Experiment) -> Experiment:
    """The same for an experiment that was kept when only the task with its truth was."""
    assert isinstance(experiment.task, Task)
    stated = replace(experiment, task=without_truth(experiment.task))
    if practised_task(stated) == experiment.task:
        return stated
    return replace(experiment, truth={})  # its task had a truth of its own, and holds both now


def _columns(cell: Cell) -> tuple[str, str, int, int]:
    return cell.strategy, cell.belief, cell.budget, cell.seed


def _decoded(text: str) -> CellResult:
    data = json.loads(text)
    found = CellResult(**{**data, "cell": Cell(**data["cell"])})
    curve = tuple((int(spent), float(reward)) for spent, reward in found.curve)
    return replace(found, curve=curve, plan=tuple(found.plan))
