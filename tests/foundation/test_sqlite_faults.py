"""Faults of SQLite: each is one message of the store's own kind, on one line."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.sqlite_faults import Store, explained

STORE = Store(
    "diary", ArgumentError, "All is kept.", "take another file", lambda path: "restore it."
)


def test_a_schema_that_is_not_utf_8_is_damage(tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE letters (id TEXT PRIMARY KEY)")
    file.write_bytes(file.read_bytes().replace(b"sqlite_autoindex", b"\xf3qlite_autoindex"))
    with (
        closing(sqlite3.connect(file)) as database,
        pytest.raises(ArgumentError, match=r"x\.db: the diary is damaged .*; restore it\."),
        explained(STORE, file),
    ):
        database.execute("SELECT * FROM letters")


def test_other_exceptions_pass(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), explained(STORE, tmp_path):
        _ = 1 / 0
