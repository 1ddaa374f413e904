"""Streams of the journal's events (server-sent events).

Each event of the journal is one message. A reader that was cut off sends the identifier of the last
message (``Last-Event-ID``, as browsers do) and misses nothing. In the stream of a session that
identifier is the event's number; in that of all sessions it is the position in each session.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from starlette.responses import StreamingResponse

from deliberate_practice.practice.journal.events import encode
from deliberate_practice.practice.journal.rows import Entry
from deliberate_practice.service.answers import JournalEvent
from deliberate_practice.service.described import answers
from deliberate_practice.service.errors import Refused
from deliberate_practice.service.service import READ, Here, Service, Whose
from deliberate_practice.service.tokens import Token

HEARTBEAT_SECONDS = 15.0
"""Time between two comments in a quiet stream [s]."""
SHORT = 10
"""Characters of a session's checksum that stand for it in a position."""
LONGEST_POSITION = 100_000

router = APIRouter(tags=["events"])

LastId = Annotated[
    str | None,
    Header(alias="Last-Event-ID", max_length=LONGEST_POSITION, description="Where to go on."),
]
STREAM: dict[int | str, dict[str, Any]] = {
    **answers(JournalEvent, 404),
    200: {
        "description": "A stream of messages; the data of each is a JournalEvent.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    },
}


@router.get(
    "/api/sessions/{name}/events",
    summary="A stream of a session's events",
    dependencies=[READ],
    response_class=StreamingResponse,
    responses=STREAM,
)
async def session_events(
    name: str,
    service: Here,
    whose: Whose,
    last_id: LastId = None,
    after: Annotated[
        int | None, Query(ge=0, description="Begin behind this number; by default with news.")
    ] = None,
) -> StreamingResponse:
    """Every event behind a number, and each new one as it is written."""
    grown = (await service.feed.look()).get(name)
    if grown is None:
        raise Refused(404, f"there is no session {name!r}.")
    stated = int(last_id) if last_id and re.fullmatch(r"\d{1,15}", last_id) else after
    begin = grown.length if stated is None else stated
    if begin > grown.length:  # of another session that had this name before
        begin = 0
    return _stream(service, whose, {grown.digest[:SHORT]: begin}, name)


@router.get(
    "/api/events",
    summary="A stream of the events of all sessions",
    dependencies=[READ],
    response_class=StreamingResponse,
    responses=STREAM,
)
async def all_events(
    service: Here,
    whose: Whose,
    last_id: LastId = None,
    everything: Annotated[
        bool, Query(alias="all", description="Begin with the first event of each session.")
    ] = False,
) -> StreamingResponse:
    """Every event of every session as it is written."""
    lengths = await service.feed.look()
    begin: dict[str, int] = {}
    if last_id and re.fullmatch(r"[0-9a-f]+:\d{1,15}(,[0-9a-f]+:\d{1,15})*", last_id):
        pairs = (pair.split(":") for pair in last_id.split(","))
        begin = {digest: int(number) for digest, number in pairs}
    elif not everything:
        begin = {grown.digest[:SHORT]: grown.length for grown in lengths.values()}
    return _stream(service, whose, begin, None)


def _stream(
    service: Service, token: Token, begin: dict[str, int], name: str | None
) -> StreamingResponse:
    if not service.streams.enter(token.id):
        raise Refused(429, "too many streams are open; close one of them.", {"Retry-After": "10"})
    return StreamingResponse(_messages(service, token, begin, name), media_type="text/event-stream")


async def _messages(
    service: Service, token: Token, positions: dict[str, int], only: str | None
) -> AsyncIterator[str]:
    """The text of a stream, until the reader leaves or its token is revoked."""
    try:
        yield "retry: 2000\n\n"
        while not service.feed.closed:
            sent = False
            for name, grown in list(service.feed.lengths.items()):
                key = grown.digest[:SHORT]
                if only is not None and (name != only or key not in positions):
                    continue
                if positions.get(key, 0) >= grown.length:
                    continue
                for entry in await service.feed.entries(grown.id, positions.get(key, 0)):
                    positions[key] = entry.number
                    identifier = entry.number if only is not None else _position(positions)
                    yield f"id: {identifier}\ndata: {_data(name, entry)}\n\n"
                    sent = True
            if sent:
                continue
            if only is not None and only not in service.feed.lengths:
                return  # it was deleted
            if not _is_valid(service, token):
                return
            before = service.feed.lengths
            await service.feed.changed(only, HEARTBEAT_SECONDS)
            if service.feed.lengths is before:
                yield ": still here\n\n"
    finally:
        service.streams.leave(token.id)


def _is_valid(service: Service, token: Token) -> bool:
    row = service.reading.token_row(token.id)
    return row is not None and row[5] is None


def _position(positions: dict[str, int]) -> str:
    return ",".join(f"{digest}:{number}" for digest, number in positions.items())


def _data(name: str, entry: Entry) -> str:
    kind, text = encode(entry.event)
    return json.dumps(
        {
            "session": name,
            "number": entry.number,
            "kind": kind,
            "time": entry.time.isoformat(),
            "data": json.loads(text),
        }
    )
