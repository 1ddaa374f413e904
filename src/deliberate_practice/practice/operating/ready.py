"""Which trials wait until somebody has set the scene and says Ready."""

from __future__ import annotations

from deliberate_practice.practice.operating.askers import robot_name
from deliberate_practice.practice.records import TrialRecord
from deliberate_practice.practice.replay import State


def waits_for_ready(state: State, record: TrialRecord, asker: str | None) -> bool:
    """Whether the robot that has an open trial may not begin before somebody says Ready.

    A trial of a blocked skill waits for something else.
    """
    gate = state.settings.gate
    gated = gate == "always" or (gate == "abort" and robot_name(asker) in state.alarmed)
    return gated and not record.ready and not state.operation.blocked_in(record.trial)
