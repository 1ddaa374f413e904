"""Serve: listen, make the first token, and say where the service is."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import closing

import uvicorn

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.service.app import make_app
from deliberate_practice.service.preparing import rehearse
from deliberate_practice.service.service import Service
from deliberate_practice.service.settings import LOOPBACK, ServiceSettings, checked
from deliberate_practice.service.store import ServiceStore
from deliberate_practice.service.tokens import make_token, tokens

GRACE_SECONDS = 3
"""Time for open requests to end when the service is stopped [s]."""
WAITING = 2048
"""The most connections that wait to be accepted."""


def serve(settings: ServiceSettings, say: Callable[[str], None]) -> None:
    """Serve until somebody stops it.

    Args:
        settings: The settings.
        say: Prints a line.

    Raises:
        ArgumentError: The settings are not safe, or the port is taken.
        DeliberatePracticeError: The journal cannot be used.
    """
    checked(settings)
    with _listening(settings) as listening:
        _serve(settings, listening, say)


def _serve(settings: ServiceSettings, listening: socket.socket, say: Callable[[str], None]) -> None:
    rehearse()
    fresh = "" if settings.db.exists() else " (a new journal)"
    app = make_app(settings)
    port = listening.getsockname()[1]
    host = settings.host if settings.host not in ("0.0.0.0", "::") else LOOPBACK[0]
    address = f"{settings.scheme}://{f'[{host}]' if ':' in host else host}:{port}"
    say(f"serving {settings.db} at {address}{fresh}")
    with closing(ServiceStore(settings.db)) as store:
        if not any(token.role == "admin" and not token.revoked for token in tokens(store)):
            text = make_token(store, "admin", "first")
            say(f"admin   {address}/#token={text}")
            say("        (shown this once; deliberate tokens makes further ones)")
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=str(settings.tls_key) if settings.tls_key else None,
        limit_concurrency=1_000,
        proxy_headers=False,
        ws="none",
    )
    _Server(config, app.state.service).run(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that ends its streams before it waits for open requests."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop: open pages and waiting robots get the end of their answers."""
        self._service.feed.stop()
        await super().shutdown(sockets)


def _listening(settings: ServiceSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
        listening.listen(WAITING)  # requests may come as soon as the address is known
    except OSError as error:
        listening.close()
        raise ArgumentError(
            f"--host {settings.host} --port {settings.port}: {error.strerror or error}; choose "
            "another port (--port), or stop the program that uses it."
        ) from None
    return listening
