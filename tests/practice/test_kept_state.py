"""Several verbs in one transaction: one commit, all or nothing each, and nothing before its end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from asking import ask
from damaged_journal import copied

from deliberate_practice.foundation.errors import ArgumentError, PartFailed
from deliberate_practice.practice.journal.rows import JournalError
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.practice.sinks import Written
from deliberate_practice.practice.telling import TellError
from deliberate_practice.strategies.strategy import Decision, Situation

Start = Callable[..., Session]


def events(session: Session) -> list[object]:
    return [event for event, _ in session.history()]


def use(session: Session) -> None:
    """Ask and tell in turn, as three robots would."""
    for number in range(4):
        trials = [ask(session, asker=f"arm {i}") for i in range(3)]
        for trial in trials:
            session.tell(trial.id, "success" if number % 2 else "failure")
        session.correct(trials[0].id, "aborted")
    session.note("done")


def test_verbs_that_are_done_together_do_the_same(start: Start) -> None:
    one, many = start(90, name="one"), start(90, name="many")
    use(one)
    with many.together():
        use(many)
    assert events(many) == events(one)
    assert many.state.competences == one.state.competences
    ask(many, asker="later")


def test_nobody_sees_them_before_all_are_safe(start: Start, db: Path, tmp_path: Path) -> None:
    seen: list[Written] = []
    session = start(sinks=[seen.append])
    with open_session(db, "s") as other:
        with session.together():
            ask(session, asker="a")
            session.note("in between")
            assert not other.trials()
            assert not seen
            killed = copied(db, tmp_path / "killed")
        assert len(other.trials()) == 1
    assert [written.kind for written in seen] == ["decide", "ask", "note"]
    with open_session(killed, "s") as before:
        assert not before.trials()
        assert ask(before, asker="b").id == 1


def test_a_verb_that_fails_leaves_nothing_behind_and_the_others_stay(start: Start) -> None:
    session = start()
    with session.together():
        trial = ask(session, asker="a")
        with pytest.raises(TellError):
            session.tell(99, "success")
        with pytest.raises(ArgumentError):
            session.note("")
        session.tell(trial.id, "success")
    kinds = [type(event).__name__ for event in events(session)]
    assert kinds == ["Decided", "Asked", "Told"]
    session.tell(ask(session, asker="a").id, "failure")


def test_a_block_that_fails_leaves_nothing_at_all(start: Start, db: Path) -> None:
    seen: list[Written] = []
    session = start(sinks=[seen.append])
    session.note("before")
    first = dict(session.state.competences)

    def stopped() -> None:
        with session.together():
            session.tell(ask(session, asker="a").id, "success")
            raise RuntimeError("switched off")

    with pytest.raises(RuntimeError):
        stopped()
    assert len(events(session)) == 1
    assert session.state.competences == first
    assert [written.kind for written in seen] == ["note"]
    assert ask(session, asker="b").id == 1
    with open_session(db, "s") as again:
        assert len(again.trials()) == 1


def test_a_full_disk_voids_the_whole_block(start: Start, db: Path) -> None:
    session = start(2000)
    database = session._journal._connection
    pages = database.execute("PRAGMA page_count").fetchone()[0]
    database.execute(f"PRAGMA max_page_count = {pages + 2}")

    def fill() -> None:
        with session.together():
            for number in range(200):
                session.note(f"{number} " + "x" * 5000)

    with pytest.raises(JournalError, match="the disk is full"):
        fill()
    database.execute("PRAGMA max_page_count = 100000")
    assert not events(session)
    session.note("there is room again")
    with open_session(db, "s") as again:
        assert len(events(again)) == 1


def test_after_a_bad_fault_nothing_more_joins_the_block(start: Start) -> None:
    session = start()

    def faulty() -> None:
        with session.together():
            session._journal._connection.execute("ROLLBACK")  # as SQLite does on some faults
            session.note("too late")

    with pytest.raises(JournalError, match="nothing more is written"):
        faulty()
    assert not events(session)
    session.note("in time")


def test_a_reading_of_the_clock_is_forgotten_with_its_ask(start: Start) -> None:
    faults = [True]

    def strategy(situation: Situation) -> Decision:
        if faults:
            raise ValueError("not yet")
        return Decision(next(iter(situation.routes)), 6)

    session = start(until=datetime(2100, 1, 1, tzinfo=UTC), strategy=strategy, lasting=False)
    with pytest.raises(PartFailed, match="not yet"):
        session.ask(asker="a")
    assert not events(session)
    faults.clear()
    ask(session, asker="a")
