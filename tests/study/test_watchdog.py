"""The watchdog: a session without progress is ended, also if it swallows the first exception."""

from __future__ import annotations

import os
import signal
import time

import pytest

from deliberate_practice.study.watchdog import NoProgress, overdue, progress, watched

pytestmark = pytest.mark.skipif(os.name != "posix", reason="alarms")


def test_an_exception_that_is_swallowed_is_raised_again() -> None:
    swallowed = 0
    with watched(0.05):
        while swallowed < 3:
            try:
                time.sleep(10)
            except NoProgress:
                swallowed += 1
            else:
                pytest.fail(f"only {swallowed} exceptions")
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert not overdue()


def test_progress_begins_the_time_anew() -> None:
    with watched(0.5):
        for _ in range(10):
            time.sleep(0.1)
            progress()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
