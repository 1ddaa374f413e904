"""The journal: what goes wrong is said clearly, and nothing that was told is lost."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deliberate_practice.practice.journal.events import (
    Asked,
    Decided,
    Event,
    Executed,
    Extended,
    Refunded,
    Told,
    encode,
)
from deliberate_practice.practice.journal.journal import Journal, NameTaken
from deliberate_practice.practice.journal.rows import JournalError, Settings
from deliberate_practice.practice.robot import Approach, Earnings, Result, Step, Trial
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session

Start = Callable[..., Session]

SETTINGS = Settings(10, "random", "bayes", "cma-es", 0, "execute")


def test_events_come_back_as_they_were(db: Path) -> None:
    route = (Step("Pick", {"height": 1 / 7}, 4), Step("Lift"))
    trial = Trial(1, Approach(route), Step("Box", {"x": 0.1 + 0.2}, 9), "explore", 5)
    events: list[Event] = [
        Decided(
            1,
            "Box",
            "Box",
            ("Pick",),
            9,
            6,
            0,
            ("Pick",),
            False,
            {"value": 1 / 3, "plan": ["Pick"]},
        ),
        Asked(trial, 3, 1, 0),
        Told(1, Result("unreached", "Pick", 2 / 3, {"force": 1e-300})),
        Refunded(1),
        Extended(7),
        Executed(3, "boxed", ("Pick", "Box"), Earnings(1 / 3, 0.5, (0.1, 0.7), (True, False))),
        Executed(9, None, (), Earnings(0.0, 0.0)),
    ]
    texts = [json.dumps(dataclasses.asdict(event)) for event in events]
    assert [encode(event)[1] for event in events] == texts
    journal = Journal(db, create=True)
    with journal.transaction():
        session = journal.add_session("s", "task", SETTINGS)
        journal.append(session, None, events)
    journal.close()
    journal = Journal(db)
    assert journal.session("s").settings == SETTINGS
    entries = journal.entries(journal.session("s"))
    assert [entry.event for entry in entries] == events
    assert [entry.number for entry in entries] == [1, 2, 3, 4, 5, 6, 7]
    assert [entry.event for entry in journal.entries(session, entries[2])] == events[3:]


def test_what_is_written_can_be_neither_changed_nor_removed(db: Path) -> None:
    journal = Journal(db, create=True)
    with journal.transaction():
        session = journal.add_session("s", "task", SETTINGS)
        journal.append(session, None, [Extended(1)])
    raw = sqlite3.connect(db)
    for statement in ("UPDATE events SET data = '{}'", "DELETE FROM events"):
        with pytest.raises(sqlite3.IntegrityError, match="only added"):
            raw.execute(statement)
    raw.close()


def test_every_commit_is_synced(db: Path) -> None:
    journal = Journal(db, create=True)
    assert journal._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert journal._connection.execute("PRAGMA synchronous").fetchone() == (2,)
    journal.close()
    thrown_away = Journal(db, lasting=False)
    assert thrown_away._connection.execute("PRAGMA synchronous").fetchone() == (0,)


def test_a_transaction_is_all_or_nothing(db: Path) -> None:
    journal = Journal(db, create=True)
    with pytest.raises(ZeroDivisionError), journal.transaction():  # noqa: PT012  # the block is it
        journal.add_session("s", "task", SETTINGS)
        _ = 1 / 0
    assert journal.sessions() == []


def test_names_are_unique_and_unknown_ones_are_listed(db: Path) -> None:
    journal = Journal(db, create=True)
    with journal.transaction():
        journal.add_session("monday", "task", SETTINGS)
        journal.add_session("friday", "task", SETTINGS)
    with pytest.raises(NameTaken, match="already a session 'monday'"), journal.transaction():
        journal.add_session("monday", "task", SETTINGS)
    with pytest.raises(JournalError, match=r"monday, friday\. Did you mean 'monday'"):
        journal.session("mondy")


def test_a_missing_journal_is_not_made_by_looking(db: Path) -> None:
    with pytest.raises(JournalError, match="no such journal"):
        Journal(db)
    assert not db.exists()
    db.touch()
    with pytest.raises(JournalError, match="is empty"):
        Journal(db)
    with pytest.raises(JournalError, match="folder exists"):
        Journal(db.parent / "nowhere" / "j.db", create=True)
    with pytest.raises(JournalError, match="this is a folder"):
        Journal(db.parent, create=True)


def test_files_of_others_are_left_alone(db: Path) -> None:
    db.write_text("These are my notes, not a database at all. " * 40)
    for create in (False, True):
        with pytest.raises(JournalError, match="not a journal"):
            Journal(db, create=create)
    assert db.read_text().startswith("These are my notes")
    db.unlink()
    raw = sqlite3.connect(db)
    raw.execute("CREATE TABLE photos (id)")
    raw.commit()
    raw.close()
    for create in (False, True):
        with pytest.raises(JournalError, match="database of something else"):
            Journal(db, create=create)


def test_another_schema_version_is_refused(db: Path) -> None:
    Journal(db, create=True).close()
    raw = sqlite3.connect(db)
    raw.execute("PRAGMA user_version = 9")
    raw.close()
    with pytest.raises(JournalError, match="schema version 9, this program knows version 2"):
        Journal(db)


def test_a_full_disk_loses_nothing_told(start: Start, db: Path) -> None:
    session = start(2000)
    told = _tell_some(session, 3)
    pages = session._journal._connection.execute("PRAGMA page_count").fetchone()[0]
    session._journal._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(JournalError, match="disk is full") as caught:
        told += _tell_some(session, 500)
    assert "Everything told so far is kept" in str(caught.value)
    kept = [r.trial.id for r in session.trials() if r.result]
    session._journal._connection.execute("PRAGMA max_page_count = 100000")
    after = _tell_some(session, 3)
    session.close()
    with open_session(db, "s") as again:
        assert [r.trial.id for r in again.trials() if r.result] == kept + after
        assert len(kept) >= len(told)


FILL = """
import resource, sys
from deliberate_practice.practice.journal.rows import JournalError
from deliberate_practice.practice.sessions import open_session
session = open_session(sys.argv[1], "s")
limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
try:
    while (trial := session.ask()):
        session.tell(trial.id, "failure")
        print(trial.id, flush=True)
except JournalError as error:
    print(error)
"""


def test_a_disk_that_refuses_loses_nothing_told(start: Start, db: Path) -> None:
    start(2000).close()
    limit = db.stat().st_size + 100_000
    done = subprocess.run(
        [sys.executable, "-c", FILL, str(db), str(limit)],
        capture_output=True,
        text=True,
        check=False,
    )
    *told, message = done.stdout.splitlines()
    assert "Everything told so far is kept" in message, done.stderr
    assert len(told) > 3
    with open_session(db, "s") as session:
        kept = [str(r.trial.id) for r in session.trials() if r.result]
        assert kept[: len(told)] == told
        assert _tell_some(session, 2)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 300 kB, where one may make one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = shutil.which("mount")
    made = (
        mount
        and not subprocess.run(
            [mount, "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(folder)],
            capture_output=True,
            check=False,
        ).returncode
    )
    if not made:
        pytest.skip("no right to mount a small disk here")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_really_full_disk_loses_nothing_told(start: Start, db: Path, small_disk: Path) -> None:
    start(2000).close()
    small = small_disk / "j.db"
    shutil.copy(db, small)
    with open_session(small, "s") as session, pytest.raises(JournalError, match="disk is full"):
        _tell_some(session, 500)
    with open_session(small, "s") as session:
        assert len([r for r in session.trials() if r.result]) > 3


def test_a_read_only_disk_can_be_read_and_says_so(start: Start, db: Path, small_disk: Path) -> None:
    with start(50) as session:
        _tell_some(session, 3)
    small = small_disk / "j.db"
    shutil.copy(db, small)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with open_session(small, "s") as session:
        assert len(session.trials()) == 3
        with pytest.raises(JournalError, match="read-only"):
            session.ask()
        with pytest.raises(JournalError, match="read-only"):
            session.extend(1)
    with pytest.raises(JournalError, match=r"cannot be opened|read-only"):
        Journal(small_disk / "new.db", create=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_file_can_be_read_and_says_so(start: Start, db: Path) -> None:
    with start(50) as session:
        _tell_some(session, 3)
    db.chmod(0o444)
    with open_session(db, "s") as session:
        assert len(session.trials()) == 3
        with pytest.raises(JournalError, match="read-only"):
            session.ask()


def _tell_some(session: Session, count: int) -> list[int]:
    told = []
    for _ in range(count):
        trial = session.ask()
        assert trial is not None
        session.tell(trial.id, "failure")
        told.append(trial.id)
    return told
