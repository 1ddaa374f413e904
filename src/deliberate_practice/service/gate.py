"""The gate of everything under /api: a valid token, not too many requests, and a record of them."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deliberate_practice.foundation import clock
from deliberate_practice.service.audit import Audit
from deliberate_practice.service.errors import Refused, answer_to
from deliberate_practice.service.rates import Rates
from deliberate_practice.service.settings import Limits
from deliberate_practice.service.store import Request, ServiceStore, ServiceStoreError
from deliberate_practice.service.tokens import Token, find

OPEN = "/api/health"
"""The only address under /api that needs no token."""
QUIET = ("GET", "HEAD")
"""Methods that change nothing; they are recorded only if they are refused."""
ASKS = ("/ask", "/ask_together")
"""Ends of addresses that robots use all the time; the journal has what they get."""
LONGEST_PATH = 300
"""Characters of a path that are recorded."""


class Gate:
    """Lets requests with a valid token pass.

    Args:
        app: The app behind it.
        store: Where tokens are.
        audit: Where requests are recorded.
        limits: The rates of requests.
    """

    def __init__(self, app: ASGIApp, store: ServiceStore, audit: Audit, limits: Limits) -> None:
        self._app, self._store, self._audit = app, store, audit
        self._rates = Rates(limits.rate, limits.burst)
        self._failures = Rates(limits.failures, limits.failures_burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        path = scope.get("path", "")
        if scope["type"] != "http" or not (path == "/api" or path.startswith("/api/")):
            await self._app(scope, receive, send)
            return
        if path == OPEN:
            await self._app(scope, receive, send)
            return
        address = str((scope.get("client") or ("unknown",))[0])
        token: Token | None = None

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._record(scope, address, token, message["status"])
            await send(message)

        try:
            token = self._token(scope, address)
        except Refused as refused:
            await refused.answer(scope, receive, sending)
            return
        except ServiceStoreError as error:
            await answer_to(error)(scope, receive, sending)
            return
        scope.setdefault("state", {})["token"] = token
        await self._app(scope, receive, sending)

    def _token(self, scope: Scope, address: str) -> Token:
        """The token of a request.

        Raises:
            Refused: It has none, or too many requests came.
        """
        values = [value for key, value in scope["headers"] if key == b"authorization"]
        kind, _, text = (values[0] if len(values) == 1 else b"").decode("latin-1").partition(" ")
        token = find(self._store, text.strip()) if kind.lower() == "bearer" else None
        wait = self._rates.take(token.id) if token else self._failures.take(address)
        if wait:
            raise Refused(429, f"too many requests; wait {wait} s.", {"Retry-After": str(wait)})
        if token is None:
            raise Refused(
                401,
                "a valid token is needed (Authorization: Bearer TOKEN); on the service's computer "
                "deliberate tokens --new robot --name NAME makes one.",
                {"WWW-Authenticate": "Bearer"},
            )
        return token

    def _record(self, scope: Scope, address: str, token: Token | None, status: int) -> None:
        quiet = scope["method"] in QUIET or scope["path"].endswith(ASKS)
        if quiet and status not in (401, 403, 429):
            return
        now = clock.now().isoformat(timespec="milliseconds")
        path = scope["path"][:LONGEST_PATH].encode("ascii", "backslashreplace").decode()
        who, name = (token.id, token.name) if token else (None, None)
        self._audit.add(Request(now, who, name, address, scope["method"], path, status))
