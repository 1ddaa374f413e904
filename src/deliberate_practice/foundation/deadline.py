"""When work has to stop, on the clock of ``time.monotonic``; None where nothing limits it."""

from __future__ import annotations

import time


def deadline_in(seconds: float | None) -> float | None:
    """So many seconds from now."""
    return None if seconds is None else time.monotonic() + seconds


def late(deadline: float | None) -> bool:
    """Whether a deadline is over."""
    return deadline is not None and time.monotonic() > deadline
