"""Arguments of sessions: every wrong type and value is one message, and nothing is written."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deliberate_practice.foundation.errors import ArgumentError, DeliberatePracticeError
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.practice.telling import TellError
from deliberate_practice.task.model import Task

Start = Callable[..., Session]

NO_TEXT: list[Any] = [5, 1.5, True, b"x", ["x"], {"x"}, object(), 10**5000, math.nan]
NO_NAME = [*NO_TEXT, "", " ", "a\nb", "\0", "\x1b[2J", "\ud800", "-x", "x" * 10_000]
NO_COUNT: list[Any] = [
    *("3", b"3", None, True, 2.0, 2.5, math.nan, math.inf, 1j, [3], Decimal(3), -1),
    *(10**400, 10**5000, np.float64(3), np.bool_(True), np.array([3])),
]
NO_NUMBER: list[Any] = [
    *("3", b"3", True, math.nan, math.inf, 1j, [3], 10**400, 10**5000, np.complex128(1)),
    *(np.float64("nan"), np.bool_(True), Decimal(3)),
]
WRONG: dict[str, list[Any]] = {
    "name": [*NO_NAME, None],
    "task": [5, None, "breakfast", {}],
    "budget": NO_COUNT,
    "seed": NO_COUNT,
    "strategy": [*(value for value in NO_NAME), None],
    "belief": [*(value for value in NO_NAME), None],
    "learner": [*NO_NAME, None, "sgd"],
    "approach": [*NO_NAME, None, "fly"],
    "robot": NO_NAME,
    "lasting": [1, "yes", None],
    "db": [5, None, b"x.db", ["x.db"], object()],
}


@pytest.mark.parametrize("argument", list(WRONG))
def test_start_session_refuses_everything_wrong(argument: str, shelf: Task, db: Path) -> None:
    right: dict[str, Any] = {"db": db, "name": "s", "task": shelf, "budget": 5}
    for value in WRONG[argument]:
        with pytest.raises(DeliberatePracticeError) as caught:
            start_session(**{**right, argument: value})
        assert 0 < len(str(caught.value)) < 600
    assert not list(db.parent.iterdir())


def test_open_session_refuses_everything_wrong(start: Start, db: Path) -> None:
    start().close()
    for name in [*NO_NAME, None]:
        with pytest.raises(DeliberatePracticeError):
            open_session(db, name)
    for wrong in ("random", 5, ["x"]):
        with pytest.raises(ArgumentError, match="strategy"):
            open_session(db, "s", strategy=wrong)  # type: ignore[arg-type]  # what users get wrong
        with pytest.raises(ArgumentError, match="belief"):
            open_session(db, "s", belief=wrong)  # type: ignore[arg-type]  # the same
    for path in WRONG["db"]:
        with pytest.raises(DeliberatePracticeError, match="is not a path"):
            open_session(path, "s")


def test_ask_refuses_everything_wrong(start: Start) -> None:
    session = start()
    for value in NO_NAME:
        for argument in ("evaluate", "asker"):
            with pytest.raises(DeliberatePracticeError):
                session.ask(**{argument: value})
        with pytest.raises(ArgumentError, match="asker"):
            session.ask_together(6, value)
    for flag in (1, "yes", None):
        with pytest.raises(ArgumentError, match="takeover"):
            session.ask(takeover=flag)  # type: ignore[arg-type]  # what users get wrong
    with pytest.raises(DeliberatePracticeError, match="Nope"):
        session.ask(evaluate="Nope")
    assert session.state.length == 0


def test_tell_and_refund_refuse_everything_wrong(start: Start) -> None:
    session = start()
    trial = session.ask()
    assert trial is not None
    length = session.state.length
    for value in ["1", 1.0, True, None, [1], 1j, 10**5000, -1, 0, np.float64(1)]:
        with pytest.raises(TellError, match="trial"):
            session.tell(value, "success")  # type: ignore[arg-type]  # what users get wrong
        with pytest.raises(TellError, match="trial"):
            session.refund(value)  # type: ignore[arg-type]  # the same
    for word in [*NO_NAME, None, "won"]:
        with pytest.raises(TellError, match="outcome"):
            session.tell(1, word)
        if word is not None:
            with pytest.raises(TellError):
                session.tell(1, "unreached", word)
    for score in NO_NUMBER:
        with pytest.raises(TellError, match="score"):
            session.tell(1, "success", None, score)
        with pytest.raises(TellError, match="measurement 'force'"):
            session.tell(1, "success", None, None, {"force": score})
    for measurements in ([1], "force", 5, {5: 1.0}, {"": 1.0}, {None: 1.0}, {"x" * 10_000: 1.0}):
        with pytest.raises(TellError, match="measurement"):
            session.tell(1, "success", None, None, measurements)  # type: ignore[arg-type]  # the same
    assert session.state.length == length
    session.tell(np.int64(1), "success", None, np.float32(0.5), {"force": np.int8(3)})  # type: ignore[arg-type,dict-item]  # numbers of numpy count
    assert session.state.length == length + 1


def test_extend_refuses_everything_wrong(start: Start) -> None:
    session = start()
    for units in [*NO_COUNT, 0]:
        with pytest.raises(ArgumentError, match="units"):
            session.extend(units)
    session.extend(10**15 - 30)
    with pytest.raises(ArgumentError, match="budget: 1000000000000001 is too large"):
        session.extend(1)
    assert session.state.length == 1
