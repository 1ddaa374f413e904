"""The record of requests: who did what, when, and what came of it."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from deliberate_practice.service.errors import log
from deliberate_practice.service.store import Request, ServiceStore, ServiceStoreError

SECONDS = 0.5
"""Time for which requests are collected before they are written together [s]."""


class Audit:
    """Writes requests in the background; the last ones are written when it is closed.

    Args:
        store: Where they are written.
        worker: The thread that writes to it.
    """

    def __init__(self, store: ServiceStore, worker: ThreadPoolExecutor) -> None:
        self._store, self._worker = store, worker
        self._waiting: list[Request] = []
        self._task: asyncio.Task[None] | None = None

    def add(self, request: Request) -> None:
        """Record a request soon."""
        self._waiting.append(request)

    def start(self) -> None:
        """Begin to write."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Write what is left."""
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await self.flush()

    async def flush(self) -> None:
        """Write everything that was recorded so far."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            loop = asyncio.get_running_loop()
            try:
                await loop.run_in_executor(self._worker, self._store.add_requests, waiting)
            except ServiceStoreError as error:  # robots go on although the record has a gap
                log.error("%s", error)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(SECONDS)
            await self.flush()
