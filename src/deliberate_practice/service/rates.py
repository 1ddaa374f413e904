"""Limits on how often something may happen: a bucket for each user, refilled over time."""

from __future__ import annotations

import math
import time
from collections import Counter

MOST_USERS = 10_000
"""Buckets that are kept; full ones are forgotten first, as they say nothing."""


class Rates:
    """Buckets of tokens by user.

    Args:
        rate: How many are refilled each second.
        burst: The most that a bucket holds.
    """

    def __init__(self, rate: float, burst: int) -> None:
        self._rate, self._burst = rate, float(burst)
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, user: str) -> int:
        """Take one from a user's bucket: 0 if there was one, else seconds to wait."""
        now = time.monotonic()
        left, before = self._left.pop(user, (self._burst, now))
        left = min(self._burst, left + (now - before) * self._rate)
        taken = left >= 1.0
        self._left[user] = (left - taken, now)  # at the end: it was used last
        if len(self._left) > MOST_USERS:
            del self._left[next(iter(self._left))]
        return 0 if taken else math.ceil((1.0 - left) / self._rate)


class Open:
    """How many of something are open, by user and together.

    Args:
        each: The most of one user.
        together: The most of all users.
    """

    def __init__(self, each: int, together: int) -> None:
        self._each, self._together = each, together
        self._open: Counter[str] = Counter()

    def enter(self, user: str) -> bool:
        """Whether one more may be opened; then it counts."""
        if self._open[user] >= self._each or self._open.total() >= self._together:
            return False
        self._open[user] += 1
        return True

    def leave(self, user: str) -> None:
        """One of them was closed."""
        self._open[user] -= 1
        if not self._open[user]:
            del self._open[user]
