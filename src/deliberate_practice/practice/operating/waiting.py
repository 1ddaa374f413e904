"""Ask for a trial, and wait for one if there is none now."""

from __future__ import annotations

import time
from typing import Any

from deliberate_practice.foundation.checks import number
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.robot import Trial
from deliberate_practice.practice.session import Session

LOOK_SECONDS = 0.25
"""Time between two looks at the journal [s]."""
LONGEST_WAIT = 86_400.0
"""The longest time to wait [s]."""


def ask_or_wait(session: Session, seconds: float, **options: Any) -> Trial | None:
    """The next trial, as soon as there is one.

    Args:
        session: The session.
        seconds: How long to wait for it [s].
        options: Arguments of :meth:`~.session.Session.ask`.

    Returns:
        The trial; None if there is nothing more to do, or none came in time.
    """
    number("wait", seconds, 0.0, LONGEST_WAIT, error=ArgumentError)
    end = time.monotonic() + seconds
    while True:
        trial = session.ask(**options)
        left = end - time.monotonic()
        if trial or session.done or left <= 0:
            return trial
        time.sleep(min(LOOK_SECONDS, left))
