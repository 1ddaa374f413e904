"""Ask a session for trials, of one policy, or later."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from deliberate_practice.foundation import clock
from deliberate_practice.practice.robot import Trial
from deliberate_practice.practice.session import Session
from deliberate_practice.strategies.strategy import Decision, Situation


def only(policy: str, share: int = 100) -> Callable[[Situation], Decision | None]:
    """A strategy that always wants the same."""

    def strategy(situation: Situation) -> Decision | None:
        if policy not in situation.routes:
            return None
        return Decision(policy, share, why={"left": situation.budget})

    return strategy


def ask(session: Session, **options: str) -> Trial:
    trial = session.ask(**options)  # type: ignore[arg-type]  # tests give names alone
    assert trial is not None
    return trial


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let the clock run ahead."""
    ahead = clock.now() + timedelta(seconds=seconds)
    monkeypatch.setattr(clock, "now", lambda: ahead)
