"""Start, list, show and delete sessions."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from deliberate_practice.practice.journal.journal import NoSuchSession
from deliberate_practice.practice.journal.rows import JournalError
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import delete_session
from deliberate_practice.practice.showing.session_data import session_data, session_row, told_data
from deliberate_practice.service.answers import (
    SessionRow,
    Sessions,
    ShownSession,
    TaskText,
    Trials,
)
from deliberate_practice.service.asked import NewSession
from deliberate_practice.service.described import answers
from deliberate_practice.service.errors import Answer
from deliberate_practice.service.service import ADMIN, READ, Here
from deliberate_practice.service.starting import start
from deliberate_practice.task.toml_writer import task_to_toml

MOST_TRIALS = 10_000
"""The most trials in one answer."""

router = APIRouter(prefix="/api/sessions", tags=["sessions"])


@router.get("", summary="List all sessions", dependencies=[READ], responses=answers(Sessions))
async def sessions(
    service: Here, archived: Annotated[bool, Query(description="List archived ones too.")] = False
) -> Answer:
    """All sessions, oldest first."""
    rows: list[dict[str, Any]] = []
    faults: list[str] = []
    for name in await service.feed.look():
        try:
            row = await service.row(name)
        except NoSuchSession:
            continue  # it was deleted meanwhile
        except JournalError as error:
            faults.append(str(error))
            continue
        rows += [row] if archived or row["state"] != "archived" else []
    return Answer({"sessions": rows, "faults": faults})


@router.post(
    "",
    summary="Start a session on a task",
    dependencies=[ADMIN],
    responses=answers(SessionRow, 409),
)
async def start_session(new: NewSession, service: Here, request: Request) -> Answer:
    """Start a session; with an Idempotency-Key only once."""

    async def work() -> dict[str, Any]:
        row = await asyncio.to_thread(start, service.settings.db, new)
        service.feed.poke()
        return row

    return await service.replies.once(request, work)


@router.get(
    "/{name}",
    summary="Show the course of a session",
    dependencies=[READ],
    responses=answers(ShownSession, 404),
)
async def show(
    name: str,
    service: Here,
    trials: Annotated[
        int | None, Query(ge=0, description="Only so many trials, the last ones; all by default.")
    ] = None,
    times: Annotated[bool, Query(description="State when trials were asked and told.")] = False,
) -> Answer:
    """The spending, the present plan, the rewards and the trials of a session."""

    def shown(session: Session) -> dict[str, Any]:
        data = session_data(session, times=times, last=trials)
        state = session.state
        return {**data, "settled": state.settled, "events": state.length}

    return Answer(await service.sessions.use(name, shown))


@router.get(
    "/{name}/trials",
    summary="The trials of a session, in pages",
    dependencies=[READ],
    responses=answers(Trials, 404),
)
async def trials(
    name: str,
    service: Here,
    after: Annotated[int, Query(ge=0, description="Trials with larger numbers.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_TRIALS)] = 100,
) -> Answer:
    """Trials in the order they were asked, with times."""

    def page(session: Session) -> dict[str, Any]:
        records = session.trials()
        chosen = [record for record in records if record.trial.id > after][:limit]
        rows = [told_data(record, times=True) for record in chosen]
        return {"trials": rows, "total": len(records)}

    return Answer(await service.sessions.use(name, page))


@router.get(
    "/{name}/task",
    summary="The task of a session as TOML, and its settings",
    dependencies=[READ],
    responses=answers(TaskText, 404),
)
async def task(name: str, service: Here) -> Answer:
    """The task of a session and its settings."""

    def text(session: Session) -> dict[str, Any]:
        settings = asdict(session.settings)
        return {"name": session.name, "task": task_to_toml(session.task), "settings": settings}

    return Answer(await service.sessions.use(name, text))


@router.delete(
    "/{name}",
    summary="Remove a session and all its trials, for ever",
    dependencies=[ADMIN],
    responses=answers(SessionRow, 404),
)
async def delete(name: str, service: Here) -> Answer:
    """Remove a session; tokens for it alone are revoked."""
    row = await service.sessions.use(name, session_row)
    service.sessions.forget(name)
    await asyncio.to_thread(delete_session, service.settings.db, name)
    await service.write(service.store.revoke, "session", name)
    service.feed.poke()
    return Answer(row)
