"""CSV: a spreadsheet runs no cell, and every other reader gets the values back."""

from __future__ import annotations

import ast
import csv
import io
from pathlib import Path

import pytest

from deliberate_practice.foundation.spreadsheet import FORMULA, write_rows

SOURCES = Path(__file__).parents[2] / "src" / "deliberate_practice"


@pytest.mark.parametrize("first", [*FORMULA, " =", "  +"])
def test_a_text_that_would_be_a_formula_is_marked_as_text(first: str) -> None:
    (cell,) = _written(f"{first}cmd|'/c calc'!A0")
    assert cell == f"'{first}cmd|'/c calc'!A0"


@pytest.mark.parametrize("cell", [-1, -0.5, 3.0, 1e-9, "-0.25", "+3", "-inf", "a=b", "", "a, b"])
def test_numbers_and_harmless_texts_stay_as_they_are(cell: object) -> None:
    assert _written(cell) == [str(cell)]


def test_nothing_is_an_empty_cell() -> None:
    assert _written(None, 1) == ["", "1"]


def test_nobody_else_writes_csv() -> None:
    importing = {
        file.name
        for file in SOURCES.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import) and any(name.name == "csv" for name in node.names)
    }
    assert importing == {"spreadsheet.py"}


def _written(*cells: object) -> list[str]:
    file = io.StringIO()
    write_rows(file, [cells])
    (row,) = csv.reader(io.StringIO(file.getvalue(), newline=""))
    return row
