"""A journal to damage, and what a user sees of it."""

from __future__ import annotations

import shutil
from pathlib import Path

from deliberate_practice.practice.journal.journal import Journal
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.task.model import Task

FILES = ("", "-wal", "-head")


def write_journal(task: Task, db: Path) -> Session:
    """Two sessions with trials of every outcome; the first is still open."""
    other = start_session(db, "other", task, 9, "random", "running-average", 3)
    practised(other, 2)
    other.close()
    session = start_session(db, "s", task, 200, "random", "running-average", 5)
    practised(session, 14)
    session.extend(3)
    return session


def practised(session: Session, trials: int) -> None:
    for number in range(trials):
        trial = session.ask(asker="robot")
        assert trial is not None
        if number % 5 == 3:
            session.tell(trial.id, "aborted")
            session.refund(trial.id)
        elif number % 5 == 2 and trial.approach.route:
            session.tell(trial.id, "unreached", trial.approach.skills[0])
        else:
            outcome = "success" if number % 2 else "failure"
            session.tell(trial.id, outcome, None, number / 7, {"force": number / 3})


def copied(db: Path, folder: Path, *, without: str | None = None) -> Path:
    """The journal with the files that belong to it in another folder."""
    folder.mkdir()
    for ending in FILES:
        source = db.with_name(db.name + ending)
        if source.exists() and ending != without:
            shutil.copy(source, folder / source.name)
    return folder / db.name


def seen(db: Path) -> list[object]:
    """What a user sees who opens the session, looks, asks, tells, and opens it again.

    It ends with the exception if there is one.
    """
    views: list[object] = []
    try:
        with open_session(db, "s") as session:
            views.append(_state(session))
            trial = session.ask(asker="robot")
            assert trial is not None
            views.append(trial)
            session.tell(trial.id, "success", None, 0.5)
            views.append(_state(session, times=False))
        with open_session(db, "s") as session:
            views.append(_state(session, times=False))
        journal = Journal(db)
        try:
            views.append([(r.name, r.task, r.settings, r.created) for r in journal.sessions()])
        finally:
            journal.close()
    except Exception as error:
        views.append(error)
    return views


def _state(session: Session, *, times: bool = True) -> object:
    state = session.state
    return [
        (state.ledger, state.competences, state.attempts, state.deployed, state.length),
        [(d.policy, d.share, d.granted, dict(d.why)) for d in state.decisions],
        [(r.trial, r.result, r.refunded, r.cost) for r in session.trials()],
        [(r.asked, r.told) for r in session.trials()] if times else None,
        session.task,
        session.settings,
        session.created,
    ]
