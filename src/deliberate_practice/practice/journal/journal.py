"""The journal: one SQLite file of sessions, to which events are only ever added.

Every commit is synced to disk (write-ahead log, ``synchronous = FULL``), so what was told survives
a crash of the process and of the machine. Events are the truth; who holds which open trial at the
moment is kept beside them and may change.

No damage goes unnoticed, by four checks:

- Every row carries a checksum, and the rows of a session are a chain: a row that was changed,
  removed, inserted or moved shows when the session is read.
- The table ``heads`` says where each chain ends, so a missing end shows. It is written in the same
  transaction, and goes wherever the file is copied.
- The file ``NAME-head`` beside the journal holds the last commit. It shows what no table inside can
  show: that the whole file went back in time, because its log (``-wal``) was removed after a crash,
  or because an older copy took its place. It is written after each commit, and synced with it at
  most once a second, as a second sync would halve the speed of a simulation. If the power fails
  between the two, the journal is ahead of the file, and still contains the row that the file names:
  that is no damage. A journal behind the file, or one without that row, has lost its end.
  A copy of the journal without this file works; it lacks only this last check until the next
  commit writes the file anew.
- The path must still lead to the file that was opened, and so must its log: a commit to a file that
  was removed or replaced is refused.

A damaged row of a holder is ignored, so at worst a trial is offered again.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from deliberate_practice.foundation import clock
from deliberate_practice.foundation.database import Database
from deliberate_practice.foundation.errors import choose_from
from deliberate_practice.foundation.head_file import Head, read_head, write_head
from deliberate_practice.foundation.row_chain import is_sound, sealed
from deliberate_practice.foundation.tables import pragma, savepoint
from deliberate_practice.practice.journal.events import Event
from deliberate_practice.practice.journal.rows import (
    JOURNAL,
    DamagedRow,
    Entry,
    JournalError,
    SessionRecord,
    Settings,
    damage,
    event_row,
    read_entry,
    read_session,
    read_single_entry,
    salvage_command,
    session_row,
)
from deliberate_practice.practice.journal.schema import (
    NOT_REMOVED,
    connect,
    head_path,
    lost_end,
    prepare,
)

SYNC_SECONDS = 1.0
"""Least time between two syncs of the file beside the journal [s]."""

BEHIND = """
SELECT h.session, h.length, h.digest, h.checksum,
       e.session, e.number, e.kind, e.data, e.time, e.previous, e.digest
FROM heads h LEFT JOIN events e ON e.session = h.session AND e.number > ?
WHERE h.session = ? ORDER BY e.number
"""
"""The end of a chain and its events, from one snapshot."""


REMOVED = {"events": "session", "holders": "session", "heads": "session", "sessions": "id"}
"""Where the rows of a session are: the table, and the column with its number."""


class NameTaken(JournalError):
    """There is a session of that name already."""


class NoSuchSession(JournalError):
    """There is no session of that name."""


class Grown(NamedTuple):
    """How far a session has come: its number, its first checksum, and the number of its events."""

    id: int
    digest: str
    length: int


class Journal(Database):
    """Sessions and their events in one file.

    Args:
        path: The file.
        create: Make it if it is not there.
        lasting: Sync every commit to disk. False is only for temporary files.

    Raises:
        JournalError: It is missing, not ours, of an unknown version, damaged, or cannot be opened.
    """

    def __init__(self, path: str | Path, *, create: bool = False, lasting: bool = True) -> None:
        super().__init__(JOURNAL, path)
        self._head_path = head_path(self._file)
        self._lasting = lasting
        self._synced = -math.inf
        self._grown: tuple[int, int, str] | None = None
        if not self._file.exists():
            if not create:
                raise JournalError(
                    f"{self.path}: there is no such journal (looked from {Path.cwd()}); "
                    "name the file with --db, or start a session there first."
                )
            with suppress(OSError):
                self._head_path.unlink()  # of a journal that was removed
        head = read_head(self._head_path) if lasting else None  # before the journal itself
        with self._faults:
            self._connection = connect(self._file, create=create)
            try:
                self._connection.execute(f"PRAGMA synchronous = {'FULL' if lasting else 'OFF'}")
                prepare(self._connection, self.path, head, create=create)
                if lasting:  # whoever throws the file away may also lose it
                    self._remember_files(pragma(self._connection, "user_version"))
                if head:
                    self._check_end(head)
            except BaseException:
                self._connection.close()
                raise

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """An exclusive transaction: nobody else writes until the block ends; all or nothing."""
        self._grown = None
        with super().transaction():
            yield
            head = self._head()
        if head:
            now = time.monotonic()
            sync = now - self._synced >= SYNC_SECONDS
            write_head(self._head_path, head, sync=sync)
            self._synced = now if sync else self._synced

    @contextmanager
    def part(self) -> Iterator[None]:
        """A part of a transaction: all or nothing by itself.

        Raises:
            JournalError: The transaction is over, because a part before it failed badly.
        """
        if not self._connection.in_transaction:  # a savepoint would begin one, open to others
            raise JournalError(
                f"{self.path}: nothing more is written after a fault in the same transaction."
            )
        grown = self._grown
        with self._faults, savepoint(self._connection):
            try:
                yield
            except BaseException:
                self._grown = grown
                raise

    def add_session(self, name: str, task: str, settings: Settings) -> SessionRecord:
        """Write down a new session (within a transaction).

        Raises:
            NameTaken: There is one of that name.
        """
        rows = self._session_rows()
        if any(row[1] == name for row in rows):
            raise NameTaken(
                f"{self.path}: there is already a session '{name}'; choose another name, or go "
                "on with it (deliberate run ... --resume, deliberate ask; in Python resume=True)."
            )
        ((last,),) = self._rows("SELECT max(session) FROM heads")
        number = 1 + max([last or 0, *(row[0] for row in rows)])
        row = session_row(number, name, task, settings, clock.now().isoformat())
        self._rows("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?)", *row)
        self._grow(number, 0, row[-1])
        return read_session(row)

    def session(self, name: str) -> SessionRecord:
        """The session of that name.

        Raises:
            NoSuchSession: There is none.
            JournalError: Its row is damaged.
        """
        rows = self._session_rows()
        named = [row for row in rows if row[1] == name]
        if len(named) > 1:
            raise damage(self.path, name, "there are two rows of that name")
        if named:
            return self._read_session(named[0])
        for row in rows:  # perhaps it is one whose name is damaged
            self._read_session(row)
        raise NoSuchSession(f"{self.path}: session {choose_from(name, self.names())}")

    def sessions(self) -> list[SessionRecord]:
        """All sessions, oldest first.

        Raises:
            JournalError: The row of one is damaged or missing.
        """
        records = [self._read_session(row) for row in self._session_rows()]
        ends = {number for (number,) in self._rows("SELECT session FROM heads")}
        lost = ends - {record.id for record in records}
        if lost:
            number = min(lost, key=str)
            raise JournalError(
                f"{self.path}: the row of session number {number} is missing; restore the file "
                "from a copy. The other sessions can still be opened by their names: "
                f"{', '.join(self.names()) or '(there are none)'}. Write out the events of this "
                f"one: {salvage_command(number, self.path)}"
            )
        return records

    def names(self) -> list[str]:
        """Names of all sessions, oldest first, as they are stored."""
        return [str(row[1]) for row in self._session_rows()]

    def entries(self, session: SessionRecord, after: Entry | None = None) -> list[Entry]:
        """Events of a session in order, those behind an entry that was read before.

        Raises:
            JournalError: An event is damaged, missing, or not where it was written.
        """
        if not self._connection.in_transaction:  # its end checks that
            self._check_files()
        number, digest = _end(session, after)
        rows = self._rows(BEHIND, number, session.id)
        if not rows:
            raise damage(self.path, session.name, "the number of its events is missing")
        entries = []
        try:
            for row in rows:
                if row[5] is not None:
                    entry = read_entry(row[4:], number + 1, digest)
                    number, digest = entry.number, entry.digest
                    entries.append(entry)
            _check_whole(rows[0][:4], number, digest, len(entries))
        except DamagedRow as fault:
            raise damage(self.path, session.name, fault) from None
        return entries

    @property
    def version(self) -> int:
        """A number that changes with every commit of another connection."""
        with self._faults:
            return pragma(self._connection, "data_version")

    def lengths(self) -> dict[str, Grown]:
        """How far each session has come, by name."""
        self._check_files()
        rows = self._rows(
            "SELECT s.name, s.id, s.digest, h.length FROM sessions s "
            "JOIN heads h ON h.session = s.id ORDER BY s.id"
        )
        return {str(name): Grown(*grown) for name, *grown in rows}

    def tail(self, session: int, after: int, most: int) -> list[Entry]:
        """The next events of a session behind a number, each checked by itself.

        Raises:
            JournalError: One of them is damaged.
        """
        rows = self._rows(
            "SELECT session, number, kind, data, time, previous, digest FROM events "
            "WHERE session = ? AND number > ? ORDER BY number LIMIT ?",
            session,
            after,
            most,
        )
        try:
            return [read_single_entry(row) for row in rows]
        except DamagedRow as fault:
            raise damage(self.path, str(session), fault) from None

    def append(self, session: SessionRecord, after: Entry | None, events: Sequence[Event]) -> None:
        """Add events behind the last entry, None if there is none yet (within a transaction)."""
        number, digest = _end(session, after)
        for event in events:
            number += 1
            row = event_row(session.id, number, event, clock.now().isoformat(), digest)
            self._rows("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", *row)
            digest = row[-1]
        self._grow(session.id, number, digest)

    def remove(self, session: SessionRecord) -> None:
        """Remove a session and all its events (within a transaction).

        The file beside the journal is removed first: it could name a row that is gone.
        """
        with suppress(OSError):
            self._head_path.unlink()
        self._rows("DROP TRIGGER events_are_not_removed")
        for table, column in REMOVED.items():
            self._rows(f"DELETE FROM {table} WHERE {column} = ?", session.id)
        self._rows(NOT_REMOVED)
        last = self._rows("SELECT session, length, digest FROM heads ORDER BY session DESC LIMIT 1")
        self._grown = last[0] if last else None

    def holders(self, session: SessionRecord) -> dict[int, str]:
        """The asker of each open trial; damaged rows are left out."""
        query = "SELECT session, trial, asker, checksum FROM holders WHERE session = ?"
        rows = self._rows(query, session.id)
        return {row[1]: row[2] for row in rows if is_sound(row, "holder")}

    def hold(self, session: SessionRecord, trial: int, asker: str) -> None:
        """Note who holds an open trial (within a transaction)."""
        row = sealed(session.id, trial, asker, kind="holder")
        self._rows("INSERT OR REPLACE INTO holders VALUES (?, ?, ?, ?)", *row)

    def release(self, session: SessionRecord, trial: int) -> None:
        """Nobody holds a trial any more (within a transaction)."""
        self._rows("DELETE FROM holders WHERE session = ? AND trial = ?", session.id, trial)

    def _session_rows(self) -> list[tuple[Any, ...]]:
        self._check_files()
        return self._rows(
            "SELECT id, name, task, settings, created, digest FROM sessions NOT INDEXED ORDER BY id"
        )

    def _read_session(self, row: tuple[Any, ...]) -> SessionRecord:
        try:
            return read_session(row)
        except DamagedRow as fault:
            raise damage(self.path, str(row[1]), fault) from None

    def _grow(self, session: int, length: int, digest: str) -> None:
        """Note where the chain of a session ends now."""
        self._grown = (session, length, digest)
        row = sealed(*self._grown, kind="head")
        self._rows("INSERT OR REPLACE INTO heads VALUES (?, ?, ?, ?)", *row)

    def _head(self) -> Head | None:
        """The content of the file beside the journal after this transaction."""
        if not (self._grown and self._lasting):
            return None
        ((rows,),) = self._rows("SELECT total(length + 1) FROM heads")
        # A damaged head of another session may give any number: then nothing is said.
        return Head(int(rows), *self._grown) if math.isfinite(rows) else None

    def _check_end(self, head: Head) -> None:
        """Compare the journal with the last commit that is known."""
        fault = lost_end(self._connection, head)
        if not fault:
            return
        for row in self._session_rows():  # a damaged row is named before anything else is said
            if row[0] == head.chain:
                self.entries(self._read_session(row))
        raise JournalError(
            f"{self.path}: {fault}. Its log ({self.path.name}-wal) was removed, or an older copy "
            "took its place. Put the newer files back if you have them; to go on with the rows "
            f"that are there, remove {self.path}-head."
        )


def _end(session: SessionRecord, last: Entry | None) -> tuple[int, str]:
    """Number and checksum of the last row of a chain, which is the session itself at first."""
    return (last.number, last.digest) if last else (0, session.digest)


def _check_whole(head: tuple[Any, ...], number: int, digest: str, new: int) -> None:
    """Compare the end of a chain, of which ``new`` rows were just read, with its head."""
    _, length, last, _ = head
    if (length, last) == (number, digest):
        return
    if not is_sound(head, "head"):
        raise DamagedRow("the number of its events is damaged")
    if number > length and new:
        raise DamagedRow(f"event {length + 1} was not written by this package")
    if number != length:
        first, final = min(number, length) + 1, max(number, length)
        gone = f"event {final} is" if first == final else f"events {first} to {final} are"
        raise DamagedRow(f"{gone} missing at its end")
    raise DamagedRow(f"its end at event {number} is not what was written")
