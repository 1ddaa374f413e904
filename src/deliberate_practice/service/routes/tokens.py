"""Tokens and the record of requests, for admins."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from deliberate_practice.service import tokens as room
from deliberate_practice.service.answers import MadeToken, Requests, TokenRow, Tokens
from deliberate_practice.service.asked import NewToken
from deliberate_practice.service.described import answers
from deliberate_practice.service.errors import Answer
from deliberate_practice.service.service import ADMIN, Here

router = APIRouter(prefix="/api", tags=["tokens"], dependencies=[ADMIN])


@router.get("/tokens", summary="List all tokens, without their secrets", responses=answers(Tokens))
async def tokens(service: Here) -> Answer:
    """All tokens, revoked ones too."""
    rows = await service.write(room.tokens, service.store)
    return Answer({"tokens": [vars(row) for row in rows]})


@router.post("/tokens", summary="Make a token; it is shown once", responses=answers(MadeToken, 409))
async def make(body: NewToken, service: Here) -> Answer:
    """Make a token. Its text is kept nowhere, so a repeated request makes another one."""
    text = await service.write(room.make_token, service.store, body.role, body.name, body.session)
    rows = await service.write(room.tokens, service.store)
    return Answer({**_row(rows, text.split("_")[1]), "token": text})


@router.delete("/tokens/{id}", summary="Revoke a token", responses=answers(TokenRow, 404))
async def revoke(
    service: Here, identifier: Annotated[str, Path(alias="id", max_length=100)]
) -> Answer:
    """Revoke a token: from now on it opens nothing, and its streams end."""
    await service.write(room.revoke, service.store, identifier)
    return Answer(_row(await service.write(room.tokens, service.store), identifier))


@router.get(
    "/audit",
    summary="The last requests that changed something or were refused",
    responses=answers(Requests),
)
async def audit(
    service: Here,
    before: Annotated[int | None, Query(ge=1, le=2**62, description="Smaller numbers.")] = None,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> Answer:
    """Who did what, when, and what was answered; newest first."""
    await service.audit.flush()
    rows = await service.write(service.store.requests, before, limit)
    return Answer({"requests": [{"number": number, **vars(row)} for number, row in rows]})


def _row(rows: list[room.Token], identifier: str) -> dict[str, Any]:
    return vars(next(row for row in rows if row.id == identifier))
