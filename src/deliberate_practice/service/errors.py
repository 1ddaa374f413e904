"""Errors as answers: one message, and a status that says whose fault it is."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from deliberate_practice.foundation.errors import DeliberatePracticeError, PartFailed, shown
from deliberate_practice.practice.journal.journal import NameTaken, NoSuchSession
from deliberate_practice.practice.journal.rows import JournalError
from deliberate_practice.practice.telling import NoSuchTrial, TellError, ToldOtherwise
from deliberate_practice.service.store import ServiceStoreError
from deliberate_practice.service.tokens import NoSuchToken

log = logging.getLogger("deliberate_practice.service")

STATUS: Sequence[tuple[type[DeliberatePracticeError], int]] = (
    (NoSuchSession, 404),
    (NoSuchTrial, 404),
    (NoSuchToken, 404),
    (NameTaken, 409),
    (ToldOtherwise, 409),
    (PartFailed, 409),
    (TellError, 422),
    (JournalError, 503),  # the disk is full, or the file was damaged or moved
    (ServiceStoreError, 503),
    (DeliberatePracticeError, 400),
)
"""The status of each kind of error; the first that fits counts."""


class Answer(Response):
    """Data as JSON, in ASCII, so that any text can be sent."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The data as bytes."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


class Refused(Exception):
    """A request that is answered with an error.

    Args:
        status: The HTTP status.
        message: One sentence.
        headers: Further headers of the answer.
    """

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, headers

    @property
    def answer(self) -> Answer:
        """The answer to send."""
        return Answer({"error": self.message}, self.status, self.headers)


def handle_errors(app: FastAPI) -> None:
    """Let an app answer every error with ``{"error": "..."}``."""

    @app.exception_handler(Refused)
    async def refused(request: Request, error: Refused) -> Answer:
        return error.answer

    @app.exception_handler(DeliberatePracticeError)
    async def ours(request: Request, error: DeliberatePracticeError) -> Answer:
        return answer_to(error, request.path_params.get("name"))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Answer:
        return Answer({"error": "; ".join(map(_fault, error.errors()[:5]))}, 422)

    @app.exception_handler(HTTPException)
    async def other(request: Request, error: HTTPException) -> Answer:
        text = str(error.detail)
        if error.status_code == 404 and text == "Not Found":  # no route has this address
            text = f"there is no address {shown(request.url.path)}; /openapi.json lists all."
        return Answer({"error": text}, error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Answer:
        log.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return Answer({"error": "an internal error; the log of the service says more."}, 500)


def answer_to(error: DeliberatePracticeError, session: str | None = None) -> Answer:
    """The answer to one of our errors; a missing session is named without the names of others."""
    status = next(status for kind, status in STATUS if isinstance(error, kind))
    text = f"there is no session {shown(session)}." if status == 404 and session else str(error)
    if isinstance(error, NoSuchTrial):
        text = str(error)
    if status == 503:
        log.error("%s", error)
    return Answer({"error": text}, status)


def _fault(error: Any) -> str:
    """A fault of the request, with its place."""
    if error["type"] == "json_invalid":
        return 'the body is not valid JSON; send one object, e.g. {"robot": "left-arm"}.'
    if error["loc"] == ("body",):
        return 'the body is not a JSON object; send e.g. {"robot": "left-arm"}.'
    place = ".".join(str(part) for part in error["loc"] if part != "body") or "request"
    return f"{place}: {error['msg']}"
