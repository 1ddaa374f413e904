"""The pace of a session: how long a budget unit takes at present."""

from __future__ import annotations

from itertools import pairwise

from deliberate_practice.practice.replay import State

RECENT = 20
"""Trials that the pace is measured on: the last ones."""
FEWEST = 3
"""Gaps between trials without which there is no pace."""


def pace(state: State) -> float | None:
    """Seconds that a budget unit takes, by the last trials; None if there are too few.

    The time between two labels counts for the later trial. A gap in which an open trial would have
    passed to another robot was a break, and does not count.
    """
    told = sorted((record.told, record.cost) for record in state.records.values() if record.told)[
        -RECENT - 1 :
    ]
    gaps = [
        ((after - before).total_seconds(), cost) for (before, _), (after, cost) in pairwise(told)
    ]
    work = [(gap, cost) for gap, cost in gaps if gap <= state.settings.trial_seconds]
    units = sum(cost for _, cost in work)
    return sum(gap for gap, _ in work) / units if units and len(work) >= FEWEST else None
