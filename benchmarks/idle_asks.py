"""Asks that were answered ``wait`` although something useful could have been practised.

A policy is useful to a robot that asks if it can be reached and paid for, has a share in a plan (or
decision rule) worth at least 0.35 of the best one, has a candidate that no open trial tries, and is
not under test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from deliberate_practice.allocation.plans import all_plans
from deliberate_practice.practice.curriculum import Curriculum
from deliberate_practice.practice.deciding import situation_of
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.session import Session
from deliberate_practice.strategies.expectation import prospects
from deliberate_practice.strategies.rules import rule_prospects

WORTH = 0.35
"""Part of the best plan's value."""


def idle_asks(session: Session, waits: Iterable[tuple[int, str]]) -> int:
    """How many of these answers should not have been ``wait``.

    Args:
        session: The session.
        waits: The number of the journal's last event at each such answer, and the robot.
    """
    asked = Counter(waits)
    curriculum = Curriculum(session.task, free=session.settings.approach == "free")
    found = 0
    for entry, state in session.entries():
        for (number, robot), times in asked.items():
            if number == entry.number and useful(state, curriculum, robot):
                found += times
    return found


def useful(state: State, curriculum: Curriculum, robot: str | None) -> set[str]:
    """The policies that a robot could usefully practise now."""
    situation = situation_of(state, curriculum, robot, later=True)
    if situation is None:
        return set()
    general = all_plans(situation.ground) is None
    plans = [
        (plan.value, set(plan.split))
        for plan in (rule_prospects(situation) if general else prospects(situation))
    ]
    best = max((value for value, _ in plans), default=0.0)
    shared = set[str]().union(*(names for value, names in plans if value >= WORTH * best))
    open_trials = state.open_trials
    tested = {record.policy for record in open_trials if record.kind == "test"}
    out = Counter(record.policy for record in open_trials if record.kind == "practice")
    return {name for name in shared - tested if out[name] < state.learners[name].parallel}
