"""Damaged journals: what was written is read exactly, or one message says what is wrong."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from counts import FULL
from damaged_journal import copied, practised, seen

from deliberate_practice.foundation.errors import DeliberatePracticeError
from deliberate_practice.practice.journal.rows import JournalError
from deliberate_practice.practice.journal.schema import TABLES
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session

DAMAGES = 1000 if FULL else 40

Start = Callable[..., Session]


def assert_same_or_told(views: list[object], whole: list[object], damage: object) -> None:
    """Everything seen is as without damage, and all that may end it is one message."""
    if isinstance(views[-1], Exception):
        assert isinstance(views[-1], DeliberatePracticeError), (damage, repr(views[-1]))
        assert "\n" not in str(views[-1])
        views = views[:-1]
    else:
        assert len(views) == len(whole), damage
    assert views == whole[: len(views)], damage


@pytest.mark.parametrize("letters", [False, True], ids=["bits", "letters"])
@pytest.mark.parametrize("state", ["closed", "killed"])
def test_random_damage_to_the_file_is_harmless_or_told(
    state: str, letters: bool, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    db: Path = request.getfixturevalue(state)
    whole = seen(copied(db, tmp_path / "whole"))
    assert not isinstance(whole[-1], Exception)
    told = 0
    for number in range(DAMAGES // 4):
        rng = random.Random(f"{state} {letters} {number}")
        # Without its head a damaged log is like a power cut: the journal ends before it.
        bare = state == "closed" and number % 3 == 0
        copy = copied(db, tmp_path / "copy", without="-head" if bare else None)
        log = copy.with_name(copy.name + "-wal")
        damaged = log if state == "killed" and rng.random() < 0.6 else copy
        where = _damage(damaged, rng, letters=letters)
        views = seen(copy)
        assert_same_or_told(views, whole, (number, damaged.name, where))
        told += isinstance(views[-1], Exception)
        shutil.rmtree(tmp_path / "copy")
    assert told > 0


def _damage(file: Path, rng: random.Random, *, letters: bool) -> object:
    """Flip a bit, or change a letter of some text."""
    content = bytearray(file.read_bytes())
    place = rng.randrange(len(content))
    if letters:
        texts = [i for i, byte in enumerate(content) if chr(byte).isalnum() and byte < 128]
        place = rng.choice(texts)
        content[place] = rng.choice([b for b in b"abcxyz0123789" if b != content[place]])
    else:
        content[place] ^= 1 << rng.randrange(8)
    file.write_bytes(bytes(content))
    return place


FIELDS = [
    *(("sessions", column) for column in ("id", "name", "task", "settings", "created", "digest")),
    *(
        ("events", column)
        for column in ("session", "number", "kind", "data", "time", "previous", "digest")
    ),
    *(("heads", column) for column in ("session", "length", "digest", "checksum")),
    *(("holders", column) for column in ("session", "trial", "asker", "checksum")),
]
VALUES: dict[str, Callable[[random.Random, object], object]] = {
    "another letter": lambda rng, old: _another_letter(rng, str(old)),
    "a number": lambda rng, old: rng.choice([0, -1, 2, 7, 2**62, 1e300, 0.5]),
    "bytes": lambda rng, old: b"\xff\xfe\x00",
    "no UTF-8": lambda rng, old: None,
    "other JSON": lambda rng, old: '{"trial": 1, "other": [1e999, null]}',
    "much": lambda rng, old: "x" * 1_000_000,
    "a time": lambda rng, old: "2020-01-01T00:00:00",
}


def _another_letter(rng: random.Random, text: str) -> str:
    place = rng.randrange(len(text))
    return text[:place] + rng.choice("abcxyz0179") + text[place + 1 :]


@pytest.mark.parametrize(("table", "column"), FIELDS)
def test_a_changed_field_is_harmless_or_told(
    table: str, column: str, closed: Path, tmp_path: Path
) -> None:
    whole = seen(copied(closed, tmp_path / "whole"))
    for kind, value in VALUES.items():
        for number in range(max(1, DAMAGES // 100)):
            rng = random.Random(f"{table} {column} {kind} {number}")
            copy = copied(closed, tmp_path / "copy", without="-head" if number % 2 else None)
            with _unguarded(copy) as raw:
                key = "rowid" if table in ("sessions", "heads") else "session, trial"
                key = "session, number" if table == "events" else key
                rows = raw.execute(f"SELECT {key}, {column} FROM {table}").fetchall()
                if not rows:
                    raw.execute("INSERT INTO holders VALUES (2, 14, 'robot', 'x')")
                    rows = [(2, 14, "robot")]
                *place, old = rng.choice(rows)
                where = " AND ".join(f"{name} = ?" for name in key.split(", "))
                new = value(rng, old)
                text = "CAST(X'C328FF' AS TEXT)" if new is None else "?"
                values = place if new is None else [new, *place]
                changed = 0
                with suppress(sqlite3.IntegrityError):  # a text is no rowid
                    changed = raw.execute(
                        f"UPDATE OR IGNORE {table} SET {column} = {text} WHERE {where}", values
                    ).rowcount
            views = seen(copy)
            assert_same_or_told(views, whole, (kind, number, place))
            if changed and table == "events" and place[0] == 2 and str(new) != str(old):
                assert isinstance(views[-1], JournalError), (kind, number, place)
            shutil.rmtree(tmp_path / "copy")


class _unguarded:  # used as a verb
    """A connection to a journal without its triggers, which are put back at the end."""

    def __init__(self, db: Path) -> None:
        self._db = db

    def __enter__(self) -> sqlite3.Connection:
        self._raw = sqlite3.connect(self._db, isolation_level=None)
        for name in ("events_are_not_changed", "events_are_not_removed"):
            self._raw.execute(f"DROP TRIGGER {name}")
        return self._raw

    def __exit__(self, *error: object) -> None:
        start = TABLES.index("CREATE TRIGGER")
        self._raw.executescript(TABLES[start : TABLES.index("CREATE TABLE heads")])
        self._raw.close()


ROWS: dict[str, tuple[list[str], str]] = {
    "an event is gone": (["DELETE FROM events WHERE session = 2 AND number = 7"], "event 7 is mis"),
    "the first event is gone": (
        ["DELETE FROM events WHERE session = 2 AND number = 1"],
        "event 1 is missing",
    ),
    "the end is gone": (
        ["DELETE FROM events WHERE session = 2 AND number > 20"],
        r"events 21 to \d+ are missing at its end",
    ),
    "the last event is gone": (
        [
            "DELETE FROM events WHERE session = 2 AND number = "
            "(SELECT max(number) FROM events WHERE session = 2)"
        ],
        r"event \d+ is missing at its end",
    ),
    "all events are gone": (["DELETE FROM events WHERE session = 2"], "missing at its end"),
    "two events have changed places": (
        [
            "UPDATE events SET number = 999 WHERE session = 2 AND number = 5",
            "UPDATE events SET number = 5 WHERE session = 2 AND number = 6",
            "UPDATE events SET number = 6 WHERE session = 2 AND number = 999",
        ],
        "event 5 is damaged",
    ),
    "an event is of the other session": (
        [
            "DELETE FROM events WHERE session = 2 AND number = 2",
            "UPDATE events SET session = 2 WHERE session = 1 AND number = 2",
        ],
        "event 2 is damaged",
    ),
    "an event is added": (
        [
            "INSERT INTO events SELECT session, number + 1, kind, data, time, digest, digest "
            "FROM events WHERE session = 2 ORDER BY number DESC LIMIT 1"
        ],
        r"event \d+ is damaged",
    ),
    "the end of the chain is gone": (["DELETE FROM heads WHERE session = 2"], "number of its ev"),
    "the session's row is gone": (["DELETE FROM sessions WHERE id = 2"], "'s' is not one of"),
    "the session stands there twice": (
        ["UPDATE sessions SET name = 'z' WHERE id = 2",
         "INSERT INTO sessions SELECT 9, 's', task, settings, created, digest "
         "FROM sessions WHERE id = 2"],
        "its row is damaged",
    ),
}  # fmt: skip


@pytest.mark.parametrize("without", [None, "-head"])
@pytest.mark.parametrize("damage", list(ROWS))
def test_missing_moved_and_added_rows_are_told(
    damage: str, without: str | None, closed: Path, tmp_path: Path
) -> None:
    statements, message = ROWS[damage]
    copy = copied(closed, tmp_path / "copy", without=without)
    with _unguarded(copy) as raw:
        raw.execute("PRAGMA foreign_keys = OFF")
        for statement in statements:
            raw.execute(statement)
    (error,) = seen(copy)
    assert isinstance(error, JournalError)
    if without:  # else the end that is lost may be told first
        with pytest.raises(JournalError, match=message):
            raise error


def test_a_message_names_the_row_and_the_way_out(closed: Path) -> None:
    with _unguarded(closed) as raw:
        raw.execute("UPDATE events SET kind = 'ask' WHERE session = 2 AND number = 7")
    with pytest.raises(JournalError) as caught, open_session(closed, "s") as session:
        session.trials()
    assert "session 's': event 7 is damaged" in str(caught.value)
    assert f"deliberate export s --salvage --db {closed}" in str(caught.value)
    with open_session(closed, "other") as other:  # one session does not suffer for another
        assert other.trials()
        practised(other, 1)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("PRAGMA application_id = 1", "database of something else"),
        ("PRAGMA user_version = 1", "schema version 1"),
        ("DROP TRIGGER events_are_not_removed", "TRIGGER events_are_not_removed is missing"),
        ("DROP TABLE holders", "TABLE holders is missing"),
        ("ALTER TABLE events RENAME COLUMN data TO date", "TABLE events is missing or changed"),
    ],
)
def test_a_changed_schema_is_told(closed: Path, statement: str, message: str) -> None:
    with closing(sqlite3.connect(closed, isolation_level=None)) as raw:
        raw.execute(statement)
    (error,) = seen(closed)
    assert isinstance(error, JournalError)
    assert message in str(error)


def test_damaged_holders_only_offer_a_trial_again(start: Start, db: Path) -> None:
    with start() as session:
        trial = session.ask(asker="left")
        assert trial is not None
    with closing(sqlite3.connect(db, isolation_level=None)) as raw:
        raw.execute("UPDATE holders SET asker = 'lefu'")
    with open_session(db, "s") as session:
        assert session.ask(asker="right") == trial
