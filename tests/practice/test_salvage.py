"""Salvage: every sound event of a damaged session comes out, and is marked for what it is."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from damaged_journal import copied, practised

from deliberate_practice.practice.journal.rows import JournalError
from deliberate_practice.practice.journal.salvage import Salvage, salvage
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session

Start = Callable[..., Session]


def damaged(db: Path, *statements: str) -> Salvage:
    with closing(sqlite3.connect(db, isolation_level=None)) as raw:
        raw.execute("DROP TRIGGER events_are_not_changed")
        raw.execute("DROP TRIGGER events_are_not_removed")
        for statement in statements:
            raw.execute(statement)
    return salvage(db, "s")


def test_a_sound_session_comes_out_whole(closed: Path) -> None:
    found = salvage(closed, "s")
    assert found.faults == ()
    assert [event.number for event in found.events] == list(range(1, len(found.events) + 1))
    assert all(event.chained for event in found.events)
    assert found.session is not None
    assert found.session["settings"]["budget"] == 200


def test_events_behind_a_damage_are_marked(closed: Path) -> None:
    count = len(salvage(closed, "s").events)
    found = damaged(closed, "UPDATE events SET data = '{}' WHERE session = 2 AND number = 7")
    numbers = [event.number for event in found.events]
    assert numbers == [n for n in range(1, count + 1) if n != 7]
    assert [event.number for event in found.events if event.chained] == [1, 2, 3, 4, 5, 6]
    assert found.faults == ("event 7 is damaged (its checksum does not match)",)


def test_gaps_and_lost_ends_are_noted(closed: Path) -> None:
    found = damaged(
        closed,
        "DELETE FROM events WHERE session = 2 AND number = 7",
        "DELETE FROM events WHERE session = 2 AND number > 20",
    )
    assert [event.number for event in found.events if event.chained] == [1, 2, 3, 4, 5, 6]
    assert [event.number for event in found.events if not event.chained] == list(range(8, 21))
    assert "event 8 does not follow event 6" in found.faults
    assert any("the last sound one is number 20" in fault for fault in found.faults)


def test_a_damaged_session_row_costs_no_event(closed: Path) -> None:
    count = len(salvage(closed, "s").events)
    found = damaged(closed, "UPDATE sessions SET task = 'x' WHERE id = 2")
    assert found.session is None
    assert len(found.events) == count
    with closing(sqlite3.connect(closed, isolation_level=None)) as raw:
        raw.execute("DELETE FROM sessions WHERE id = 2")
    assert len(salvage(closed, "2").events) == count
    with pytest.raises(JournalError, match="'s' is not one of: other"):
        salvage(closed, "s")


def test_a_malformed_trigger_costs_nothing(closed: Path) -> None:
    count = len(salvage(closed, "s").events)
    content = closed.read_bytes()
    closed.write_bytes(content.replace(b"not_removed BEFORE", b"not_removed'BEFORE"))
    assert len(salvage(closed, "s").events) == count


def test_a_damaged_page_costs_only_its_own_events(closed: Path, tmp_path: Path) -> None:
    whole = salvage(closed, "s").events
    most = 0
    for number in range(10):
        copy = copied(closed, tmp_path / str(number))
        content = bytearray(copy.read_bytes())
        pages = len(content) // 4096
        page = random.Random(number).randrange(3, pages)
        content[page * 4096 : page * 4096 + 8] = b"\xff" * 8
        copy.write_bytes(bytes(content))
        try:
            found = salvage(copy, "s")
        except JournalError:
            continue
        for event in found.events:
            assert any(
                (event.number, event.kind, event.data) == (e.number, e.kind, e.data) for e in whole
            )
        most = max(most, len(found.events))
    assert most > len(whole) // 2


def test_the_number_of_a_sound_session_is_not_its_name(closed: Path) -> None:
    with pytest.raises(JournalError, match=r"'1' is not one of: other, s"):
        salvage(closed, "1")
    count = len(salvage(closed, "s").events)
    with closing(sqlite3.connect(closed, isolation_level=None)) as raw:
        raw.execute("UPDATE sessions SET name = 'z' WHERE id = 2")
    rest = salvage(closed, "2")
    assert len(rest.events) == count
    assert rest.session is None
    assert any("its row is damaged" in fault for fault in rest.faults)


def test_a_lost_end_is_a_fault(closed: Path, tmp_path: Path) -> None:
    older = tmp_path / "older.db"
    shutil.copy(closed, older)
    with open_session(closed, "s") as session:
        practised(session, 1)
    whole = salvage(closed, "s")
    assert whole.faults == ()
    shutil.copy(older, closed)
    rest = salvage(closed, "s")
    assert len(rest.events) < len(whole.events)
    assert rest.events == whole.events[: len(rest.events)]
    (fault,) = rest.faults
    assert "its end is lost" in fault
    Path(f"{closed}-head").unlink()
    assert salvage(closed, "s").faults == ()


def test_a_session_that_was_lost_with_the_end_is_not_merely_unknown(
    start: Start, closed: Path, tmp_path: Path
) -> None:
    older = tmp_path / "older.db"
    shutil.copy(closed, older)
    start(name="new").close()
    shutil.copy(older, closed)
    with pytest.raises(
        JournalError, match=r"'new' is not one of: other, s\. Damage: .*end is lost"
    ):
        salvage(closed, "new")
