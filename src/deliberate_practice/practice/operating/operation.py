"""What people did with a session: paused it, ended it, blocked skills, wrote notes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from deliberate_practice.practice.journal import events
from deliberate_practice.practice.robot import Trial


@dataclass
class Operation:
    """The conditions that people set.

    Attributes:
        paused: Why no trial is handed out; None if trials are handed out.
        ended: Why the session was ended; None if it was not.
        archived: Whether lists leave it out.
        blocked: Skills that cannot be executed for now, each with the reason.
        notes: All notes on the session and on its trials.
    """

    paused: str | None = None
    ended: str | None = None
    archived: bool = False
    blocked: dict[str, str] = field(default_factory=dict)
    notes: list[events.Noted] = field(default_factory=list)

    @property
    def word(self) -> Literal["active", "paused", "ended", "archived"]:
        """The state of the session in one word."""
        if self.archived:
            return "archived"
        if self.ended is not None:
            return "ended"
        return "active" if self.paused is None else "paused"

    def blocked_in(self, trial: Trial) -> list[str]:
        """Blocked skills that a trial would execute; a training run executes none."""
        used = () if trial.mode == "train" else (*trial.approach.every_skill, trial.skill)
        return [skill for skill in self.blocked if skill in used]

    def apply(self, event: events.Operation) -> None:
        """Apply the next operation."""
        match event:
            case events.Paused(why):
                self.paused = why
            case events.Resumed():
                self.paused, self.ended, self.archived = None, None, False
            case events.Blocked(skill, why):
                self.blocked[skill] = why
            case events.Unblocked(skill):
                self.blocked.pop(skill, None)
            case events.Ended(why):
                self.ended = why
            case events.Archived():
                self.archived = True
            case events.Noted() as note:
                self.notes.append(note)
