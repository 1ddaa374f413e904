"""Budgets in time: what is left by the clock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deliberate_practice.foundation import clock
from deliberate_practice.practice.journal.events import Clocked
from deliberate_practice.practice.replay import State


@contextmanager
def supposing(state: State, read: Clocked | None) -> Iterator[None]:
    """As if the journal had a reading of the clock, for the block alone."""
    before = state.ledger, state.each
    if read:
        state.clocked(read)
    try:
        yield
    finally:
        state.ledger, state.each = before


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
