"""A trial that a person has a part in, in words: of a policy trained elsewhere, or a probe."""

from __future__ import annotations

from deliberate_practice.practice.records import TrialRecord
from deliberate_practice.practice.replay import State

VERBS = {"practice": "demonstrate", "training": "train", "test": "evaluate"}


def instruction(state: State, record: TrialRecord) -> str:
    """What to do, e.g. ``demonstrate OpenTop, 3 of 10`` or ``execute the whole plan: Pick, Place``.

    It is empty for trials of policies that are practised by attempts, and for evaluations that
    somebody asks for.
    """
    if record.kind == "probe":
        return f"execute the whole plan: {', '.join(step.skill for step in record.trial.steps)}"
    if record.decision is None or not state.task.policies[record.policy].rounds:
        return ""
    begun = f"{VERBS[record.kind]} {record.trial.skill}"
    if record.kind == "training":
        total = record.trial.attempt.practised
        new = total - _trained_before(state, record)
        return f"{begun} ({new} new demonstration{'s' * (new != 1)}, {total} in all)"
    decided = state.decisions[record.decision - 1]
    most = decided.granted if record.kind == "practice" else decided.evaluations
    place = sum(
        other.decision == record.decision
        and other.kind == record.kind
        and other.trial.id <= record.trial.id
        and not (other.void and not other.refunded)
        for other in state.records.values()
    )
    return f"{begun}, {place} of {most}"


def _trained_before(state: State, record: TrialRecord) -> int:
    """Demonstrations of the version that was deployed when a training run was asked for."""
    finished = (
        other.trial.attempt.practised
        for other in state.records.values()
        if other.policy == record.policy
        and other.kind == "training"
        and other.trial.id < record.trial.id
        and other.result is not None
        and other.result.outcome == "success"
    )
    return max(finished, default=0)
