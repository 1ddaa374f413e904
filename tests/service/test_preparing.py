"""Sessions that go on are ready for the first robot."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from served import Served

from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import start_session
from deliberate_practice.service.preparing import rehearse


def test_the_latest_sessions_that_go_on_are_prepared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared: list[str] = []
    prepare = Session.prepare

    def counting(self: Session) -> None:
        prepare(self)
        prepared.append(self.name)

    monkeypatch.setattr(Session, "prepare", counting)
    monkeypatch.setattr("deliberate_practice.service.preparing.MOST", 3)
    for name in ("old", "ended", "going on", "new"):
        with start_session(tmp_path / "lab.db", name, load_task("breakfast"), 3) as session:
            if name == "ended":
                session.end()
    served = Served(tmp_path / "lab.db")
    try:
        until = time.monotonic() + 20
        while len(prepared) < 2 and time.monotonic() < until:
            time.sleep(0.02)
        answer: Any = served.admin.post("/api/sessions/new/ask", json={"robot": "arm"})
        assert answer.json()["id"] == 1
    finally:
        served.close()
    assert prepared == ["new", "going on"]


def test_a_rehearsal_decides_without_a_journal() -> None:
    rehearse()
