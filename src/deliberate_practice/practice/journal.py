"""The journal: one SQLite file of sessions, to which events are only ever added.

Every commit is synced to disk (write-ahead log, ``synchronous = FULL``), so what was told survives
a crash of the process and of the machine. Events are the truth; who holds which open trial at the
moment is kept beside them and may change.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from deliberate_practice.errors import DeliberatePracticeError, choose_from
from deliberate_practice.practice.events import Event, decode, encode

APPLICATION = 0x44505241
"""Marks a SQLite file as ours ("DPRA")."""

SCHEMA = 1
"""Version of the tables below; a file with another one is left alone."""

BUSY_SECONDS = 60.0
"""How long to wait for another process that is writing."""

TABLES = """
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    task TEXT NOT NULL,
    settings TEXT NOT NULL,
    created TEXT NOT NULL
);
CREATE TABLE events (
    session INTEGER NOT NULL REFERENCES sessions (id),
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    time TEXT NOT NULL,
    PRIMARY KEY (session, number)
) WITHOUT ROWID;
CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
    BEGIN SELECT RAISE (ABORT, 'events are only added'); END;
CREATE TRIGGER events_are_not_removed BEFORE DELETE ON events
    BEGIN SELECT RAISE (ABORT, 'events are only added'); END;
CREATE TABLE holders (
    session INTEGER NOT NULL REFERENCES sessions (id),
    trial INTEGER NOT NULL,
    asker TEXT NOT NULL,
    PRIMARY KEY (session, trial)
) WITHOUT ROWID;
"""


class JournalError(DeliberatePracticeError):
    """The journal cannot be read or written; what it holds is unharmed."""


class NameTaken(JournalError):
    """There is a session of that name already."""


@dataclass(frozen=True)
class Settings:
    """What a session was started with.

    Attributes:
        budget: Budget units at the start.
        strategy: Name of the strategy.
        belief: Name of the belief.
        learner: Name of the learner.
        seed: For everything random in the session.
        approach: ``execute`` or ``free``.
        robot: Name of the robot that practises; None for one that asks and tells by itself.
    """

    budget: int
    strategy: str
    belief: str
    learner: str
    seed: int
    approach: str
    robot: str | None = None


@dataclass(frozen=True)
class SessionRecord:
    """A session as the journal knows it."""

    id: int
    name: str
    task: str
    settings: Settings
    created: datetime


@dataclass(frozen=True)
class Entry:
    """An event with its number in the session and the time it was written."""

    number: int
    event: Event
    time: datetime


class Journal:
    """Sessions and their events in one file.

    Args:
        path: The file.
        create: Make it if it is not there.
        lasting: Sync every commit to disk; only who throws the file away afterwards may do without.

    Raises:
        JournalError: It is missing, not ours, of an unknown version, or cannot be opened.
    """

    def __init__(self, path: str | Path, *, create: bool = False, lasting: bool = True) -> None:
        self.path = Path(path)
        if not create and not self.path.exists():
            raise JournalError(
                f"{self.path}: there is no such journal (looked from {Path.cwd()}); "
                "name the file with --db, or start a session there first."
            )
        with self._faults():
            self._connection = _connect(self.path)
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if lasting else 'OFF'}")
            self._prepare(create)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Alone with the journal: nobody else writes until the block ends; all or nothing."""
        with self._faults():
            self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            with self._faults():
                self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def add_session(self, name: str, task: str, settings: Settings) -> SessionRecord:
        """Write down a new session (within a transaction).

        Raises:
            NameTaken: There is one of that name.
        """
        with self._faults():
            if name in self._names():
                raise NameTaken(
                    f"{self.path}: there is already a session '{name}'; choose another name, or go "
                    "on with it (deliberate run ... --resume, deliberate ask)."
                )
            self._connection.execute(
                "INSERT INTO sessions (name, task, settings, created) VALUES (?, ?, ?, ?)",
                (name, task, json.dumps(asdict(settings)), _now()),
            )
        return self.session(name)

    def session(self, name: str) -> SessionRecord:
        """The session of that name.

        Raises:
            JournalError: There is none.
        """
        for record in self.sessions():
            if record.name == name:
                return record
        raise JournalError(f"{self.path}: session {choose_from(name, self._names())}")

    def sessions(self) -> list[SessionRecord]:
        """All sessions, oldest first."""
        with self._faults():
            rows = self._connection.execute(
                "SELECT id, name, task, settings, created FROM sessions ORDER BY id"
            ).fetchall()
        return [
            SessionRecord(
                i, name, task, Settings(**json.loads(settings)), datetime.fromisoformat(created)
            )
            for i, name, task, settings, created in rows
        ]

    def entries(self, session: int, after: int = 0) -> list[Entry]:
        """Events of a session in order, those after a number."""
        with self._faults():
            rows = self._connection.execute(
                "SELECT number, kind, data, time FROM events WHERE session = ? AND number > ? "
                "ORDER BY number",
                (session, after),
            ).fetchall()
        return [
            Entry(number, decode(kind, data), datetime.fromisoformat(time))
            for number, kind, data, time in rows
        ]

    def append(self, session: int, after: int, events: Sequence[Event]) -> None:
        """Add events behind number ``after`` (within a transaction)."""
        with self._faults():
            self._connection.executemany(
                "INSERT INTO events (session, number, kind, data, time) VALUES (?, ?, ?, ?, ?)",
                [(session, after + i, *encode(event), _now()) for i, event in enumerate(events, 1)],
            )

    def holders(self, session: int) -> dict[int, str]:
        """Who holds which open trial."""
        with self._faults():
            rows = self._connection.execute(
                "SELECT trial, asker FROM holders WHERE session = ? ORDER BY trial", (session,)
            ).fetchall()
        return dict(rows)

    def hold(self, session: int, trial: int, asker: str) -> None:
        """Note who holds an open trial (within a transaction)."""
        with self._faults():
            self._connection.execute(
                "INSERT OR REPLACE INTO holders (session, trial, asker) VALUES (?, ?, ?)",
                (session, trial, asker),
            )

    def release(self, session: int, trial: int) -> None:
        """Nobody holds a trial any more (within a transaction)."""
        with self._faults():
            self._connection.execute(
                "DELETE FROM holders WHERE session = ? AND trial = ?", (session, trial)
            )

    def _names(self) -> list[str]:
        rows = self._connection.execute("SELECT name FROM sessions ORDER BY id").fetchall()
        return [name for (name,) in rows]

    def _prepare(self, create: bool) -> None:
        """Check that the file is ours, or make it so."""
        connection = self._connection
        if create and self._is_empty():
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN IMMEDIATE")
            if self._is_empty():  # nobody else was faster
                for statement in _statements(TABLES):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {SCHEMA}")
            connection.execute("COMMIT")
        elif self._is_empty():
            raise JournalError(f"{self.path}: the journal is empty; start a session there first.")
        if self._pragma("application_id") != APPLICATION:
            raise JournalError(
                f"{self.path}: this is a database of something else; name another file with --db."
            )
        version = self._pragma("user_version")
        if version != SCHEMA:
            raise JournalError(
                f"{self.path}: the journal has schema version {version}, this program knows "
                f"version {SCHEMA}; use the program that wrote it, or another file with --db."
            )

    def _is_empty(self) -> bool:
        return not self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]

    def _pragma(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Turn SQLite's faults into messages that say what to do."""
        try:
            yield
        except sqlite3.Error as error:
            raise JournalError(f"{self.path}: {_explain(error)}") from error


def _connect(path: Path) -> sqlite3.Connection:
    """Open the file, for reading only where nothing else is allowed."""
    if path.is_dir():
        raise JournalError(f"{path}: this is a folder; name a file in it with --db.")
    writable = os.access(path if path.exists() else path.parent, os.W_OK)
    writable = writable and os.access(path.parent, os.W_OK)  # the log lies beside the file
    options = ""
    if path.exists() and not writable:
        log = path.with_name(path.name + "-wal")
        still = not log.exists() or not log.stat().st_size
        options = "?immutable=1" if still else "?mode=ro"
    uri = path.resolve().as_uri() + options
    return sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _explain(error: sqlite3.Error) -> str:
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return "the disk is full; free some space. Everything told so far is kept."
    if code == sqlite3.SQLITE_IOERR:
        return (
            f"the disk refused ({error}); it may be full or failing. Everything told so far is "
            "kept; free some space and go on."
        )
    if code == sqlite3.SQLITE_READONLY:
        return (
            "the file or its folder is read-only; make both writable, or name another file with "
            "--db. Everything told so far is kept."
        )
    if code == sqlite3.SQLITE_NOTADB:
        return "this is not a journal (not an SQLite file); name another file with --db."
    if code == sqlite3.SQLITE_CORRUPT:
        return f"the file is damaged ({error}); restore it from a copy."
    if code == sqlite3.SQLITE_CANTOPEN:
        return "the file cannot be opened; check that its folder exists and may be written to."
    if code == sqlite3.SQLITE_BUSY:
        return f"another process has been writing for {BUSY_SECONDS:.0f} s; try again."
    return f"{error}."


def _now() -> str:
    return datetime.now(UTC).isoformat()
