"""Whether the service runs."""

from __future__ import annotations

from fastapi import APIRouter

from deliberate_practice.foundation.version import __version__
from deliberate_practice.service.answers import Fault, Health
from deliberate_practice.service.described import WORDS
from deliberate_practice.service.errors import Answer

router = APIRouter(tags=["service"])


@router.get(
    "/api/health",
    summary="Whether the service runs; the only address that needs no token",
    responses={
        200: {"description": "It runs.", "model": Health},
        421: {"description": WORDS[421], "model": Fault},
    },
    openapi_extra={"security": []},
)
async def health() -> Answer:
    """Whether the service runs."""
    return Answer({"status": "ok", "version": __version__})
