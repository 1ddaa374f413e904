"""Checksums of stored rows, alone or chained, so that no damaged row is taken for another one.

A checksum covers the values of a row and their types. In a chain every row also holds the checksum
of the row before it and includes it in its own: a row that was removed, inserted or moved breaks
the chain, while each row can still be checked by itself. Checksums tell of accidents, not of a
person who computes them anew.
"""

from __future__ import annotations

import hashlib
import json

Value = str | int | float | None
"""What SQLite returns for a column that holds no blob."""


def checksum(*values: Value) -> str:
    """128 bits as hexadecimal text.

    >>> checksum("a", 1) == checksum("a", 1), checksum("a", 1) == checksum("a", "1")
    (True, False)
    """
    text = json.dumps([_plain(value) for value in values], default=repr)  # a damaged type: a blob
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _plain(value: Value) -> Value:
    """SQLite stores -0.0 as 0."""
    return value + 0.0 if isinstance(value, float) else value
