"""Requests that must not be done twice, although a client that got no answer sends them again.

Asking, telling and most verbs of an operator are harmless when repeated. Starting a session, more
budget, corrections, refunds and notes are not: with a header ``Idempotency-Key`` they are done
once, and the answer is given again. Answers are kept in the service's file, so a restart changes
nothing.

The file says that a request was begun before anything is done. If the service is killed before it
has kept the answer, nobody knows whether it was done: the request is refused when it comes again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import Request

from deliberate_practice.foundation.errors import DeliberatePracticeError
from deliberate_practice.service.errors import Answer, Refused, answer_to
from deliberate_practice.service.store import ServiceStore, ServiceStoreError
from deliberate_practice.service.tokens import Token

log = logging.getLogger("deliberate_practice.service")

HEADER = "Idempotency-Key"
LONGEST_KEY = 200
BEGUN = 0
"""The status of a request that has no answer yet."""


class Replies:
    """Answers by token and key.

    Args:
        store: Where they are kept.
        write: Does something with the store, in the thread that writes to it.
    """

    def __init__(self, store: ServiceStore, write: Callable[..., Awaitable[Any]]) -> None:
        self._store, self._write = store, write
        self._locks: dict[tuple[str, str], asyncio.Lock] = {}
        self._unsaved: dict[tuple[str, str], tuple[str, int, str]] = {}
        """Answers that the file could not keep."""

    async def once(self, request: Request, work: Callable[[], Awaitable[Any]]) -> Answer:
        """The answer to a request, which is worked on only if it is new."""
        key = request.headers.get(HEADER)
        if key is None:
            return Answer(await work())
        if not key or len(key) > LONGEST_KEY:
            raise Refused(400, f"{HEADER}: give 1 to {LONGEST_KEY} characters.")
        token: Token = request.state.token
        lock = self._locks.setdefault((token.id, key), asyncio.Lock())
        try:
            async with lock:
                return await self._once(request, token.id, key, work)
        finally:
            if not lock.locked():
                self._locks.pop((token.id, key), None)

    async def _once(
        self, request: Request, token: str, key: str, work: Callable[[], Awaitable[Any]]
    ) -> Answer:
        body = await request.body()
        asked = f"{request.method} {request.url.path}\n".encode() + body
        checksum = hashlib.sha256(asked).hexdigest()
        known = self._unsaved.get((token, key)) or await self._write(self._store.reply, token, key)
        if known:
            before, status, text = known
            if before != checksum:
                raise Refused(409, f"{HEADER}: this key was used for another request.")
            if status == BEGUN:
                raise Refused(
                    409,
                    "The service stopped while it worked on this request, which may have been "
                    "done. Look at the session; if it was not, send the request anew.",
                )
            return Answer(json.loads(text), status)
        await self._write(self._store.add_reply, token, key, checksum, BEGUN, "")
        try:
            answer = Answer(await work())
        except DeliberatePracticeError as error:
            answer = answer_to(error, request.path_params.get("name"))
            if answer.status_code >= 500:  # it may work later
                await self._write(self._store.forget_reply, token, key)
                return answer
        except Exception:
            await self._write(self._store.forget_reply, token, key)
            raise
        text = bytes(answer.body).decode()
        try:
            await self._write(self._store.add_reply, token, key, checksum, answer.status_code, text)
        except ServiceStoreError as error:  # it was done all the same
            log.error("%s", error)
            self._unsaved[token, key] = checksum, answer.status_code, text
        return answer
