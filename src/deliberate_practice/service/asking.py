"""Robots that ask: the trial, or why there is none; and how they wait without much work.

While there is nothing for a robot, its request waits until the journal grows. Many robots may wait:
only the first of them asks the session, and its answer holds for all others that have no trial of
their own and practised the same policy last, until something changes or a moment has passed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from deliberate_practice.practice.operating.idle import Idle
from deliberate_practice.practice.robot import Trial
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.showing.session_data import ledger
from deliberate_practice.practice.showing.trial_data import trial_data
from deliberate_practice.service.service import Service

ANEW_SECONDS = 1.0
"""Time after which a robot asks again, although nothing has changed [s]: a trial that is open for
too long may pass to it."""


@dataclass(frozen=True)
class _Nothing:
    """There was nothing for anyone, at a length of the journal and until a time."""

    length: int
    until: float
    idle: Idle


_NOTHING: WeakKeyDictionary[Session, dict[str | None, _Nothing]] = WeakKeyDictionary()
"""By session and by the policy at which a robot is: turning to another one may cost too much."""


async def ask_or_wait(
    service: Service,
    name: str,
    robot: str,
    wait: float,
    ask: Callable[[Session], list[Trial]],
    *,
    special: bool = False,
) -> dict[str, Any]:
    """Ask until there is a trial, nothing more to do, or no time left.

    Args:
        service: The service.
        name: The session.
        robot: The robot that asks.
        wait: How long to wait [s].
        ask: Asks the session.
        special: Whether it asks for something that others do not get, such as an evaluation.

    Returns:
        The trials, and why there are none.
    """
    end = time.monotonic() + wait
    while True:
        length, answer = await service.sessions.use(
            name, lambda session: _ask(session, robot, ask, special), writes=True
        )
        service.saw(name, robot)
        if answer["trials"]:
            service.feed.poke()
        left = end - time.monotonic()
        if answer["trials"] or answer["state"] == "done" or left <= 0 or service.feed.closed:
            return answer
        grown = service.feed.lengths.get(name)
        if grown is None or grown.length <= length:
            await service.feed.changed(name, min(left, ANEW_SECONDS))


def _ask(
    session: Session, robot: str, ask: Callable[[Session], list[Trial]], special: bool
) -> tuple[int, dict[str, Any]]:
    """The answer to a robot, and the length of the journal then."""
    state, now = session.state, time.monotonic()
    known, place = _NOTHING.setdefault(session, {}), state.present.get(robot)
    nothing = known.get(place)
    if (
        nothing
        and not special
        and nothing.length == state.length
        and now < nothing.until
        and robot not in session.holders().values()
    ):
        return state.length, _answer(session, [], nothing.idle)
    trials = ask(session)
    idle = None if trials else session.idle or Idle("wait", "something has just changed; ask again")
    state = session.state
    if idle and idle.trial is None and session.idle and not special:
        known[place] = _Nothing(state.length, now + ANEW_SECONDS, idle)
    return state.length, _answer(session, trials, idle)


def _answer(session: Session, trials: list[Trial], idle: Idle | None) -> dict[str, Any]:
    state = session.state
    return {
        "trials": [trial_data(state, state.records[trial.id]) for trial in trials],
        "state": idle.state if idle else None,
        "reason": idle.reason if idle else None,
        "trial": idle.trial if idle else None,
        "open": len(state.open_trials),
        "events": state.length,
        **ledger(session),
    }
