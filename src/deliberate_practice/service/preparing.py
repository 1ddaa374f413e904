"""Work that the first robot would have to wait for otherwise, done when the service starts."""

from __future__ import annotations

from importlib import import_module

from deliberate_practice.foundation.errors import DeliberatePracticeError
from deliberate_practice.practice.session import Session
from deliberate_practice.service.errors import log
from deliberate_practice.service.service import Service

PARTS = (
    "allocation.plans",
    "beliefs.bayes",
    "mdp.grounding",
    "practice.deciding",
    "strategies.deliberate",
)
"""Modules that only a decision needs; they load numerical libraries."""

MOST = 8
"""Sessions that are prepared, the latest ones."""


def load_parts() -> None:
    """Load what decisions need."""
    for name in PARTS:
        import_module(f"deliberate_practice.{name}")


async def prepare_sessions(service: Service) -> None:
    """Open the latest sessions that go on, and ground their tasks."""
    for name in reversed(list(await service.feed.look())[-MOST:]):
        try:
            row = await service.row(name)
            if row["state"] == "active" and row["spent"] < row["budget"]:
                await service.sessions.use(name, Session.prepare)
        except DeliberatePracticeError as error:  # whoever uses the session will be told
            log.info("%s is not prepared: %s", name, error)
