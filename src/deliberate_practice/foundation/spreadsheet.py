"""CSV tables with no cell that a spreadsheet would run as a formula."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import TextIO

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Spreadsheets run a cell that begins with one of these as a formula."""


def write_rows(file: TextIO, rows: Iterable[Sequence[object]], line_end: str = "\r\n") -> None:
    """Write rows of cells.

    A text that a spreadsheet would run gets an apostrophe in front, which marks it as text;
    numbers stay numbers, also negative ones.

    Args:
        file: The file to write to, opened with ``newline=""``.
        rows: The heading and the rows; None is an empty cell.
        line_end: The end of each line.
    """
    writer = csv.writer(file, lineterminator=line_end)
    writer.writerows([cell_text(cell) for cell in row] for row in rows)


def cell_text(cell: object) -> object:
    """The cell to write in place of a cell.

    >>> [cell_text("=1+1"), cell_text("-0.5"), cell_text(-0.5), cell_text("- none")]
    ["'=1+1", '-0.5', -0.5, "'- none"]
    """
    if isinstance(cell, str) and cell.lstrip(" ").startswith(FORMULA) and not _is_number(cell):
        return f"'{cell}"
    return cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
