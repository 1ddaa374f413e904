"""Explanations of SQLite's faults: one table of error codes for every store of this package."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from deliberate_practice.foundation.errors import DeliberatePracticeError

WAIT_SECONDS = 60.0
"""Time to wait while another process writes to a file [s]."""


@dataclass(frozen=True)
class Store:
    """A kind of SQLite file, with the words for its messages.

    Attributes:
        name: The kind of file, e.g. ``journal``.
        error: The exception to raise.
        kept: A sentence that states which data is safe when writing fails.
        elsewhere: How to choose another file.
        repair: How to recover from a damaged file at a path.
    """

    name: str
    error: type[DeliberatePracticeError]
    kept: str
    elsewhere: str
    repair: Callable[[Path], str]


@dataclass(frozen=True)
class explained:  # used as a verb: with explained(...)
    """Replace an exception of SQLite by one message that names the fix.

    Raises:
        DeliberatePracticeError: The store's own kind of error.
    """

    store: Store
    path: Path

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Explain the exception, if it is one of SQLite's."""
        # Python cannot decode a message of SQLite that quotes a damaged schema.
        if isinstance(error, sqlite3.Error | UnicodeDecodeError):
            text = f"{self.path}: {_explanation(self.store, self.path, error)}"
            raise self.store.error(text) from error


_IN_USE = (
    f"the file has been in use by another process for {WAIT_SECONDS:.0f} s; wait for it, or stop "
    "it. {kept}"
)
_EXPLANATIONS = {
    sqlite3.SQLITE_FULL: "the disk is full; free some space. {kept}",
    sqlite3.SQLITE_IOERR: (
        "the disk refused ({reason}); it may be full or failing. Free some space. {kept}"
    ),
    sqlite3.SQLITE_READONLY: (
        "the file or its folder is read-only; make both writable, or {elsewhere}. {kept}"
    ),
    sqlite3.SQLITE_BUSY: _IN_USE,
    sqlite3.SQLITE_LOCKED: _IN_USE,
    sqlite3.SQLITE_NOTADB: (
        "this is not a {name} (not an SQLite file), or its first bytes are damaged; {elsewhere}."
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "the file cannot be opened; check that its folder exists and may be written to."
    ),
}
"""By error code. Any other code (a malformed page or schema, a missing table or column, a violated
constraint that our own rows always meet) means that the file is not as this package wrote it."""


def _explanation(store: Store, path: Path, error: sqlite3.Error | UnicodeDecodeError) -> str:
    reason = " ".join(str(error).split())  # it may quote a statement of several lines
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    damaged = f"the {store.name} is damaged ({reason}); {store.repair(path)}"
    known = _EXPLANATIONS.get(code)
    return known.format(reason=reason, **vars(store)) if known else damaged
