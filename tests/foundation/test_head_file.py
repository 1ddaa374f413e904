"""The head of a store: the newest whole one counts, and a torn write costs only itself."""

from __future__ import annotations

import os
from pathlib import Path

from deliberate_practice.foundation.head_file import PLACE, Head, read_head, write_head


def test_the_newest_head_counts(tmp_path: Path) -> None:
    file = tmp_path / "head"
    assert read_head(file) is None
    heads = [Head(rows, 1, rows - 1, f"{rows:032x}") for rows in (1, 2, 5, 6)]
    for head in heads:
        write_head(file, head, sync=True)
        assert read_head(file) == head
    write_head(file, heads[0], sync=False)  # another process was faster
    assert read_head(file) == heads[-1]
    assert file.stat().st_size == 2 * PLACE


def test_a_torn_write_leaves_the_head_before(tmp_path: Path) -> None:
    file = tmp_path / "head"
    heads = [Head(rows, 1, rows - 1, f"{rows:032x}") for rows in (1, 2)]
    for head in heads:
        write_head(file, head, sync=False)
    content = file.read_bytes()
    for place in range(2 * PLACE):
        damaged = bytearray(content)
        damaged[place] ^= 0x15
        file.write_bytes(bytes(damaged))
        assert read_head(file) in heads
    for length in range(2 * PLACE):
        file.write_bytes(content[:length])
        assert read_head(file) in [None, *heads]


def test_a_place_that_cannot_be_written_is_left_out(tmp_path: Path) -> None:
    write_head(tmp_path / "nowhere" / "head", Head(1, 1, 0, "x"), sync=True)
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        write_head(path, Head(1, 1, 0, "x"), sync=True)
        assert read_head(path) is None
