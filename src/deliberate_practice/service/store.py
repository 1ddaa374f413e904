"""The file beside the journal: tokens, the record of requests, and answers that are given again.

No secret is in it: a token is stored as the SHA-256 of its 256 random bits.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deliberate_practice.foundation import clock
from deliberate_practice.foundation.database import Database
from deliberate_practice.foundation.errors import DeliberatePracticeError, refuse
from deliberate_practice.foundation.sqlite_faults import WAIT_SECONDS, Store
from deliberate_practice.foundation.tables import (
    SCHEMA_BITS,
    begin,
    changed_tables,
    is_empty,
    pragma,
)

SUFFIX = "-service"
APPLICATION = 0x44505345
"""Marks a SQLite file as ours ("DPSE")."""
SCHEMA = 1
"""Version of the tables below."""
MOST_REQUESTS = 100_000
"""Requests that are kept in the record."""
MOST_REPLIES = 1_000
"""Answers that are kept."""

TABLES = """
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    session TEXT,             -- the only session of a robot's token; NULL for all sessions
    digest TEXT NOT NULL,     -- SHA-256 of the secret
    created TEXT NOT NULL,
    revoked TEXT              -- when; NULL while it is valid
);
CREATE TABLE requests (
    number INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    token TEXT,               -- NULL without a valid token
    name TEXT,
    address TEXT NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    status INTEGER NOT NULL
);
CREATE TABLE replies (
    number INTEGER PRIMARY KEY,
    token TEXT NOT NULL,
    key TEXT NOT NULL,
    request TEXT NOT NULL,    -- checksum of the request
    status INTEGER NOT NULL,  -- 0 until it is answered
    body TEXT NOT NULL,
    UNIQUE (token, key)
);
"""


class ServiceStoreError(DeliberatePracticeError):
    """The file of the service cannot be read or written."""


SERVICE = Store(
    name="service file",
    error=ServiceStoreError,
    kept="The journal is another file and keeps everything.",
    elsewhere="move it away",
    repair=lambda path: "remove it: the service then makes new tokens. The journal is not touched.",
)


@dataclass(frozen=True)
class Request:
    """A request as it is recorded.

    Attributes:
        time: When it came.
        token: The token's identifier; None without a valid one.
        name: The token's name.
        address: Where it came from.
        method, path: What was asked.
        status: What was answered.
    """

    time: str
    token: str | None
    name: str | None
    address: str
    method: str
    path: str
    status: int


class ServiceStore(Database):
    """The open file; made if it is not there, for its owner alone.

    Args:
        journal: The journal that it belongs to.

    Raises:
        ServiceStoreError: It cannot be opened, or is not ours.
    """

    def __init__(self, journal: Path) -> None:
        super().__init__(SERVICE, service_path(journal))
        with self._faults:
            try:
                # Closing a file that is there would release SQLite's locks of this process.
                os.close(os.open(self._file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            except FileExistsError:
                pass
            except OSError as error:
                raise ServiceStoreError(f"{self.path}: {error.strerror}.") from None
            self._connection = sqlite3.connect(
                self._file, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA synchronous = FULL")
        if is_empty(self._connection):
            begin(self._connection, TABLES, APPLICATION, SCHEMA)
        version = pragma(self._connection, "user_version")
        changed = changed_tables(self._connection, TABLES)
        faults = {
            f"this is a database of something else; {SERVICE.elsewhere}.": (
                pragma(self._connection, "application_id") != APPLICATION
            ),
            f"the service file has schema version {version & SCHEMA_BITS}, this program knows "
            f"version {SCHEMA}; use the program that wrote it, or {SERVICE.elsewhere}.": (
                version & SCHEMA_BITS != SCHEMA
            ),
            f"the service file is damaged ({', '.join(changed)}); {SERVICE.repair(self.path)}": (
                bool(changed)
            ),
        }
        refuse(ServiceStoreError, self.path, faults)
        self._remember_files(version)

    def token_rows(self) -> list[tuple[str | None, ...]]:
        """All tokens, oldest first, without their digests."""
        query = "SELECT id, name, role, session, created, revoked FROM tokens ORDER BY rowid"
        return self._rows(query)

    def token_row(self, identifier: str) -> tuple[str | None, ...] | None:
        """A token with its digest; None if there is none."""
        query = "SELECT id, name, role, session, created, revoked, digest FROM tokens WHERE id = ?"
        rows = self._rows(query, identifier)
        return rows[0] if rows else None

    def add_token(
        self, identifier: str, name: str, role: str, session: str | None, digest: str
    ) -> None:
        """Write a new token."""
        row = (identifier, name, role, session, digest, clock.now().isoformat(), None)
        with self.transaction():
            self._rows("INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?)", *row)

    def revoke(self, where: str, value: str) -> int:
        """Revoke all valid tokens with an ``id``, or of a ``session``; how many there were."""
        assert where in ("id", "session")
        with self.transaction():
            ((count,),) = self._rows(
                f"SELECT count(*) FROM tokens WHERE {where} = ? AND revoked IS NULL", value
            )
            self._rows(
                f"UPDATE tokens SET revoked = ? WHERE {where} = ? AND revoked IS NULL",
                clock.now().isoformat(),
                value,
            )
        return int(count)

    def add_requests(self, requests: Sequence[Request]) -> None:
        """Add requests to the record; the oldest ones are dropped."""
        with self.transaction():
            for request in requests:
                row = tuple(vars(request).values())
                self._rows("INSERT INTO requests VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", *row)
            self._rows(
                "DELETE FROM requests WHERE number <= (SELECT max(number) FROM requests) - ?",
                MOST_REQUESTS,
            )

    def requests(self, before: int | None, most: int) -> list[tuple[int, Request]]:
        """The last requests, newest first, those with smaller numbers than ``before``."""
        rows = self._rows(
            "SELECT * FROM requests WHERE number < ? ORDER BY number DESC LIMIT ?",
            2**62 if before is None else before,
            most,
        )
        return [(number, Request(*row)) for number, *row in rows]

    def reply(self, token: str, key: str) -> tuple[str, int, str] | None:
        """The answer that was given to a key before: its request, its status and its body."""
        query = "SELECT request, status, body FROM replies WHERE token = ? AND key = ?"
        rows = self._rows(query, token, key)
        return rows[0] if rows else None

    def add_reply(self, token: str, key: str, request: str, status: int, body: str) -> None:
        """Remember an answer; the oldest ones are dropped."""
        row = (token, key, request, status, body)
        with self.transaction():
            self._rows("INSERT OR REPLACE INTO replies VALUES (NULL, ?, ?, ?, ?, ?)", *row)
            self._rows(
                "DELETE FROM replies WHERE number <= (SELECT max(number) FROM replies) - ?",
                MOST_REPLIES,
            )

    def forget_reply(self, token: str, key: str) -> None:
        """Forget a request, which was not done."""
        with self.transaction():
            self._rows("DELETE FROM replies WHERE token = ? AND key = ?", token, key)


def service_path(journal: Path) -> Path:
    """The file of the service beside a journal, or beside the file that a link leads to."""
    return Path(f"{journal.resolve()}{SUFFIX}")
