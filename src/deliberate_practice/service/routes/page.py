"""The page for operators and watchers: its files, and the answers that it alone needs.

The files hold nothing of the lab, so they need no token. Their address carries a digest of their
content: browsers keep them, and ask again only after an update.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from deliberate_practice.practice.session import Session
from deliberate_practice.service.described import answers
from deliberate_practice.service.errors import Answer, Refused
from deliberate_practice.service.overview import overview
from deliberate_practice.service.page_answers import Me, Overview, Parts
from deliberate_practice.service.page_files import page_files
from deliberate_practice.service.service import READ, Here, Whose
from deliberate_practice.study.parts import REGISTRIES

LASTING = {"cache-control": "public, max-age=31536000, immutable"}
MOST_MARKS = 2_000

router = APIRouter(tags=["page"])


@router.get("/", include_in_schema=False)
async def page() -> Response:
    """The page."""
    return Response(page_files().index, media_type="text/html; charset=utf-8")


@router.get("/page/{digest}/{file:path}", include_in_schema=False)
async def file(digest: str, file: str) -> Response:
    """A file of the page; names are looked up, and no path is followed."""
    files = page_files()
    known = files.content.get(file) if digest == files.digest else None
    if known is None:
        raise Refused(404, "there is no such file.")
    content, kind = known
    return Response(content, media_type=kind, headers=LASTING)


@router.get("/api/me", summary="Whose token this is, and its role", responses=answers(Me))
async def me(whose: Whose) -> Answer:
    """The token of this request, without its secret; every token may ask."""
    return Answer({"name": whose.name, "role": whose.role, "session": whose.session})


@router.get(
    "/api/parts",
    summary="The names that a new session may choose from",
    dependencies=[READ],
    responses=answers(Parts),
)
async def parts() -> Answer:
    """Domains, strategies, beliefs, learners and robots; each may take options after its name."""
    return Answer({kind: sorted(REGISTRIES[kind]) for kind in Parts.model_fields})


@router.get(
    "/api/sessions/{name}/overview",
    summary="A session at a glance",
    dependencies=[READ],
    responses=answers(Overview, 404),
)
async def at_a_glance(
    name: str,
    service: Here,
    marks: Annotated[
        int, Query(ge=0, le=MOST_MARKS, description="Trials in the timeline, the last ones.")
    ] = 300,
) -> Answer:
    """Course, open trials, timeline, pace and robots, all at the same event of the journal."""

    seen = service.seen_in(name)

    def glance(session: Session) -> dict[str, Any]:
        return overview(session, marks, seen)

    return Answer(await service.sessions.use(name, glance))
