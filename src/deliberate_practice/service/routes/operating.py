"""What people do with a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request

from deliberate_practice.practice.session import Session
from deliberate_practice.practice.showing.session_data import ledger
from deliberate_practice.service.answers import Budget, Done
from deliberate_practice.service.asked import Block, By, Extend, Note, Unblock, Why
from deliberate_practice.service.described import answers
from deliberate_practice.service.errors import Answer
from deliberate_practice.service.service import ADMIN, PRACTISE, Here, Service, Whose

router = APIRouter(
    prefix="/api/sessions/{name}", tags=["operating"], responses=answers(Budget, 404, 409)
)


async def _done(service: Service, name: str, verb: Callable[[Session], None]) -> dict[str, Any]:
    def changed(session: Session) -> dict[str, Any]:
        verb(session)
        return ledger(session)

    return await service.change(name, changed)


@router.post("/pause", summary="Hand out no trial until it is resumed", dependencies=[ADMIN])
async def pause(name: str, service: Here, whose: Whose, body: Why | None = None) -> Answer:
    """Pause a session; open trials may be told."""
    why = body or Why()
    by = why.by or whose.name
    return Answer(await _done(service, name, lambda session: session.pause(why.why, by=by)))


@router.post("/resume", summary="Go on with a session", dependencies=[ADMIN])
async def resume(name: str, service: Here, whose: Whose, body: By | None = None) -> Answer:
    """Go on with a session that was paused, ended or archived."""
    by = (body and body.by) or whose.name
    return Answer(await _done(service, name, lambda session: session.resume(by=by)))


@router.post(
    "/block",
    summary="Let no trial use a skill",
    dependencies=[ADMIN],
    responses=answers(Done, 404, 409),
)
async def block(name: str, body: Block, service: Here, whose: Whose) -> Answer:
    """Let no trial use a skill, neither in practice nor on the way to other skills."""
    by = body.by or whose.name
    data = await _done(service, name, lambda session: session.block(body.skill, body.why, by=by))
    return Answer({**data, "skill": body.skill})


@router.post(
    "/unblock",
    summary="Let trials use a skill again",
    dependencies=[ADMIN],
    responses=answers(Done, 404, 409),
)
async def unblock(name: str, body: Unblock, service: Here, whose: Whose) -> Answer:
    """Let trials use a skill again."""
    by = body.by or whose.name
    data = await _done(service, name, lambda session: session.unblock(body.skill, by=by))
    return Answer({**data, "skill": body.skill})


@router.post("/ready", summary="Release all open trials that wait", dependencies=[ADMIN])
async def ready(name: str, service: Here, whose: Whose, body: By | None = None) -> Answer:
    """Say that the scenes of all open trials are set."""
    by = (body and body.by) or whose.name
    return Answer(await _done(service, name, lambda session: session.ready(by=by)))


@router.post("/end", summary="End a session before its budget is spent", dependencies=[ADMIN])
async def end(name: str, service: Here, whose: Whose, body: Why | None = None) -> Answer:
    """End a session; its robots are told that they are done, and resume takes it back."""
    why = body or Why()
    by = why.by or whose.name
    return Answer(await _done(service, name, lambda session: session.end(why.why, by=by)))


@router.post("/archive", summary="Put a session away", dependencies=[ADMIN])
async def archive(name: str, service: Here, whose: Whose, body: By | None = None) -> Answer:
    """End a session and leave it out of lists; resume takes it back."""
    by = (body and body.by) or whose.name
    return Answer(await _done(service, name, lambda session: session.archive(by=by)))


@router.post("/extend", summary="Give a session more budget", dependencies=[ADMIN])
async def extend(name: str, body: Extend, service: Here, request: Request) -> Answer:
    """Add units to the budget; with an Idempotency-Key only once."""
    return await service.replies.once(
        request, lambda: _done(service, name, lambda session: session.extend(body.budget))
    )


@router.post("/note", summary="Write a note on a session", dependencies=[PRACTISE])
async def note(name: str, body: Note, service: Here, whose: Whose, request: Request) -> Answer:
    """Write a note on a session; with an Idempotency-Key only once."""
    by = body.by or whose.name
    return await service.replies.once(
        request, lambda: _done(service, name, lambda session: session.note(body.text, by=by))
    )
