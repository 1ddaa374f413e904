"""A database and its file."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

from deliberate_practice.foundation.database import MARK_PAUSES
from deliberate_practice.practice.journal.journal import Journal


def test_a_file_that_cannot_be_read_for_a_moment_is_no_other_file(tmp_path: Path) -> None:
    """As while the log is written back: its size does not fit its first page."""
    path = tmp_path / "lab.db"
    journal = Journal(path, create=True)
    journal.close()
    journal = Journal(path)
    whole = path.read_bytes()
    restored = threading.Timer(sum(MARK_PAUSES[:4]) + 0.02, path.write_bytes, args=[whole])
    path.write_bytes(b"\xff" * len(whole))
    restored.start()
    with journal.transaction():
        pass  # it would be refused
    restored.join()
    assert journal.names() == []
    journal.close()


def test_a_new_journal_that_another_process_begins_too_is_made_all_the_same(tmp_path: Path) -> None:
    """SQLite itself would refuse at once, without waiting."""
    path = tmp_path / "lab.db"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    left = threading.Timer(0.2, other.execute, args=["ROLLBACK"])
    left.start()
    Journal(path, create=True).close()  # it would be refused
    left.join()
    other.close()
