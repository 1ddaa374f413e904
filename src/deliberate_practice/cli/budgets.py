"""Budgets on the command line: in units, as a number of equal episodes, or in time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from deliberate_practice.cli.options import episodes
from deliberate_practice.foundation import clock
from deliberate_practice.foundation.checks import number
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.task.model import Task

LONGEST_HOURS = 24.0 * 366
"""The longest budget in time [h]."""


class Budget(NamedTuple):
    """A budget as it was given.

    Attributes:
        task: The task, with costs in seconds if the budget is time.
        units: Budget units: seconds, if it is time.
        until: When it ends, if it is time.
    """

    task: Task
    units: int
    until: datetime | None


def budget_of(
    task: Task,
    units: int | None,
    hours: float | None,
    episode_seconds: float | None,
    until: str | None,
) -> Budget:
    """The budget for a task, however it was given.

    Raises:
        ArgumentError: It was given in several ways, or in none.
        TaskError: It is time, and a skill does not say how long an episode takes.
    """
    if until is None and (hours is None or episode_seconds is not None):
        return Budget(task, episodes("--budget", units, hours, episode_seconds), None)
    given = {
        "--budget": units,
        "--hours": hours,
        "--episode-seconds": episode_seconds,
        "--until": until,
    }
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise ArgumentError(f"give the budget once: either {' or '.join(named)}, not both.")
    from deliberate_practice.task.seconds import in_seconds

    begin = clock.now()
    if until is not None:
        end = parsed_time(until, begin)
    else:
        assert hours is not None
        number("--hours", hours, 0, LONGEST_HOURS, open_low=True, error=ArgumentError)
        end = begin + timedelta(hours=hours)
    return Budget(in_seconds(task), int((end - begin).total_seconds()), end)


def parsed_time(text: str, now: datetime) -> datetime:
    """The next time that a clock shows HH:MM, or a date and a time.

    Raises:
        ArgumentError: It is neither, or it has passed.
    """
    here = now.astimezone().replace(tzinfo=None)  # daylight saving time may begin or end meanwhile
    try:
        if len(text) <= len("HH:MM"):
            hour, minute = map(int, text.split(":"))
            end = here.replace(hour=hour, minute=minute, second=0, microsecond=0)
            end = (end if end > here else end + timedelta(days=1)).astimezone()
        else:
            end = datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        raise ArgumentError(
            f"--until: '{text}' is not a time; write e.g. 07:00 or 2026-12-24T07:00."
        ) from None
    if not now < end <= now + timedelta(hours=LONGEST_HOURS):
        raise ArgumentError(f"--until: {text} has passed, or is more than a year away.")
    return end.astimezone(now.tzinfo)
