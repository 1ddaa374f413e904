"""A session at a glance, for the page: its course, its open trials, its timeline, its pace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from deliberate_practice.practice.operating.askers import robot_name
from deliberate_practice.practice.operating.ready import waits_for_ready
from deliberate_practice.practice.records import TrialRecord
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.showing.pace import pace
from deliberate_practice.practice.showing.session_data import session_data, session_row
from deliberate_practice.practice.showing.setting import setting
from deliberate_practice.practice.showing.trial_data import trial_data

if TYPE_CHECKING:
    from deliberate_practice.service.answers import Activity
    from deliberate_practice.service.page_answers import Brought


def overview(session: Session, last: int, seen: Mapping[str, str]) -> dict[str, Any]:
    """Everything that the page shows of a session but the frontier.

    Args:
        session: The session.
        last: Trials in the timeline: the last ones.
        seen: When each robot asked or told last, since the service runs.
    """
    data, state = session_data(session, last=0), session.state
    del data["trials"]
    records = session.trials()
    shown = records[max(0, len(records) - last) :]
    return {
        **data,
        "settled": state.settled,
        "events": state.length,
        "left": state.left,
        "activity": activity(session),
        "gate": session.settings.gate,
        "until": state.until.isoformat() if state.until else None,
        "spending": _spending(session),
        "skills": [
            {
                "skill": skill.name,
                "policy": skill.policy,
                "practisable": session.task.policies[skill.policy].practisable,
            }
            for skill in session.task.skills
        ],
        "bands": {name: list(band) for name, band in session.bands().items()},
        "seconds_per_unit": pace(state),
        "open_trials": _open_trials(session),
        "marks": [_mark(record) for record in shown],
        "earlier": len(records) - len(shown),
        "remarks": [vars(note) for note in state.operation.notes],
        "robots": session.robots(seen),
    }


def listed(session: Session) -> dict[str, Any]:
    """A session in the list of all sessions, with what happens in it now."""
    state = session.state
    practised = [record.trial.skill for record in state.open_trials]
    practised = practised or [decided.skill for decided in state.decisions[-1:]]
    return {
        **session_row(session),
        "left": state.left,
        "until": state.until.isoformat() if state.until else None,
        "activity": activity(session),
        "goal": session.forecast().goal,
        "practises": list(dict.fromkeys(practised)),
    }


def activity(session: Session) -> Activity:
    """What happens in a session now, in one word."""
    state = session.state
    if state.operation.ended is not None or state.operation.archived:
        return "done"
    if state.operation.paused is not None:
        return "paused"
    if any(trial["waits_for_ready"] for trial in _waiting(session)):
        return "waits-for-ready"
    if state.open_trials:
        return "practising"
    nothing = session.idle is not None and session.idle.state == "done"
    return "done" if nothing or not state.left else "waits-for-robot"


def _spending(session: Session) -> dict[str, dict[str, dict[str, int]]]:
    """Trials that were paid for and their budget units, by policy and by what they brought."""
    spending: dict[str, dict[str, dict[str, int]]] = {}
    for record in session.state.records.values():
        if record.cost and not record.refunded:
            bought = spending.setdefault(record.policy, {}).setdefault(
                _brought(record), {"trials": 0, "units": 0}
            )
            bought["trials"] += 1
            bought["units"] += record.cost
    return spending


def _brought(record: TrialRecord) -> Brought:
    """What a trial brought to its policy."""
    outcome = record.result.outcome if record.result else None
    if record.kind in ("probe", "training"):
        return "probe" if record.kind == "probe" else "training"
    if record.kind != "practice":
        return "test"
    if outcome in ("success", "failure"):
        return "reached"
    return "unreached" if outcome == "unreached" else "other"


def _waiting(session: Session) -> list[dict[str, Any]]:
    """Who has each open trial, and whether it waits until somebody says Ready."""
    state, holders = session.state, session.holders()
    rows = []
    for record in state.open_trials:
        holder = holders.get(record.trial.id)
        waits = waits_for_ready(state, record, holder)
        rows.append({"robot": robot_name(holder), "ready": record.ready, "waits_for_ready": waits})
    return rows


def _open_trials(session: Session) -> list[dict[str, Any]]:
    state = session.state
    return [
        {
            **trial_data(state, record),
            **row,
            "asked": record.asked.isoformat(),
            "setting": setting(session.task, record.trial).as_data(),
        }
        for record, row in zip(state.open_trials, _waiting(session), strict=True)
    ]


def _mark(record: TrialRecord) -> dict[str, Any]:
    result = record.result
    return {
        "id": record.trial.id,
        "skill": record.trial.skill,
        "kind": record.kind,
        "approach": list(record.trial.approach.every_skill),
        "outcome": result.outcome if result else None,
        "at": result.at if result else None,
        "corrected_from": record.corrected.outcome if record.corrected else None,
        "refunded": record.refunded,
        "by": record.by,
        "robot": record.robot,
        "told": record.told.isoformat() if record.told else None,
        "notes": len(record.notes),
    }
