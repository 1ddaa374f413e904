"""Sessions that are kept open, each in a thread of its own.

A session's connection to the journal belongs to the thread that opened it, and its verbs are
transactions: so all requests on a session are done one after the other, by its thread, while those
on other sessions go on. Labels and what people do come before robots that ask, which may take long.

Requests that write and wait for the thread at the same time share one commit, because most of their
time is that of the disk. They are answered once it is safe. If the commit fails, each of them is
done anew by itself.
"""

from __future__ import annotations

import asyncio
import itertools
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from deliberate_practice.practice.journal.rows import JournalError
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session

T = TypeVar("T")
Verb = Callable[[Session], T]

FIRST, LATER, LAST = 0, 1, 2
"""Priorities of work: labels and operators, then readers and askers, then the end."""

TOGETHER_SECONDS = 0.01
"""No further work joins a commit after this time [s]."""


class OpenSessions:
    """The sessions of a journal, opened when they are used.

    Args:
        db: The journal.
        most: Sessions that are kept open; of more, those not used for longest are closed.
    """

    def __init__(self, db: Path, most: int) -> None:
        self._db, self._most = db, most
        self._threads: dict[str, _SessionThread] = {}  # the one used last is at the end

    async def use(
        self, name: str, verb: Verb[T], priority: int = LATER, *, writes: bool = False
    ) -> T:
        """Do something with a session, in its thread.

        Args:
            name: The session.
            verb: What is done; it may be done again if its commit fails.
            priority: When it is done, compared with other work that waits.
            writes: Whether it writes to the journal, so that it may share a commit with others.

        Raises:
            JournalError: There is no such session, or the journal cannot be used.
        """
        thread = self._threads.pop(name, None)
        if thread is None:
            thread = _SessionThread(self._db, name)
        self._threads[name] = thread
        for other in list(self._threads)[: -self._most]:
            self.forget(other)
        try:
            return await asyncio.wrap_future(thread.submit(verb, priority, writes))
        finally:
            if thread.lost and self._threads.get(name) is thread:
                self.forget(name)

    def forget(self, name: str) -> None:
        """Close a session, if it is open, once its work is done."""
        thread = self._threads.pop(name, None)
        if thread:
            thread.close()

    def close(self) -> None:
        """Close all sessions, and wait for them."""
        threads = list(self._threads.values())
        for name in list(self._threads):
            self.forget(name)
        for thread in threads:
            thread.join()


@dataclass(frozen=True, order=True)
class _Work:
    """Something to do with a session; what was submitted first is first among equals."""

    priority: int
    number: int
    verb: Verb[Any] | None = field(compare=False)
    writes: bool = field(compare=False)
    future: Future[Any] = field(compare=False, default_factory=Future)


class _SessionThread:
    """A thread with an open session, and the work that waits for it."""

    def __init__(self, db: Path, name: str) -> None:
        self._db, self._name = db, name
        self._work: queue.PriorityQueue[_Work] = queue.PriorityQueue()
        self._count = itertools.count()
        self._session: Session | None = None
        self.lost = False
        """Whether the session cannot be opened any more."""
        self._thread = threading.Thread(target=self._run, name=f"session {name}", daemon=True)
        self._thread.start()

    def submit(self, verb: Verb[T], priority: int, writes: bool) -> Future[T]:
        """Do something as soon as work of higher priority is done."""
        work = _Work(priority, next(self._count), verb, writes)
        self._work.put(work)
        return work.future

    def close(self) -> None:
        """End when all work is done."""
        self._work.put(_Work(LAST, next(self._count), None, writes=False))

    def join(self) -> None:
        """Wait for the end."""
        self._thread.join()

    def _run(self) -> None:
        while True:
            work = self._work.get()
            if work.verb is None:
                break
            if not work.future.set_running_or_notify_cancel():  # nobody waits for it any more
                continue
            if work.writes and self._session and not self._work.empty():
                self._do_together(self._session, work)
            else:
                self._do_alone(work)
        if self._session:
            self._session.close()

    def _do_alone(self, work: _Work) -> None:
        assert work.verb is not None
        try:
            work.future.set_result(self._do(work.verb))
        except BaseException as error:
            work.future.set_exception(error)

    def _do_together(self, session: Session, first: _Work) -> None:
        """Do work that writes, and further work of that kind that waits, in one transaction."""
        group, answers = [first], list[Callable[[], None]]()
        end = time.monotonic() + TOGETHER_SECONDS
        try:
            with session.together():
                for work in group:
                    answers.append(_answered(session, work))
                    if time.monotonic() < end:
                        group += self._more(first.priority)
        except JournalError:  # nothing took place
            for work in group:
                self._do_alone(work)
            return
        except BaseException as error:
            for work in group:
                work.future.set_exception(error)
            return
        for answer in answers:
            answer()

    def _more(self, priority: int) -> list[_Work]:
        """The next work, if it may join: labels do not wait for robots that ask."""
        try:
            work = self._work.get_nowait()
        except queue.Empty:
            return []
        if not work.writes or work.priority != priority:
            self._work.put(work)
        elif work.future.set_running_or_notify_cancel():
            return [work]
        return []

    def _do(self, verb: Verb[Any]) -> Any:
        before = self._session
        if before is None:
            self._session = self._open()
            return verb(self._session)
        try:
            return verb(before)
        except JournalError:
            before.close()
            self._session = self._open()
            if self._session.created == before.created:  # it is no other one of the same name
                raise
            return verb(self._session)

    def _open(self) -> Session:
        self._session, self.lost = None, True
        session = open_session(self._db, self._name)
        self.lost = False
        return session


def _answered(session: Session, work: _Work) -> Callable[[], None]:
    """Do something; what is returned gives the answer.

    Raises:
        JournalError: The journal cannot be used.
    """
    assert work.verb is not None
    try:
        result = work.verb(session)
    except JournalError:
        raise
    except BaseException as error:
        return partial(work.future.set_exception, error)
    return partial(work.future.set_result, result)
