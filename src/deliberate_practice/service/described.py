"""Descriptions of answers, the same at every address."""

from __future__ import annotations

from typing import Any

from deliberate_practice.service.answers import Fault

WORDS = {
    400: "A value makes no sense; the message names it and the fix.",
    401: "There is no valid token.",
    403: "The token may not do this.",
    404: "There is no such session or trial.",
    408: "The request took too long to arrive.",
    409: "It does not fit what was done before.",
    413: "The request is too long.",
    421: "The service does not answer to the name in the Host header.",
    422: "The request has another form, or the label does not fit the trial.",
    429: "Too many requests, or open streams; Retry-After says how long to wait.",
    503: "The journal cannot be used at the moment, e.g. because the disk is full.",
}
"""The meaning of each status."""

ALWAYS = (400, 401, 403, 408, 413, 421, 422, 429, 503)


def answers(model: Any, *statuses: int) -> dict[int | str, dict[str, Any]]:
    """The answers at an address: its own, and those to refused requests.

    Args:
        model: The data of the answer with status 200.
        statuses: Statuses besides those that every address has.
    """
    faults: dict[int | str, dict[str, Any]] = {
        status: {"description": WORDS[status], "model": Fault}
        for status in sorted({*ALWAYS, *statuses})
    }
    return {200: {"description": "Done.", "model": model}, **faults}
