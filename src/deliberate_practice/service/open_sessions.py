"""Sessions that are kept open, each in a thread of its own.

A session's connection to the journal belongs to the thread that opened it, and its verbs are
transactions: so all requests on a session are done one after the other, by its thread, while those
on other sessions go on. Labels and what people do come before robots that ask, which may take long.
"""

from __future__ import annotations

import asyncio
import itertools
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from deliberate_practice.practice.journal.rows import JournalError
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session

T = TypeVar("T")
Verb = Callable[[Session], T]

FIRST, LATER, LAST = 0, 1, 2
"""Priorities of work: labels and operators, then readers and askers, then the end."""


class OpenSessions:
    """The sessions of a journal, opened when they are used.

    Args:
        db: The journal.
        most: Sessions that are kept open; of more, those not used for longest are closed.
    """

    def __init__(self, db: Path, most: int) -> None:
        self._db, self._most = db, most
        self._threads: dict[str, _SessionThread] = {}  # the one used last is at the end

    async def use(self, name: str, verb: Verb[T], priority: int = LATER) -> T:
        """Do something with a session, in its thread.

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
            return await asyncio.wrap_future(thread.submit(verb, priority))
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


class _SessionThread:
    """A thread with an open session, and the work that waits for it."""

    def __init__(self, db: Path, name: str) -> None:
        self._db, self._name = db, name
        self._work: queue.PriorityQueue[tuple[int, int, Any, Any]] = queue.PriorityQueue()
        self._count = itertools.count()
        self._session: Session | None = None
        self.lost = False
        """Whether the session cannot be opened any more."""
        self._thread = threading.Thread(target=self._run, name=f"session {name}", daemon=True)
        self._thread.start()

    def submit(self, verb: Verb[T], priority: int) -> Future[T]:
        """Do something as soon as work of higher priority is done."""
        future: Future[T] = Future()
        self._work.put((priority, next(self._count), verb, future))
        return future

    def close(self) -> None:
        """End when all work is done."""
        self._work.put((LAST, next(self._count), None, None))

    def join(self) -> None:
        """Wait for the end."""
        self._thread.join()

    def _run(self) -> None:
        while True:
            _, _, verb, future = self._work.get()
            if verb is None:
                break
            if not future.set_running_or_notify_cancel():  # nobody waits for it any more
                continue
            try:
                future.set_result(self._do(verb))
            except BaseException as error:
                future.set_exception(error)
        if self._session:
            self._session.close()

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
