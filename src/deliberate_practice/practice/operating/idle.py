"""Why a session has no trial to hand out, and whether it may have one later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deliberate_practice.practice.replay import State


@dataclass(frozen=True)
class Idle:
    """The answer to an asker for whom there is no trial.

    Attributes:
        state: ``wait``: there may be a trial later; ``paused``: when somebody resumes the session;
            ``done``: there is nothing more to do.
        reason: One sentence for people.
        trial: The trial that waits until somebody says Ready, if there is one.
    """

    state: Literal["wait", "paused", "done"]
    reason: str
    trial: int | None = None


def stopped(state: State) -> Idle | None:
    """Why no trial at all is handed out; None if trials are handed out."""
    if state.operation.ended is not None:
        return Idle("done", _because("the session was ended", state.operation.ended))
    if state.operation.paused is not None:
        return Idle("paused", _because("the session is paused", state.operation.paused))
    return None


def idle(state: State) -> Idle:
    """Why there is nothing to practise now."""
    trials = [record.trial for record in state.open_trials]
    held_up = [trial.id for trial in trials if state.operation.blocked_in(trial)]
    others = ", ".join(str(trial.id) for trial in trials if trial.id not in held_up)
    blocked = ", ".join(
        _because(skill, why, ": ") for skill, why in state.operation.blocked.items()
    )
    if others:
        return Idle("wait", f"everything waits for open trials of other askers: {others}")
    if held_up:
        return Idle("wait", f"trial {held_up[0]} waits while skills are blocked ({blocked})")
    if not state.left:
        return Idle("done", "the budget is spent")
    if blocked:
        return Idle("wait", f"nothing else can be practised while skills are blocked ({blocked})")
    return Idle("done", "nothing more is worth practising, or can be paid for")


def _because(what: str, why: str, between: str = " (") -> str:
    if not why:
        return what
    return f"{what}{between}{why}{')' if between == ' (' else ''}"
