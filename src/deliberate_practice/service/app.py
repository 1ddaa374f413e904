"""The app: all addresses behind the guard and the gate, with their description."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, Response

from deliberate_practice.foundation.version import __version__
from deliberate_practice.practice.journal.journal import Journal
from deliberate_practice.service.errors import handle_errors
from deliberate_practice.service.gate import Gate
from deliberate_practice.service.guard import Guard
from deliberate_practice.service.preparing import prepare_sessions
from deliberate_practice.service.routes import (
    events,
    health,
    operating,
    page,
    planning,
    sessions,
    tokens,
    trials,
)
from deliberate_practice.service.service import Service
from deliberate_practice.service.settings import ServiceSettings

DESCRIPTION = """
Practice sessions for robots on other computers. A robot asks for a trial, runs it, and tells its
outcome, until the budget is spent; everything is in the journal before it is answered.

Everything under /api but /api/health needs a token: `Authorization: Bearer TOKEN`. Every error is
`{"error": "one sentence"}`. Asking and telling may be repeated at any time: a robot that got no
answer sends its request again. Requests that would not be harmless twice (start, extend, refund,
note) may carry an `Idempotency-Key`.
"""

CLIENT = Path(__file__).with_name("deliberate_client.py")
GYM = Path(__file__).parents[1] / "robots" / "deliberate_gym.py"


def make_app(settings: ServiceSettings) -> FastAPI:
    """The app of a service; its journal is made if it is not there.

    Raises:
        DeliberatePracticeError: The journal or the service's file cannot be used.
    """
    with closing(Journal(settings.db, create=True)):
        pass
    service = Service(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await service.start()
        preparing = asyncio.create_task(prepare_sessions(service))
        yield
        preparing.cancel()
        await service.close()

    app = FastAPI(
        title="Deliberate Practice",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,  # they would load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
        middleware=[
            Middleware(Guard, settings=settings),
            Middleware(Gate, store=service.reading, audit=service.audit, limits=settings.limits),
        ],
    )
    app.state.service = service
    handle_errors(app)
    for room in (health, sessions, trials, operating, planning, events, tokens, page):
        app.include_router(room.router)
    _offer_client(app)
    _describe(app)
    return app


def _offer_client(app: FastAPI) -> None:
    """The files for a robot's computer, which hold nothing of the lab."""

    @app.get("/deliberate_client.py", include_in_schema=False)
    async def client() -> Response:
        return PlainTextResponse(CLIENT.read_text(encoding="utf-8"))

    @app.get("/deliberate_gym.py", include_in_schema=False)
    async def gym() -> Response:
        return PlainTextResponse(GYM.read_text(encoding="utf-8"))


def _describe(app: FastAPI) -> None:
    """Add to the description that every address needs a token."""
    generated = app.openapi

    def described() -> dict[str, Any]:
        if not app.openapi_schema:
            schema = generated()
            schema["components"]["securitySchemes"] = {
                "token": {"type": "http", "scheme": "bearer"}
            }
            schema["security"] = [{"token": []}]
        assert app.openapi_schema is not None
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]  # as FastAPI's documentation does
