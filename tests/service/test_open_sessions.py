"""Work that waits for a session: in order, and with one commit where that is possible."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.journal.journal import Journal
from deliberate_practice.practice.journal.rows import JournalError
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.practice.telling import TellError
from deliberate_practice.service.open_sessions import FIRST, OpenSessions


@pytest.fixture
def db(tmp_path: Path) -> Path:
    start_session(tmp_path / "lab.db", "s", load_task("breakfast"), 60).close()
    return tmp_path / "lab.db"


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with every transaction."""
    counted: list[int] = []
    transaction = Journal.transaction

    @contextmanager
    def counting(self: Journal) -> Iterator[None]:
        with transaction(self):
            yield
        counted.append(1)

    monkeypatch.setattr(Journal, "transaction", counting)
    return counted


async def waiting(sessions: OpenSessions, verbs: list[Callable[[Session], Any]]) -> list[Any]:
    """Do things that all wait for the session's thread; exceptions are results too."""
    await sessions.use("s", lambda session: session.state)
    go_on = threading.Event()
    busy = asyncio.create_task(sessions.use("s", lambda session: go_on.wait(10)))
    work = [asyncio.create_task(sessions.use("s", verb, FIRST, writes=True)) for verb in verbs]
    await asyncio.sleep(0.05)
    go_on.set()
    await busy
    return await asyncio.gather(*work, return_exceptions=True)


def test_robots_that_wait_share_a_commit(
    db: Path, commits: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deliberate_practice.service.open_sessions.TOGETHER_SECONDS", 60.0)
    sessions = OpenSessions(db, 2)
    verbs: list[Callable[[Session], Any]] = [
        lambda session, i=i: session.ask(asker=f"arm {i}")  # type: ignore[misc]  # bound now
        for i in range(8)
    ]
    verbs.insert(4, lambda session: session.tell(99, "success"))
    trials = asyncio.run(waiting(sessions, verbs))
    sessions.close()
    assert isinstance(trials.pop(4), TellError)
    assert [trial.id for trial in trials] == list(range(1, 9))
    assert len(commits) == 1
    with open_session(db, "s") as session:
        assert len(session.trials()) == 8


def test_if_the_commit_fails_each_is_done_by_itself(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together, failed = Session.together, list[int]()

    @contextmanager
    def failing(self: Session) -> Iterator[None]:
        with together(self):
            yield
            failed.append(len(self.state.records))
            raise JournalError("the disk is full")

    monkeypatch.setattr(Session, "together", failing)
    sessions = OpenSessions(db, 2)
    verbs: list[Callable[[Session], Any]] = [
        lambda session, i=i: session.ask(asker=f"arm {i}")  # type: ignore[misc]  # bound now
        for i in range(3)
    ]
    trials = asyncio.run(waiting(sessions, verbs))
    sessions.close()
    assert failed[0] >= 1
    assert sorted(trial.id for trial in trials) == [1, 2, 3]
    with open_session(db, "s") as session:
        assert len(session.trials()) == 3
        assert len([event for event, _ in session.history()]) == 4
