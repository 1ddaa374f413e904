"""Budgets in time: what is left by the clock."""

from __future__ import annotations

from deliberate_practice.foundation import clock
from deliberate_practice.practice.journal.events import Clocked
from deliberate_practice.practice.replay import State


def reading(state: State, robot: str | None) -> Clocked | None:
    """A reading of the clock, when a robot asks; None if the budget is not time.

    Several robots have their time at once. What their open trials still need is not left.
    """
    if state.until is None:
        return None
    now, robots = clock.now(), len({*state.present, robot})
    each = max(0, int((state.until - now).total_seconds()))
    under_way = sum(
        max(0, record.cost - int((now - record.asked).total_seconds()))
        for record in state.open_trials
    )
    return Clocked(max(0, robots * each - under_way), each)
