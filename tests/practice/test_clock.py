"""A clock that is set back: stamps are what the clock said, durations are never negative."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from deliberate_practice.foundation import clock
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.practice.showing.summary import summary

Start = Callable[..., Session]


@pytest.mark.parametrize(
    ("minutes", "seconds"),
    [
        ([0, 1, 2, 3], 180),
        ([100, 0, 1, 2], 120),  # set back right after the start
        ([0, 10, 5, 15], 1200),
        ([3, 2, 1, 0], 0),
    ],
)
def test_durations_are_never_negative(
    minutes: list[int], seconds: float, start: Start, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamps = iter(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=m) for m in minutes)
    monkeypatch.setattr(clock, "now", lambda: next(stamps))
    with start() as session:
        for _ in minutes[1:]:
            session.extend(1)
    with open_session(db, "s") as again:
        assert summary(again).seconds == seconds
        assert again.beginning().elapsed == timedelta(0)
