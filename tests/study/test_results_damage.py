"""Damaged files of results: rows are read exactly, or one message says what is wrong."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from counts import FULL

from deliberate_practice.foundation.errors import ArgumentError, DeliberatePracticeError
from deliberate_practice.practice.domain import load_task
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.study.engines import make_engine
from deliberate_practice.study.experiment import Experiment, Study
from deliberate_practice.study.loaded import Loaded
from deliberate_practice.study.results import Results
from deliberate_practice.study.run_study import prepare, run_prepared, run_study

DAMAGES = 1000 if FULL else 40
TASK = load_task("breakfast")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two experiments with some sessions of each."""
    path = tmp_path / "results.sqlite"
    with closing(Results(path)) as results:
        experiments = [_loaded(name) for name in ("one", "two")]
        results.declare("study", experiments)
        for loaded in experiments:
            for cell in loaded.experiment.cells[:20]:
                reward = (cell.seed + 1) / (cell.budget + 3)
                points = ((0, 0.0), (cell.budget, reward))
                result = CellResult(cell, reward, 0.5, "toast", {"Pick": 7}, points, ("Pick",))
                results.add(loaded.keys[cell], result, 1.5)
    return path


def _loaded(name: str) -> Loaded:
    asked = Experiment(name, "breakfast", [10, 20], strategies=["ees", "random"], seeds=6)
    return Loaded("study", asked, TASK, dict.fromkeys(asked.cells, f"key-{name}"), "1")


def seen(path: Path) -> object:
    """What a report reads; or the exception."""
    try:
        with closing(Results(path)) as results:
            experiments = results.experiments()
            return [(one, results.known(one)) for one in experiments]
    except Exception as error:
        return error


def assert_same_or_told(view: object, whole: object, damage: object) -> None:
    if isinstance(view, Exception):
        assert isinstance(view, DeliberatePracticeError), (damage, repr(view))
        assert "\n" not in str(view)
    else:
        assert view == whole, damage


@pytest.mark.parametrize("letters", [False, True], ids=["bits", "letters"])
def test_random_damage_to_the_file_is_harmless_or_told(file: Path, letters: bool) -> None:
    whole, content = seen(file), file.read_bytes()
    texts = [i for i, byte in enumerate(content) if chr(byte).isalnum() and byte < 128]
    told = 0
    for number in range(DAMAGES // 2):
        rng = random.Random(f"{letters} {number}")
        damaged = bytearray(content)
        place = rng.choice(texts) if letters else rng.randrange(len(content))
        flipped = damaged[place] ^ (1 << rng.randrange(8))
        damaged[place] = rng.choice(b"abcxyz0179") if letters else flipped
        copy = file.with_name("copy.sqlite")
        copy.write_bytes(bytes(damaged))
        view = seen(copy)
        assert_same_or_told(view, whole, (number, place))
        told += isinstance(view, Exception)
        copy.unlink()
    assert told > DAMAGES // 20


COLUMNS = {
    "experiments": "study name task robot approach version task_text definition number",
    "cells": "experiment strategy belief learner budget seed key",
    "results": "key strategy belief learner budget seed reward goal seconds result",
}
FIELDS = [(table, column) for table, names in COLUMNS.items() for column in names.split()]
VALUES: list[object] = ["x", 7, 0.125, -1, 2**62, b"\xff\x00", "{}", "[1]", "y" * 1_000_000, None]


@pytest.mark.parametrize(
    ("table", "column"), [*FIELDS, *((table, "checksum") for table in COLUMNS)]
)
def test_a_changed_field_is_told_removed_and_run_again(table: str, column: str, file: Path) -> None:
    whole = seen(file)
    for number, value in enumerate(VALUES):
        copy = file.with_name("copy.sqlite")
        shutil.copy(file, copy)
        with closing(sqlite3.connect(copy, isolation_level=None)) as raw:
            text = "CAST(X'C328FF' AS TEXT)" if value is None else "?"
            before = raw.execute(f"SELECT {column} FROM {table} WHERE rowid = 2").fetchone()
            raw.execute(
                f"UPDATE {table} SET {column} = {text} WHERE rowid = 2",
                () if value is None else (value,),
            )
            raw.text_factory = bytes
            same = raw.execute(f"SELECT {column} FROM {table} WHERE rowid = 2").fetchone() == before
        view = seen(copy)
        if same:
            assert view == whole
        else:
            assert isinstance(view, ArgumentError), (number, view)
            assert f"row 2 of {table}" in str(view)
            assert "deliberate compare" in str(view)
            with closing(Results(copy)) as results:
                (removed,) = results.remove_damaged()
                assert removed.startswith(f"row 2 of {table}")
                assert results.remove_damaged() == []
            assert not isinstance(seen(copy), Exception)
        copy.unlink()


def test_sessions_with_a_damaged_row_are_run_again(tmp_path: Path) -> None:
    study = Study("s", [Experiment("e", "counterexample", [5], strategies=["random"], seeds=2)])
    path = tmp_path / "results.sqlite"
    with closing(Results(path)) as results:
        first = run_prepared(prepare(study, results), make_engine(workers=1))
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("UPDATE results SET reward = reward + 1 WHERE seed = 1")
    with closing(Results(path)) as results:
        prepared = prepare(study, results)
        assert prepared.done == 1
        (removed,) = prepared.removed
        assert "random, bayes, cma-es, 5, 1" in removed
        assert run_prepared(prepared, make_engine(workers=1)) == first
        assert prepare(study, results).removed == ()
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("UPDATE results SET goal = 'x' WHERE seed = 0")
    with pytest.warns(UserWarning, match="was damaged and is removed"):
        assert run_study(study, tmp_path, engine=make_engine(workers=1)) == first


def test_a_damaged_row_that_another_process_replaced_meanwhile_stays(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as raw:
        raw.execute("UPDATE results SET goal = goal || 'x' WHERE rowid IN (2, 3)")
    with closing(Results(file)) as results, closing(sqlite3.connect(file)) as other:

        def replace_row(statement: str) -> None:
            if statement.startswith("BEGIN"):  # the damaged rows are read, and not yet removed
                results._connection.set_trace_callback(None)
                other.execute("UPDATE results SET goal = rtrim(goal, 'x') WHERE rowid = 2")
                other.commit()

        results._connection.set_trace_callback(replace_row)
        (removed,) = results.remove_damaged()
        assert removed.startswith("row 3 of results")
        assert len(results.known(_loaded("one"))) == 19


LOSSES: dict[str, Callable[[Path], object]] = {
    "removed": lambda file: file.unlink(),
    "replaced": lambda file: os.replace(shutil.copy(file, file.with_name("copy")), file),
    "its log removed": lambda file: file.with_name(file.name + "-wal").unlink(),
}


@pytest.mark.parametrize("loss", list(LOSSES))
def test_a_file_that_is_lost_while_it_is_open_takes_no_more(loss: str, file: Path) -> None:
    with closing(Results(file)) as results:
        results.add("k", _result(0))
        LOSSES[loss](file)
        uses: list[Callable[[], object]] = [
            lambda: results.add("k", _result(1)),
            lambda: results.declare("study", []),
            lambda: results.known(_loaded("one")),
            results.experiments,
            results.remove_damaged,
        ]
        for use in uses:
            with pytest.raises(ArgumentError, match=r"was (removed|replaced) .*while the file"):
                use()


def _result(seed: int) -> CellResult:
    return CellResult(Cell("ees", "bayes", "cma-es", 1, seed), 0.5, 0.5, None, {})
