"""Checksums of rows: every value counts, its type and its place too."""

from __future__ import annotations

import itertools
import sqlite3
from contextlib import closing

from hypothesis import given, strategies as st

from deliberate_practice.foundation.row_chain import Value, checksum, is_sound, sealed

VALUES = st.one_of(
    st.none(),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
)


def test_type_and_place_count() -> None:
    rows: list[tuple[Value, ...]] = [
        *((1,), ("1",), (1.0,), (None,), ("",), ("None",), ()),
        *(("a", "b"), ("b", "a"), ("ab",), ("ab", ""), ("a', 'b",), ("\udcff",), ("\\udcff",)),
    ]
    for one, other in itertools.combinations(rows, 2):
        assert checksum(*one) != checksum(*other)


@given(st.lists(VALUES, min_size=1, max_size=4))
def test_sqlite_gives_back_what_was_checked(values: list[Value]) -> None:
    names = [f"c{i}" for i in range(len(values))]
    kinds = {str: "TEXT", int: "INTEGER", float: "REAL", type(None): "TEXT"}
    with closing(sqlite3.connect(":memory:")) as database:
        columns = ", ".join(f"{n} {kinds[type(v)]}" for n, v in zip(names, values, strict=True))
        database.execute(f"CREATE TABLE t ({columns})")
        database.execute(f"INSERT INTO t VALUES ({', '.join('?' * len(values))})", values)
        assert checksum(*database.execute("SELECT * FROM t").fetchone()) == checksum(*values)


def test_a_sealed_row_is_sound_until_a_column_or_its_kind_changes() -> None:
    row = sealed(1, "a", 0.5, kind="head")
    assert row[:-1] == (1, "a", 0.5)
    assert row[-1] == checksum("head", 1, "a", 0.5)
    assert is_sound(row, "head")
    assert not is_sound(row)
    assert not is_sound(row, "holder")
    assert not is_sound((1.0, *row[1:]), "head")
    assert not is_sound((*row[:-1], None), "head")
