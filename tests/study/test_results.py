"""The file of results: each session once, readable by people."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import load_task
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.study.experiment import Experiment
from deliberate_practice.study.loaded import Loaded, load
from deliberate_practice.study.results import Results

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
        results.add("k", CellResult(Cell("ees", "bayes", "cma-es", 10, seed), 0.5, 0.5, None, {}))
        kept += 1
except ArgumentError as error:
    print(kept, error)
"""

TASK = load_task("breakfast")
CELL = Cell("ees", "bayes", "cma-es", 10, 0)
RESULT = CellResult(
    CELL, 0.1 + 0.2, 0.5, "toast", {"Pick": 7}, ((0, 0.0), (10, 0.3)), ("Pick",), 20, {"Pick": 9}
)


def loaded(
    name: str = "one",
    study: str = "study",
    *,
    key: str = "k",
    seeds: int = 1,
    strategies: Sequence[str] = ("ees",),
) -> Loaded:
    """An experiment, all of whose sessions have the same key."""
    experiment = Experiment(name, "breakfast", [10], strategies=strategies, seeds=seeds)
    return Loaded(study, experiment, TASK, dict.fromkeys(experiment.cells, key), "1")


def test_a_result_is_kept_exactly_and_once(tmp_path: Path) -> None:
    with closing(Results(tmp_path / "r.sqlite")) as results:
        assert results.add("k", RESULT, 1.5)
        other = CellResult(CELL, 0.9, 0.9, None, {})
        assert not results.add("k", other, 9.0)  # the same cell, run again elsewhere
        assert results.known(loaded()) == {CELL: RESULT}
        assert results.known(loaded(key="another")) == {}
    assert [path.name for path in tmp_path.iterdir()] == ["r.sqlite"]
    with closing(sqlite3.connect(tmp_path / "r.sqlite")) as database:
        rows = database.execute("SELECT strategy, budget, reward, goal, seconds FROM results")
        assert rows.fetchall() == [("ees", 10, 0.1 + 0.2, "toast", 1.5)]


def test_sessions_can_be_read_by_experiment(tmp_path: Path) -> None:
    # Results can be read where a strategy is not installed.
    asked = loaded("mine", strategies=["ees", "my-own"], seeds=2)
    with closing(Results(tmp_path / "r.sqlite")) as results:
        results.declare("study", [asked])
        results.add("k", RESULT)
        larger = Cell("ees", "bayes", "cma-es", 99, 0)
        results.add("k", CellResult(larger, 0.5, 0.5, None, {}))  # not asked for
        (again,) = results.experiments()
        assert again == asked
        assert results.known(again) == {CELL: RESULT}
    query = "SELECT strategy, seed, reward FROM sessions WHERE experiment = 'mine' ORDER BY 1, 2"
    with closing(sqlite3.connect(tmp_path / "r.sqlite")) as database:
        assert database.execute(query).fetchall() == [
            ("ees", 0, 0.1 + 0.2),
            ("ees", 1, None),
            ("my-own", 0, None),
            ("my-own", 1, None),
        ]


def test_a_study_that_changes_is_declared_anew_and_loses_no_result(tmp_path: Path) -> None:
    one, two, else_ = loaded("one"), loaded("two"), loaded("three", "else")
    with closing(Results(tmp_path / "r.sqlite")) as results:
        results.declare("else", [else_])
        results.declare("study", [one])
        results.add("k", RESULT)
        results.declare("study", [two])
        assert [found.experiment.name for found in results.experiments()] == ["three", "two"]
        assert results.known(two) == {CELL: RESULT}


@pytest.mark.parametrize("change", ["DROP TABLE failures", "CREATE TABLE newer (a)", ""])
@pytest.mark.parametrize("layout", [0, 1, 2, 3, 4, 99])
def test_another_layout_is_refused(tmp_path: Path, layout: int, change: str) -> None:
    Results(tmp_path / "r.sqlite").close()
    with closing(sqlite3.connect(tmp_path / "r.sqlite")) as database:
        database.execute(f"PRAGMA user_version = {layout}")
        database.execute(change)
    with pytest.raises(ArgumentError, match=f"has layout {layout}, this version .* knows layout 5"):
        Results(tmp_path / "r.sqlite")


def test_a_missing_table_of_this_layout_is_damage(tmp_path: Path) -> None:
    Results(tmp_path / "r.sqlite").close()
    with closing(sqlite3.connect(tmp_path / "r.sqlite")) as database:
        database.execute("DROP TABLE failures")
    with pytest.raises(ArgumentError, match="damaged \\(TABLE failures is missing or changed\\)"):
        Results(tmp_path / "r.sqlite")


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4])
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
            lambda: results.known(loaded()),
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
        assert len(results.known(loaded(seeds=int(kept) + 1))) == int(kept) > 10


def test_the_key_names_all_that_decides_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIBERO_ASSETS", raising=False)
    asked = Experiment("e", "cleanup", [10], strategies=["random"], seeds=1, approach="free")
    others: dict[str, dict[str, Any]] = {
        "robot": {"robot": "regions"},
        "options of the robot": {"robot": "regions:noise=0.3"},
        "approach": {"approach": "execute"},
        "task": {"parameters": {"rate": 0.02}},
        "truth": {"truth": {"rate": 0.5}},
        "executions": {"executions": 400},
        "executions on the way": {"point_executions": 400},
        "points": {"every": 5},
    }
    keys = [_key(replace(asked, **other)) for other in others.values()]
    same: dict[str, Any]
    for same in ({"name": "f"}, {"against": "random"}, {"session_seconds": 5.0}, {"seeds": 9}):
        assert _key(replace(asked, **same)) == _key(asked)
    keys.append(_key(asked))
    monkeypatch.setenv("LIBERO_ASSETS", "/somewhere")
    keys.append(_key(asked))
    monkeypatch.setattr("deliberate_practice.foundation.version.__version__", "99.0")
    keys.append(_key(asked))
    assert len(set(keys)) == len(keys)


def _key(experiment: Experiment) -> str:
    (key,) = set(load("study", experiment).keys.values())
    return key
