"""Checks before anything else: the name in the request, its origin, its length; and headers.

A page of an attacker that a browser at the lab shows cannot use the service: the browser sends the
page's own name as Host (DNS rebinding) or as Origin (requests across sites), and neither is ours.
There are no cookies, so a browser adds nothing to a request that would open the service.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deliberate_practice.service.errors import Refused
from deliberate_practice.service.settings import ServiceSettings

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
"""Headers of every answer, unless it has its own of that name."""

TLS_HEADERS = {"strict-transport-security": "max-age=31536000"}
BODY_SECONDS = 30.0
"""The longest time that a request may take to arrive [s]."""


class Guard:
    """Refuses requests that are not meant for this service, and adds headers to all answers.

    Args:
        app: The app behind it.
        settings: The settings of the service.
    """

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self._app, self._settings = app, settings
        self._hosts = settings.hosts
        headers = HEADERS | (TLS_HEADERS if settings.tls_cert else {})
        self._headers = [(key.encode(), value.encode()) for key, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # a websocket is closed

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = list(message.get("headers", ()))
                names = {name.lower() for name, _ in own}
                message["headers"] = own + [pair for pair in self._headers if pair[0] not in names]
            await send(message)

        try:
            headers = {key.decode("latin-1"): v.decode("latin-1") for key, v in scope["headers"]}
            self._check_names(scope, headers)
            body = await self._body(headers, receive)
        except Refused as refused:
            await refused.answer(scope, receive, sending)
            return
        waiting = [body]

        async def receiving() -> Message:
            if waiting:
                return {"type": "http.request", "body": waiting.pop(), "more_body": False}
            return await receive()

        await self._app(scope, receiving, sending)

    def _check_names(self, scope: Scope, headers: Mapping[str, str]) -> None:
        host = headers.get("host", "").strip().lower()
        local = (scope.get("server") or ("",))[0].lower()
        if _name(host) not in self._hosts | {local}:
            raise Refused(
                421,
                "this service does not answer to the name in the Host header; use the address it "
                "listens at, or start it with --allow-host NAME.",
            )
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"{self._settings.scheme}://{host}":
            raise Refused(403, "requests from pages of other sites are refused.")

    async def _body(self, headers: Mapping[str, str], receive: Receive) -> bytes:
        """The whole body of a request, which is short."""
        most = self._settings.limits.body
        too_long = Refused(413, f"the request is too long; send at most {most} bytes.")
        stated = headers.get("content-length", "0")
        if not stated.isdigit() or int(stated[:20]) > most:
            raise too_long
        body = b""
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while True:
                    message = await receive()
                    body += bytes(message.get("body", b""))
                    if len(body) > most:
                        raise too_long
                    if message["type"] != "http.request" or not message.get("more_body"):
                        return body
        except TimeoutError:
            raise Refused(408, "the request took too long to arrive.") from None


def _name(host: str) -> str:
    """The name in a Host header, without its port.

    >>> _name("[::1]:8712"), _name("localhost:8712"), _name("lab-pc")
    ('::1', 'localhost', 'lab-pc')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] or host if host.count(":") == 1 else host
