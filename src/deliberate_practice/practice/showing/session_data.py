"""A session as plain data: its course with all trials, its row in a list, its budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deliberate_practice.practice.records import TrialRecord
    from deliberate_practice.practice.robot import Result
    from deliberate_practice.practice.session import Session


def session_data(
    session: Session, *, times: bool = False, last: int | None = None
) -> dict[str, Any]:
    """The summary of a session, its forecast and its trials.

    Two journals are the same if this is equal but for name and seconds.

    Args:
        session: The session.
        times: Whether to state when trials were asked and told.
        last: Only so many trials, the last ones; all by default.
    """
    from deliberate_practice.practice.showing.summary import summary  # not needed to tell

    records = session.trials()
    shown = records if last is None else records[max(0, len(records) - last) :]
    trials = [told_data(record, times=times) for record in shown]
    ahead = session.forecast().as_data()
    return {**summary(session).as_data(), "forecast": ahead, "trials": trials}


def told_data(record: TrialRecord, *, times: bool = False) -> dict[str, Any]:
    """A trial with everything that was told about it."""
    trial, result = record.trial, record.result
    data: dict[str, Any] = {
        "id": trial.id,
        "skill": trial.skill,
        "policy": record.policy,
        "mode": trial.mode,
        "kind": record.kind,
        "counted": record.counted,
        "outcome": result.outcome if result else None,
        "at": result.at if result else None,
        "parameters": dict(trial.parameters),
        "approach": list(trial.approach.skills),
        **({"start": dict(trial.approach.start)} if trial.approach.start else {}),
        "executed": _executed(result),
        "score": result.score if result else None,
        "measurements": dict(result.measurements) if result else {},
        "refunded": record.refunded,
        "seed": trial.seed,
        "why": dict(record.why),
    }
    if record.corrected:
        data["corrected_from"] = record.corrected.outcome
    if record.version:
        data["version"] = record.version
    if record.by:
        data["by"] = record.by
    if record.notes:
        data["notes"] = list(record.notes)
    if times:
        data["asked"] = record.asked.isoformat()
        data["told"] = record.told.isoformat() if record.told else None
    return data


def session_row(session: Session) -> dict[str, Any]:
    """A session in a list of sessions."""
    state = session.state
    return {
        "name": session.name,
        "task": session.task.name,
        "robot": session.settings.robot,
        "strategy": session.settings.strategy,
        "belief": session.settings.belief,
        "seed": session.settings.seed,
        "budget": state.ledger.budget,
        "spent": state.spent,
        "trials": len(state.records),
        "open": len(state.open_trials),
        "state": state.operation.word,
        "created": session.created.isoformat(timespec="seconds"),
    }


def ledger(session: Session) -> dict[str, Any]:
    """The budget of a session: total, spent and left."""
    state = session.state
    return {
        "name": session.name,
        "budget": state.ledger.budget,
        "spent": state.spent,
        "left": state.left,
    }


def _executed(result: Result | None) -> list[dict[str, object]] | None:
    """Every execution on the approach; None if the robot did not tell them."""
    if result is None or result.executed is None:
        return None
    return [{"skill": skill, "success": success} for skill, success in result.executed]
