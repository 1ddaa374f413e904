"""End a session without progress: first by an exception inside it, then with its process."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

GRACE_SECONDS = 10.0
"""How long a session may take to end after the exception, before its process is killed."""


class NoProgress(BaseException):
    """Raised inside a session that takes too long; no ``except Exception`` stops it."""


class _Watch:
    """The session that runs in this process."""

    limit: float | None = None
    since: float = 0.0
    alarm: bool = False


@contextmanager
def watched(seconds: float) -> Iterator[None]:
    """Raise :class:`NoProgress` inside if :func:`progress` is not called for so many seconds.

    It is raised again while the session does not end. This needs the main thread of a POSIX system.
    :func:`overdue` works everywhere.
    """
    main = threading.current_thread() is threading.main_thread()
    _Watch.limit, _Watch.since = seconds, time.monotonic()
    _Watch.alarm = main and hasattr(signal, "setitimer")
    before = signal.signal(signal.SIGALRM, _over) if _Watch.alarm else None
    try:
        progress()
        yield
    finally:
        _Watch.limit = None
        if _Watch.alarm:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)


def progress() -> None:
    """Report progress: the time of the session starts again."""
    _Watch.since = time.monotonic()
    if _Watch.alarm and _Watch.limit is not None:
        again = min(_Watch.limit, GRACE_SECONDS)  # for code that swallows the exception
        signal.setitimer(signal.ITIMER_REAL, _Watch.limit, again)


def overdue() -> bool:
    """Whether the session of this process should have ended long ago."""
    limit = math.inf if _Watch.limit is None else _Watch.limit
    return time.monotonic() - _Watch.since > limit + min(limit, GRACE_SECONDS)


def _over(number: int, frame: FrameType | None) -> None:
    if _Watch.limit is not None:  # otherwise the session has just ended
        raise NoProgress
