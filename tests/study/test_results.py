"""The file of results: each session once, readable by people."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from deliberate_practice.study.experiment_key import experiment_key

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import load_task
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.study.experiment import Experiment
from deliberate_practice.study.results import Recorded, Results
from deliberate_practice.study.run_cell import EVALUATION, Evaluation

FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.study.results import Results

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
results, kept = Results(Path(sys.argv[1])), 0
resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000))
try:
    for seed in range(100_000):
        results.add("k", CellResult(Cell("ees", "bayes", 10, seed), 0.5, None, {}))
        kept += 1
except ArgumentError as error:
    print(kept, error)
"""

CELL = Cell("ees", "bayes", 10, 0)
RESULT = CellResult(CELL, 0.1 + 0.2, "toast", {"Pick": 7}, ((0, 0.0), (10, 0.3)), ("Pick",), {})


def test_a_result_is_kept_exactly_and_once(tmp_path: Path) -> None:
    with closing(Results(tmp_path / "r.sqlite")) as results:
        assert results.add("k", RESULT, 1.5)
        other = CellResult(CELL, 0.9, None, {})
        assert not results.add("k", other, 9.0)  # the same cell, run again elsewhere
        assert results.known("k") == {CELL: RESULT}
        assert results.known("another") == {}
    assert [path.name for path in tmp_path.iterdir()] == ["r.sqlite"]
    with closing(sqlite3.connect(tmp_path / "r.sqlite")) as database:
        rows = database.execute("SELECT strategy, budget, reward, goal, seconds FROM results")
        assert rows.fetchall() == [("ees", 10, 0.1 + 0.2, "toast", 1.5)]


def test_sessions_can_be_read_by_experiment(tmp_path: Path) -> None:
    task = load_task("breakfast")
    mine = ["ees", "my-own"]  # results can be read where a strategy is not installed
    experiment = Experiment("mine", task, [10], strategies=mine, seeds=2)
    recorded = Recorded("study", experiment, "k", "1")
    with closing(Results(tmp_path / "r.sqlite")) as results:
        results.declare("study", [recorded])
        results.add("k", RESULT)
        results.add("k", CellResult(Cell("ees", "bayes", 99, 0), 0.5, None, {}))  # not asked for
        (again,) = results.experiments()
        assert again == recorded
        assert results.finished(again) == [RESULT]
    query = "SELECT strategy, seed, reward FROM sessions WHERE experiment = 'mine' ORDER BY 1, 2"
    with closing(sqlite3.connect(tmp_path / "r.sqlite")) as database:
        assert database.execute(query).fetchall() == [
            ("ees", 0, 0.1 + 0.2),
            ("ees", 1, None),
            ("my-own", 0, None),
            ("my-own", 1, None),
        ]


def test_a_study_that_changes_is_declared_anew_and_loses_no_result(tmp_path: Path) -> None:
    task = load_task("breakfast")
    one = Recorded("study", Experiment("one", task, [10], seeds=1), "k", "1")
    two = Recorded("study", Experiment("two", task, [10], seeds=1), "k", "1")
    else_ = Recorded("else", Experiment("three", task, [10], seeds=1), "k", "1")
    with closing(Results(tmp_path / "r.sqlite")) as results:
        results.declare("else", [else_])
        results.declare("study", [one])
        results.add("k", RESULT)
        results.declare("study", [two])
        assert [found.experiment.name for found in results.experiments()] == ["three", "two"]
        assert results.finished(two) == [RESULT]


@pytest.mark.parametrize("change", ["DROP TABLE failures", "CREATE TABLE newer (a)", ""])
@pytest.mark.parametrize("layout", [0, 1, 2, 99])
def test_another_layout_is_refused(tmp_path: Path, layout: int, change: str) -> None:
    Results(tmp_path / "r.sqlite").close()
    with closing(sqlite3.connect(tmp_path / "r.sqlite")) as database:
        database.execute(f"PRAGMA user_version = {layout}")
        database.execute(change)
    with pytest.raises(ArgumentError, match=f"has layout {layout}, this version .* knows layout 3"):
        Results(tmp_path / "r.sqlite")


def test_a_missing_table_of_this_layout_is_damage(tmp_path: Path) -> None:
    Results(tmp_path / "r.sqlite").close()
    with closing(sqlite3.connect(tmp_path / "r.sqlite")) as database:
        database.execute("DROP TABLE failures")
    with pytest.raises(ArgumentError, match="damaged \\(TABLE failures is missing or changed\\)"):
        Results(tmp_path / "r.sqlite")


@pytest.mark.parametrize("version", [0, 1, 2, 3])
@pytest.mark.parametrize("table", ["mine (a)", "results (a)"])
def test_a_database_of_something_else_is_left_alone(
    tmp_path: Path, version: int, table: str
) -> None:
    with closing(sqlite3.connect(tmp_path / "r.sqlite")) as database:
        database.execute(f"CREATE TABLE {table}")
        database.execute(f"PRAGMA user_version = {version}")
    before = (tmp_path / "r.sqlite").read_bytes()
    with pytest.raises(ArgumentError, match="this is a database of something else; move it away"):
        Results(tmp_path / "r.sqlite")
    assert (tmp_path / "r.sqlite").read_bytes() == before


def test_a_file_that_somebody_keeps_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deliberate_practice.study.results.WAIT_SECONDS", 0.1)
    with (
        closing(Results(tmp_path / "r.sqlite")) as results,
        closing(sqlite3.connect(tmp_path / "r.sqlite", isolation_level=None)) as other,
    ):
        other.execute("BEGIN EXCLUSIVE")
        uses: list[Callable[[], object]] = [
            lambda: results.add("k", RESULT),
            lambda: results.declare("study", []),
            lambda: results.known("k"),
            results.experiments,
        ]
        for use in uses:
            with pytest.raises(ArgumentError, match="in use by another process"):
                use()
        other.execute("ROLLBACK")
        assert results.add("k", RESULT)


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")
def test_a_full_disk_loses_nothing_that_was_finished(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path / "r.sqlite")],
        capture_output=True,
        text=True,
        check=True,
    )
    kept, _, message = done.stdout.partition(" ")
    assert "Finished sessions are kept; the same command goes on." in message
    with closing(Results(tmp_path / "r.sqlite")) as results:
        assert len(results.known("k")) == int(kept) > 10


def test_the_key_names_all_that_decides_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIBERO_ASSETS", raising=False)
    task, more = load_task("cleanup"), Evaluation(executions=400)
    keys = [
        experiment_key(task, "mujoco", "free"),
        experiment_key(task, "mujoco", "execute"),
        experiment_key(task, "curves", "free"),
        experiment_key(load_task("cleanup", rate=0.02), "mujoco", "free"),
        experiment_key(task, "mujoco", "free", more),
    ]
    assert experiment_key(task, "mujoco", "free", EVALUATION) == keys[0]
    assert experiment_key(task, "curves", "free", more) == keys[2]  # nothing is measured there
    monkeypatch.setenv("LIBERO_ASSETS", "/somewhere")
    keys.append(experiment_key(task, "mujoco", "free"))
    assert len(set(keys)) == len(keys)
