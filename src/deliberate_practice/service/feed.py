"""The journal's news: which sessions grew, also by other processes, and their new events."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from deliberate_practice.practice.journal.journal import Grown, Journal
from deliberate_practice.practice.journal.rows import Entry, JournalError
from deliberate_practice.service.errors import log

LOOK_SECONDS = 0.2
"""Time between two looks at the journal for what other processes wrote [s]."""


class Feed:
    """Watches a journal.

    Args:
        db: The journal, which is there.
    """

    def __init__(self, db: Path) -> None:
        self._db = db
        self._thread = ThreadPoolExecutor(1, "journal reader")
        self._journal: Journal | None = None
        self._version = -1
        self._poked = asyncio.Event()
        self._waiting: dict[str | None, set[asyncio.Future[None]]] = {}
        self._task: asyncio.Task[None] | None = None
        self.lengths: dict[str, Grown] = {}
        """How far each session has come, as seen last."""
        self.closed = False

    async def start(self) -> None:
        """Begin to watch."""
        await self._look()
        self._task = asyncio.create_task(self._run())

    def stop(self) -> None:
        """Let streams and requests that wait come to their end."""
        self.closed = True
        for name in list(self._waiting):
            self._wake(name)

    async def close(self) -> None:
        """End; whoever waits goes on."""
        self.stop()
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        if self._journal:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._journal.close)
        self._thread.shutdown()

    def poke(self) -> None:
        """Look at once: this process has written something."""
        self._poked.set()

    async def changed(self, name: str | None, timeout: float) -> None:
        """Wait until a session, or any, has changed; or until the time is over."""
        if self.closed:
            return
        future = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(name, set()).add(future)
        try:
            async with asyncio.timeout(timeout):
                await future
        except TimeoutError:
            pass
        finally:
            waiting = self._waiting.get(name, set())
            waiting.discard(future)
            if not waiting:
                self._waiting.pop(name, None)

    async def entries(self, session: int, after: int, most: int = 200) -> list[Entry]:
        """The next events of a session behind a number."""
        journal = self._journal
        assert journal is not None
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, journal.tail, session, after, most)

    async def look(self) -> dict[str, Grown]:
        """How far each session has come now."""
        await self._look()
        return self.lengths

    async def _run(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._poked.wait()
            self._poked.clear()
            try:
                await self._look()
            except JournalError as error:
                log.error("%s", error)
                await asyncio.sleep(1.0)

    async def _look(self) -> None:
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._thread, self._read)
        if found is None or found == self.lengths:
            return
        names = found.keys() | self.lengths.keys()
        changed = [name for name in names if found.get(name) != self.lengths.get(name)]
        self.lengths = found
        for name in (*changed, None):
            self._wake(name)

    def _read(self) -> dict[str, Grown] | None:
        """How far each session has come; None if nothing was written since."""
        if self._journal is None:
            self._journal = Journal(self._db)
        version = self._journal.version
        if version == self._version:
            return None
        found = self._journal.lengths()
        self._version = version
        return found

    def _wake(self, name: str | None) -> None:
        for future in self._waiting.pop(name, set()):
            if not future.done():
                future.set_result(None)
