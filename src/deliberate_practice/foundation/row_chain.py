"""Checksums of stored rows, single or chained, which detect every damaged row.

A checksum covers the values of a row and their types. In a chain every row also holds the checksum
of the row before it and includes it in its own: a row that was removed, inserted or moved breaks
the chain, while each row can still be checked by itself. Checksums detect accidents, not deliberate
changes.
"""

from __future__ import annotations

import hashlib
from typing import Any

Value = str | int | float | None
"""The types that SQLite returns for columns without blobs."""


def checksum(*values: Value) -> str:
    """128 bits as hexadecimal text; -0.0 counts as 0.0, as SQLite stores it.

    >>> checksum("a", 1) == checksum("a", 1), checksum("a", 1) == checksum("a", "1")
    (True, False)
    """
    plain = [value + 0.0 if type(value) is float else value for value in values]  # -0.0 becomes 0.0
    return hashlib.blake2b(ascii(plain).encode(), digest_size=16).hexdigest()


def sealed(*columns: Value, kind: str | None = None) -> tuple[Any, ...]:
    """The columns of a row, followed by their checksum.

    Args:
        columns: All columns but the checksum.
        kind: Included in the checksum, so that a row of another table does not match.
    """
    return (*columns, checksum(*([] if kind is None else [kind]), *columns))


def is_sound(row: tuple[Any, ...], kind: str | None = None) -> bool:
    """Whether the last column of a row is the checksum of the others."""
    return sealed(*row[:-1], kind=kind) == row
