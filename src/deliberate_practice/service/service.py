"""The parts of a running service, and who may use them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request

from deliberate_practice.foundation import clock
from deliberate_practice.practice.journal.journal import Grown
from deliberate_practice.practice.session import Session
from deliberate_practice.service.audit import Audit
from deliberate_practice.service.errors import Refused
from deliberate_practice.service.feed import Feed
from deliberate_practice.service.open_sessions import FIRST, OpenSessions
from deliberate_practice.service.overview import listed
from deliberate_practice.service.rates import Open
from deliberate_practice.service.replies import Replies
from deliberate_practice.service.settings import ServiceSettings
from deliberate_practice.service.store import ServiceStore
from deliberate_practice.service.tokens import Role, Token

T = TypeVar("T")

MOST_ROBOTS = 1_000
"""Robots whose last request is remembered."""


class Service:
    """Everything that requests share.

    Args:
        settings: The settings; the journal is there.
    """

    def __init__(self, settings: ServiceSettings) -> None:
        self.settings = settings
        self.reading = ServiceStore(settings.db)
        """For requests: tokens are looked up in the event loop."""
        self.store = ServiceStore(settings.db)
        """For everything that is written, in its own thread."""
        self._writer = ThreadPoolExecutor(1, "service file")
        self.audit = Audit(self.store, self._writer)
        self.replies = Replies(self.store, self.write)
        self.sessions = OpenSessions(settings.db, settings.limits.sessions)
        self.feed = Feed(settings.db)
        self.streams = Open(settings.limits.streams, settings.limits.all_streams)
        self._rows: dict[str, tuple[Grown, dict[str, Any]]] = {}
        self.seen: dict[tuple[str, str], str] = {}
        """When each robot of a session asked or told last, since the service runs."""

    def saw(self, session: str, robot: str) -> None:
        """Remember that a robot has just asked or told."""
        self.seen.pop((session, robot), None)
        self.seen[session, robot] = clock.now().isoformat(timespec="seconds")
        for old in list(self.seen)[:-MOST_ROBOTS]:
            del self.seen[old]

    def seen_in(self, session: str) -> dict[str, str]:
        """When each robot of a session asked or told last, since the service runs."""
        return {robot: time for (where, robot), time in self.seen.items() if where == session}

    async def start(self) -> None:
        """Begin to watch the journal."""
        await self.feed.start()
        self.audit.start()

    async def close(self) -> None:
        """End; everything is saved already but for the record of requests."""
        await self.feed.close()
        await self.audit.close()
        await asyncio.to_thread(self.sessions.close)
        self._writer.shutdown()
        self.store.close()
        self.reading.close()

    async def row(self, name: str) -> dict[str, Any]:
        """A session in a list; it is looked at only if it has changed.

        Raises:
            JournalError: There is no such session, or the journal cannot be used.
        """
        grown = self.feed.lengths.get(name)
        known = self._rows.get(name)
        if known and known[0] == grown:
            return known[1]
        row = await self.sessions.use(name, listed)
        if grown:
            self._rows[name] = grown, row
        return row

    async def write(self, verb: Callable[..., T], *arguments: Any) -> T:
        """Do something with the service's file."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._writer, verb, *arguments)

    async def change(self, name: str, verb: Callable[[Session], T]) -> T:
        """Change a session before others read it; the feed is told."""
        try:
            return await self.sessions.use(name, verb, FIRST, writes=True)
        finally:
            self.feed.poke()


async def service_of(request: Request) -> Service:  # async: others are run in a thread
    """The service that a request is for."""
    service = request.app.state.service
    assert isinstance(service, Service)
    return service


async def token_of(request: Request) -> Token:
    """The token of a request."""
    return _token(request)


def _token(request: Request) -> Token:
    token = request.state.token
    assert isinstance(token, Token)
    return token


Here = Annotated[Service, Depends(service_of)]
Whose = Annotated[Token, Depends(token_of)]


def allowed(*roles: Role) -> Any:
    """A condition of an address: the roles besides ``admin`` that may use it.

    A token for one session may use the addresses of that session alone.
    """

    async def check(request: Request) -> None:
        token = _token(request)
        if token.role != "admin" and token.role not in roles:
            needed = " or ".join(("admin", *roles))
            raise Refused(403, f"the role {token.role} may not do this; it needs {needed}.")
        name = request.path_params.get("name")
        if token.session is not None and name != token.session:
            raise Refused(403, f"this token is for session {token.session!r} alone.")

    return Depends(check)


READ = allowed("robot", "read-only")
PRACTISE = allowed("robot")
ADMIN = allowed()
