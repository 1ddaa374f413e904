"""The one clock: journals, deadlines and budgets in time read it."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """The present time, in UTC."""
    return datetime.now(UTC)
