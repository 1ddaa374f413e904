"""A database and its file: whether the path is valid, and whether the file was replaced.

If a file is removed or replaced while a connection is open, all later commits are lost, because
SQLite keeps writing to the file that has lost its name. The same holds for its log (``-wal``) and
the index of the log (``-shm``). So device and inode of all three are compared before each commit.

A file that is overwritten in place (``cp other.db lab.db``) keeps its inode. SQLite's header has
a field for a number of the application (``user_version``): a random mark there distinguishes the
database from all others.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from deliberate_practice.foundation.errors import refuse, shown
from deliberate_practice.foundation.row_chain import Value
from deliberate_practice.foundation.sqlite_faults import Store, explained
from deliberate_practice.foundation.tables import transaction

LONGEST = 200
"""Characters of a path in a message."""

MARK_PAUSES = (0.01, 0.05, 0.2, 1.0, 4.0)
"""Times before each further try to read a mark [s]; a busy disk may take seconds to write a log."""


def checked_path(store: Store, path: object) -> Path:
    """The absolute path of a regular file, existing or new.

    Raises:
        DeliberatePracticeError: No database can be at that path.
    """
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise store.error(f"{shown(path)} is not a path; give the name of a file, e.g. 'lab.db'.")
    text = os.fspath(path)
    if "\0" in text:
        raise store.error(
            f"{shown(text, LONGEST)}: a name of a file has no NUL; {store.elsewhere}."
        )
    place = text if text.isprintable() and len(text) <= LONGEST else shown(text, LONGEST)
    try:
        absolute = Path(os.path.abspath(text))
        mode = absolute.stat().st_mode
    except FileNotFoundError:
        if os.path.islink(text):
            raise store.error(
                f"{place}: this is a link to {os.readlink(text)}, which is not there; make that "
                f"file or its folder, or {store.elsewhere}."
            ) from None
        return absolute
    except OSError as error:
        reason = "this is a loop of links" if error.errno == errno.ELOOP else error.strerror
        raise store.error(f"{place}: {reason}; {store.elsewhere}.") from None
    faults = {
        f"this is a folder; {store.elsewhere}.": stat.S_ISDIR(mode),
        f"this is a pipe or a device, not a file; {store.elsewhere}.": not stat.S_ISREG(mode),
        "the file may not be read; make it readable (chmod u+r).": not os.access(absolute, os.R_OK),
    }
    refuse(store.error, place, faults)
    return absolute


class Database:
    """An open database that explains its faults and checks that its files stay in place.

    Subclasses open the connection.

    Args:
        store: The kind of database.
        path: Its path.
    """

    _connection: sqlite3.Connection

    def __init__(self, store: Store, path: str | Path) -> None:
        self._file = checked_path(store, path)
        self.path = Path(path)
        self._store = store
        self._faults = explained(store, self.path)
        # SQLite follows links, and keeps its other files beside the target.
        real = str(self._file.resolve())
        self._paths = (str(self._file), f"{real}-wal", f"{real}-shm")
        self._opened: dict[str, tuple[int, int]] = {}
        self._marks: set[int | None] = set()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """An exclusive transaction: no one else writes until the block ends; all or nothing."""
        with self._faults, transaction(self._connection):
            yield
            self._check_files()

    def _rows(self, statement: str, *values: Value) -> list[tuple[Any, ...]]:
        """Execute a statement and return its rows, if any."""
        with self._faults:
            return self._connection.execute(statement, values).fetchall()

    def _remember_files(self, mark: int | None = None) -> None:
        """Record the files that the connection uses, so that replaced ones are noticed.

        Args:
            mark: ``user_version`` of a database with a mark of its own. The file may show an older
                one until the log is written back to it.
        """
        identities = {path: _identity(path) for path in self._paths}
        self._opened = {path: identity for path, identity in identities.items() if identity}
        if mark is not None:
            self._marks = {self._mark(), mark}

    @property
    def _moved(self) -> str | None:
        """The first file that was removed or replaced; None if there is none."""
        for path, opened in self._opened.items():
            if _identity(path) != opened:
                return path
        if self._marks and self._mark() not in self._marks:
            return str(self._file)
        return None

    def _mark(self) -> int | None:
        """The mark in the file itself, without the log; None if it is no longer a database.

        SQLite reads the mark: if this process opened and closed the file itself, it would release
        SQLite's locks on it. While another connection writes the log back, the file may be
        unreadable for a moment.
        """
        address = self._file.as_uri() + "?immutable=1"
        for pause in (0.0, *MARK_PAUSES):
            if pause:
                time.sleep(pause)
            try:
                with closing(sqlite3.connect(address, uri=True)) as database:
                    return int(database.execute("PRAGMA user_version").fetchone()[0])
            except sqlite3.Error:
                continue
        return None

    def _check_files(self) -> None:
        """Raise an error if a file was removed or replaced.

        Raises:
            DeliberatePracticeError: A file was removed or replaced.
        """
        moved = self._moved
        if moved is None:
            return
        fate = "replaced by another file" if os.path.lexists(moved) else "removed"
        raise self._store.error(
            f"{self._file}: {Path(moved).name} was {fate} while the {self._store.name} was open, "
            "so nothing more is written to it. Stop every program that uses it, put the file back "
            "(or a copy of it), and open it again."
        )


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
