"""Deadlines on the clock of ``time.monotonic``; None means that there is no limit."""

from __future__ import annotations

import time

from deliberate_practice.foundation.errors import DeliberatePracticeError

GRACE = 0.5
"""Seconds beyond a deadline for work that every answer needs."""


class Late(DeliberatePracticeError):
    """A deadline passed before there was an answer."""


def deadline_in(seconds: float | None) -> float | None:
    """The deadline that many seconds from now; None without a limit."""
    return None if seconds is None else time.monotonic() + seconds


def with_grace(deadline: float | None) -> float | None:
    """The deadline extended for work that every answer needs."""
    return None if deadline is None else deadline + GRACE


def late(deadline: float | None) -> bool:
    """Whether a deadline has passed."""
    return deadline is not None and time.monotonic() > deadline


def check(deadline: float | None) -> None:
    """Raise an error if a deadline has passed.

    Raises:
        Late: The deadline has passed.
    """
    if late(deadline):
        raise Late("the time limit has passed; give more time (--time-limit, time_limit=).")


def seconds_left(deadline: float | None) -> float | None:
    """Seconds until a deadline, at least 0."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())


def after_part(deadline: float | None, part: float) -> float | None:
    """The moment at which a part of the time until a deadline has passed."""
    left = seconds_left(deadline)
    return None if deadline is None or left is None else deadline - left * (1 - part)
