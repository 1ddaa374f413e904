"""The head of an append-only store, in a small file beside it.

The file records the last commit: the number of rows in the store, and the checksum of the last one.
It is written after the commit, so the store may be ahead of it but never behind: a store that is
behind has lost its end. The file has two places that are written in turn, so one of them is intact
whenever the power fails. The file adds a check and no data: if it is missing, unreadable, or not
writable, the store works without that check.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

from deliberate_practice.foundation.row_chain import is_sound, sealed

PLACE = 128
"""Bytes of each of the two places."""


class Head(NamedTuple):
    """The last commit of a store; a later one is larger.

    Attributes:
        rows: Rows of all chains together.
        chain: The chain that grew last.
        length: Rows of that chain after its first one.
        digest: Checksum of its last row.
    """

    rows: int
    chain: int
    length: int
    digest: str


def read_head(path: Path) -> Head | None:
    """The newest intact head in the file; None if there is none."""
    try:
        content = path.read_bytes() if path.is_file() else b""  # reading a pipe would block
    except OSError:
        return None
    newest = max(_heads(content))
    return newest if newest != _NOTHING else None


def write_head(path: Path, head: Head, *, sync: bool) -> None:
    """Write a head over the older of the two; a head older than both is not written.

    Args:
        path: The file; it is created if it is missing.
        head: The last commit.
        sync: Wait until it is on the disk; otherwise the system writes it within half a minute.
    """
    text = " ".join(map(str, sealed(*head)))
    with contextlib.suppress(OSError):  # the store works without this check
        file = os.open(path, os.O_RDWR | os.O_CREAT | _AT_ONCE, 0o666)
        try:
            content = os.read(file, 2 * PLACE)
            places = _heads(content)
            older = places.index(min(places))
            if places[older].rows > head.rows:  # another process has committed since
                return
            if len(content) < 2 * PLACE:
                os.write(file, b" " * (2 * PLACE))
            os.lseek(file, older * PLACE, os.SEEK_SET)
            os.write(file, text.ljust(PLACE - 1).encode() + b"\n")
            if sync:
                _sync(file)
        finally:
            os.close(file)


_AT_ONCE = getattr(os, "O_NONBLOCK", 0)
"""Opening a pipe of that name does not block."""
_sync = getattr(os, "fdatasync", os.fsync)
"""The size of the file never changes, so syncing its data alone is enough, and far faster."""


_NOTHING = Head(-1, 0, 0, "")
"""Stands for an empty or damaged place."""


def _heads(content: bytes) -> list[Head]:
    return [_head(content[:PLACE]), _head(content[PLACE : 2 * PLACE])]


def _head(text: bytes) -> Head:
    try:
        rows, chain, length, digest, check = text.decode("ascii").split()
        head = Head(int(rows), int(chain), int(length), digest)
    except ValueError:
        return _NOTHING
    return head if is_sound((*head, check)) else _NOTHING
