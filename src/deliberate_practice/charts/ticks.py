"""Positions of the numbers on an axis: whole episodes, always the last one, never too close."""

from __future__ import annotations

from collections.abc import Sequence

MOST = 5
"""The largest number of steps on an axis."""


def whole_ticks(last: int) -> list[int]:
    """Round whole numbers from 0, and the last number, round or not.

    >>> whole_ticks(60), whole_ticks(7), whole_ticks(480)
    ([0, 20, 40, 60], [0, 2, 4, 6, 7], [0, 100, 200, 300, 400, 480])
    """
    steps = [digit * 10**power for power in range(len(str(last))) for digit in (1, 2, 5)]
    fitting = [step for step in steps if last <= MOST * step] or steps[-1:]
    step = next((step for step in fitting[:2] if last % step == 0), fitting[0])
    ticks = [*range(0, last, step), last]
    if len(ticks) > 2 and 2 * (ticks[-1] - ticks[-2]) < step:
        del ticks[-2]
    return ticks


def spaced(places: Sequence[int]) -> list[int]:
    """The given numbers without those too close before another; the last one stays.

    >>> spaced([0, 400, 440, 500, 560])
    [0, 440, 500, 560]
    """
    ordered = sorted(set(places), reverse=True)
    kept = ordered[:1]
    for place in ordered[1:]:
        if kept[-1] - place >= 0.1 * (ordered[0] - ordered[-1]):
            kept.append(place)
    return kept[::-1]
