"""When work has to stop, on the clock of ``time.monotonic``; None where nothing limits it."""

from __future__ import annotations

import time

from deliberate_practice.foundation.errors import DeliberatePracticeError

GRACE = 0.5
"""Seconds beyond a deadline that work may take without which there is no answer at all."""


class Late(DeliberatePracticeError):
    """A deadline is over before there is an answer."""


def deadline_in(seconds: float | None) -> float | None:
    """So many seconds from now."""
    return None if seconds is None else time.monotonic() + seconds


def with_grace(deadline: float | None) -> float | None:
    """The deadline of work without which there is no answer at all."""
    return None if deadline is None else deadline + GRACE


def late(deadline: float | None) -> bool:
    """Whether a deadline is over."""
    return deadline is not None and time.monotonic() > deadline


def check(deadline: float | None) -> None:
    """Give up if a deadline is over.

    Raises:
        Late: It is.
    """
    if late(deadline):
        raise Late("the time limit is over; give more time (--time-limit, time_limit=).")


def seconds_left(deadline: float | None) -> float | None:
    """How long there is until a deadline, at least 0."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())


def after_part(deadline: float | None, part: float) -> float | None:
    """When a part of the time until a deadline is over."""
    left = seconds_left(deadline)
    return None if deadline is None or left is None else deadline - left * (1 - part)
