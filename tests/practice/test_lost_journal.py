"""Journals that lost their end, their log or their file: one message says so."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from damaged_journal import copied, practised, seen, write_journal

from deliberate_practice.foundation.head_file import read_head
from deliberate_practice.practice.journal.rows import JournalError
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.task.model import Task

Start = Callable[..., Session]


def test_a_log_that_is_removed_after_a_crash_is_told(killed: Path) -> None:
    killed.with_name(killed.name + "-wal").unlink()
    (error,) = seen(killed)
    assert isinstance(error, JournalError)
    assert "journal.db" in str(error)


def test_a_lost_end_is_told_and_can_be_accepted(shelf: Task, db: Path, tmp_path: Path) -> None:
    session = write_journal(shelf, db)
    session.close()
    older = tmp_path / "older.db"
    shutil.copy(db, older)
    with open_session(db, "s") as session:
        practised(session, 1)
    shutil.copy(older, db)
    with pytest.raises(JournalError, match="its end is lost") as caught:
        open_session(db, "s")
    assert f"remove {db}-head" in str(caught.value)
    Path(f"{db}-head").unlink()
    with open_session(db, "s") as session:
        practised(session, 2)
    with open_session(db, "s") as session:
        assert len(session.trials()) == 16


@pytest.mark.parametrize("fate", ["overwritten", "emptied"])
def test_a_file_that_is_overwritten_in_place_takes_no_more(
    shelf: Task, db: Path, tmp_path: Path, fate: str
) -> None:
    """``cp other.db lab.db`` keeps the inode; the random mark of each journal differs."""
    other = tmp_path / "other.db"
    write_journal(shelf, other).close()
    write_journal(shelf, db).close()
    session = open_session(db, "s")
    practised(session, 1)
    if fate == "overwritten":
        with db.open("r+b") as file:
            file.write(other.read_bytes())
    else:
        os.truncate(db, 0)
    with pytest.raises(JournalError, match="was replaced by another file while the journal was"):
        practised(session, 1)
    session.close()


def test_an_older_copy_that_went_on_otherwise_is_told(
    shelf: Task, db: Path, tmp_path: Path
) -> None:
    write_journal(shelf, db).close()
    head = Path(f"{db}-head")
    shutil.copy(db, tmp_path / "older.db")
    with open_session(db, "s") as session:
        practised(session, 1)
    kept = head.read_bytes()
    shutil.copy(tmp_path / "older.db", db)
    head.unlink()
    with open_session(db, "s") as session:
        practised(session, 3)
    head.write_bytes(kept)
    with pytest.raises(JournalError, match="its end is lost"):
        open_session(db, "s")


def test_a_power_cut_between_commit_and_head_is_no_damage(closed: Path, tmp_path: Path) -> None:
    head = Path(f"{closed}-head")
    before = head.read_bytes()
    with open_session(closed, "s") as session:
        practised(session, 1)
    head.write_bytes(before)  # the journal is ahead
    with open_session(closed, "s") as session:
        practised(session, 1)
    written = read_head(head)
    assert written is not None
    torn = bytearray(head.read_bytes())
    torn[:40] = b"\0" * 40  # one of the two places
    head.write_bytes(bytes(torn))
    for content in (bytes(torn), b"", b"nonsense", bytes(1000)):
        head.write_bytes(content)
        with open_session(closed, "s") as session:
            practised(session, 1)
        again = read_head(head)
        assert again is not None
        assert again.rows > written.rows


def test_a_copy_without_its_head_works(closed: Path, tmp_path: Path) -> None:
    copy = copied(closed, tmp_path / "copy", without="-head")
    views = seen(copy)
    assert not isinstance(views[-1], Exception)
    assert Path(f"{copy}-head").exists()


def test_an_emptied_journal_is_told(closed: Path, start: Start) -> None:
    closed.write_bytes(b"")
    uses: list[Callable[[], object]] = [
        lambda: open_session(closed, "s"),
        lambda: start(name="new"),
    ]
    for use in uses:
        with pytest.raises(JournalError, match="is empty, although"):
            use()
    closed.unlink()
    with start(name="new") as session:  # who removes it begins anew
        practised(session, 1)


def test_sessions_that_are_thrown_away_leave_no_head(start: Start, db: Path) -> None:
    with start(lasting=False) as session:
        practised(session, 2)
    assert [path.name for path in db.parent.iterdir()] == [db.name]


LOSSES: dict[str, Callable[[Path], object]] = {
    "removed": lambda db: db.unlink(),
    "renamed": lambda db: db.rename(db.with_name("elsewhere.db")),
    "replaced": lambda db: os.replace(shutil.copy(db, db.with_name("copy.db")), db),
    "its log removed": lambda db: db.with_name(db.name + "-wal").unlink(),
    "its log replaced": lambda db: os.replace(
        shutil.copy(f"{db}-wal", db.with_name("copy.wal")), f"{db}-wal"
    ),
}


@pytest.mark.parametrize("loss", list(LOSSES))
@pytest.mark.parametrize("linked", [False, True])
def test_a_journal_that_is_lost_under_a_session_takes_no_more(
    loss: str, linked: bool, start: Start, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start().close()
    path = db
    if linked:
        path = db.with_name("link.db")
        path.symlink_to(db)
    monkeypatch.chdir(db.parent)
    session = open_session(Path(path.name), "s")
    monkeypatch.chdir("/")
    trial = session.ask()
    assert trial is not None
    before = len(session.trials())
    LOSSES[loss](db)
    uses: list[Callable[[], object]] = [
        session.ask,
        lambda: session.tell(trial.id, "failure"),
        lambda: session.extend(5),
        session.trials,
        lambda: session.done,
    ]
    for use in uses:
        with pytest.raises(JournalError, match=r"was (removed|replaced) .*while the journal was o"):
            use()
    assert len(session._state.records) in (0, before)
    session.close()
