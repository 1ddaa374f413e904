"""Work that the first robot would have to wait for otherwise, done when the service starts."""

from __future__ import annotations

from importlib import import_module

from deliberate_practice.foundation import clock
from deliberate_practice.foundation.errors import DeliberatePracticeError
from deliberate_practice.practice.arguments import checked_settings
from deliberate_practice.practice.asking import practice
from deliberate_practice.practice.curriculum import Curriculum
from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.session import Session
from deliberate_practice.service.errors import log
from deliberate_practice.service.service import Service

REHEARSAL = "breakfast"
"""A small task."""
LONG = 10_000
"""A budget for which the belief makes its whole table of curves."""

MOST = 8
"""Sessions that are prepared, the latest ones."""


def rehearse() -> None:
    """Decide once on a small task: numerical libraries are loaded, and tables are made."""
    import_module("scipy.sparse.csgraph")  # which only large tasks need
    task = load_task(REHEARSAL)
    settings = checked_settings(LONG, "deliberate", "bayes", "cma-es", 0, "execute", None, scene="")
    state = State(task, settings, "bayes", "cma-es", clock.now())
    practice(state, Curriculum(task, free=False), "deliberate")


async def prepare_sessions(service: Service) -> None:
    """Open the latest sessions that go on, and ground their tasks."""
    for name in reversed(list(await service.feed.look())[-MOST:]):
        try:
            row = await service.row(name)
            if row["state"] == "active" and row["spent"] < row["budget"]:
                await service.sessions.use(name, Session.prepare)
        except DeliberatePracticeError as error:  # whoever uses the session will be told
            log.info("%s is not prepared: %s", name, error)
