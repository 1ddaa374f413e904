"""The robots of a session: what each has done, what it has now, and when it was seen last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from deliberate_practice.practice.operating.askers import robot_name
from deliberate_practice.practice.operating.ready import waits_for_ready
from deliberate_practice.practice.records import TrialRecord
from deliberate_practice.practice.replay import State


def robot_rows(
    state: State, holders: Mapping[int, str], seen: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """All robots with a name, in order of their names.

    Args:
        state: The state of the session.
        holders: The asker of each open trial.
        seen: When robots asked or told last, where somebody knows it besides the journal.
    """
    seen = seen or {}
    told: dict[str, list[TrialRecord]] = {}
    for record in state.records.values():
        if record.robot is not None and record.result:
            told.setdefault(record.robot, []).append(record)
    named = set(filter(None, map(robot_name, holders.values())))
    rows = []
    for robot in sorted(told.keys() | named | seen.keys()):
        held = [state.records[number] for number, name in sorted(holders.items()) if name == robot]
        waits = any(waits_for_ready(state, one, robot) for one in held)
        rows.append(_robot(robot, told.get(robot, []), held, waits=waits, seen=seen.get(robot)))
    return rows


def _robot(
    name: str, told: list[TrialRecord], held: list[TrialRecord], *, waits: bool, seen: str | None
) -> dict[str, Any]:
    outcomes = Counter(record.result.outcome for record in told if record.result)
    attempts = outcomes["success"] + outcomes["failure"]
    times = [record.told for record in told if record.told] + [record.handed for record in held]
    last = max(times).isoformat(timespec="seconds") if times else None
    return {
        "name": name,
        "open": [record.trial.id for record in held],
        "trials": len(told),
        "outcomes": {outcome: count for outcome, count in outcomes.items() if count},
        "success_rate": outcomes["success"] / attempts if attempts else None,
        "waits_for_ready": waits,
        "last_seen": max(filter(None, (seen, last)), default=None),
    }
