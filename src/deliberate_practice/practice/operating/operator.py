"""What a person may do with a session: correct labels, pause it, block skills, write notes.

Every verb is an event of the journal. A correction changes what the session knows, as if the trial
had been told right; decisions that were made in between stay as they were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from deliberate_practice.foundation.checks import LARGEST_BUDGET, check_name, whole_number
from deliberate_practice.foundation.errors import ArgumentError, shown
from deliberate_practice.practice.journal.events import (
    Archived,
    Blocked,
    Corrected,
    Ended,
    Event,
    Extended,
    Noted,
    Paused,
    Readied,
    Refunded,
    Resumed,
    Unblocked,
)
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.telling import (
    TellError,
    check_refund,
    checked_correction,
    record_of,
)
from deliberate_practice.task.model import Task

LONGEST_TEXT = 10_000
"""The most characters of a note or a reason."""


class Operated:
    """The verbs of an operator; a :class:`~.session.Session` has all of them."""

    name: str
    task: Task

    def _writing(self) -> AbstractContextManager[State]:
        raise NotImplementedError

    def _append(self, *events: Event) -> None:
        raise NotImplementedError

    def holders(self) -> Mapping[int, str]:
        """The asker of each open trial."""
        raise NotImplementedError

    def correct(
        self,
        trial_id: int,
        outcome: str,
        at: str | None = None,
        score: float | None = None,
        measurements: Mapping[str, float] | None = None,
        executed: Sequence[tuple[str, bool]] | None = None,
        *,
        by: str | None = None,
    ) -> None:
        """Take a wrong label back: belief and learner are as if the trial had been told right.

        What was decided in between stays, and so does a refund. The arguments are those of
        :meth:`~.session.Session.tell`; score, measurements and executions that are not given stay
        as they were told.

        Raises:
            TellError: The trial is still open, the label does not fit it, or a trial that was
                refused costs more than is left of the budget.
        """
        by = who(by)
        with self._writing() as state:
            record = record_of(state.records, trial_id, self.name)
            result = checked_correction(
                record, state.left, outcome, at, score, measurements, executed
            )
            if result != record.result:
                self._append(Corrected(record.trial.id, result, by))

    def note(self, text: str, trial_id: int | None = None, *, by: str | None = None) -> None:
        """Write a note on the session, or on one of its trials."""
        text, by = _text("text", text, "the gripper slipped"), who(by)
        with self._writing() as state:
            if trial_id is not None:
                trial_id = record_of(state.records, trial_id, self.name).trial.id
            self._append(Noted(text, trial_id, by))

    def ready(self, trial_id: int | None = None, *, by: str | None = None) -> None:
        """Say that the scene of an open trial is set, so that its robot may move.

        Args:
            trial_id: The trial; by default every open one whose skills are not blocked.
            by: Who says so.

        Raises:
            TellError: There is no such trial, it is not open, or a skill of it is blocked.
        """
        by = who(by)
        with self._writing() as state:
            records = state.open_trials
            if trial_id is not None:
                records = [record_of(state.records, trial_id, self.name)]
            told = [record.trial.id for record in records if record.result]
            if told:
                raise TellError(f"trial {told[0]}: it was told already.")
            blocked = {
                record.trial.id: state.operation.blocked_in(record.trial) for record in records
            }
            if trial_id is not None and blocked[records[0].trial.id]:
                (skill, *_) = blocked[records[0].trial.id]
                raise TellError(
                    f"trial {records[0].trial.id}: it would execute {skill}, which is blocked; "
                    "unblock it first, or label the trial."
                )
            waiting = [
                record.trial.id
                for record in records
                if not record.ready and not blocked[record.trial.id]
            ]
            if waiting:
                holders = self.holders()
                self._append(*(Readied(number, holders.get(number, ""), by) for number in waiting))

    def pause(self, why: str = "", *, by: str | None = None) -> None:
        """Hand out no trial until somebody resumes the session; open trials may be told."""
        why, by = _reason(why), who(by)
        with self._writing() as state:
            if state.operation.paused is None:
                self._append(Paused(why, by))

    def resume(self, *, by: str | None = None) -> None:
        """Go on with a session that was paused, ended or archived."""
        by = who(by)
        with self._writing() as state:
            now = state.operation
            if now.paused is not None or now.ended is not None or now.archived:
                self._append(Resumed(by))

    def block(self, skill: str, why: str = "", *, by: str | None = None) -> None:
        """Let no trial use a skill, neither to practise it nor on an approach.

        Raises:
            TaskError: The task has no such skill.
        """
        why, by = _reason(why), who(by)
        name = self.task.skill(skill).name
        with self._writing() as state:
            if state.operation.blocked.get(name) != why:
                self._append(Blocked(name, why, by))

    def unblock(self, skill: str, *, by: str | None = None) -> None:
        """Let trials use a skill again.

        Raises:
            TaskError: The task has no such skill.
        """
        by, name = who(by), self.task.skill(skill).name
        with self._writing() as state:
            if name in state.operation.blocked:
                self._append(Unblocked(name, by))

    def end(self, why: str = "", *, by: str | None = None) -> None:
        """End the session before its budget is spent; :meth:`resume` takes that back."""
        why, by = _reason(why), who(by)
        with self._writing() as state:
            if state.operation.ended is None:
                self._append(Ended(why, by))

    def archive(self, *, by: str | None = None) -> None:
        """Put the session away: lists leave it out, and it hands out no trial.

        A session that is not finished is ended by this; :meth:`resume` takes both back.
        """
        by = who(by)
        with self._writing() as state:
            if not state.operation.archived:
                ends = [Ended("archived", by)] if state.operation.ended is None else []
                self._append(*ends, Archived(by))

    def refund(self, trial_id: int, *, by: str | None = None) -> None:
        """Refund the cost of an aborted trial, once.

        Raises:
            TellError: It was not aborted, cost nothing, or was refunded before.
        """
        by = who(by)
        with self._writing() as state:
            record = record_of(state.records, trial_id, self.name)
            check_refund(record)
            self._append(Refunded(record.trial.id, by))

    def extend(self, units: int) -> None:
        """Add units to the budget."""
        more = whole_number("units", units, 1, LARGEST_BUDGET)
        with self._writing() as state:
            whole_number("budget", state.ledger.budget + more, 0, LARGEST_BUDGET)
            self._append(Extended(more))


def who(name: object) -> str | None:
    """The name of a person who does something, if it is given.

    Raises:
        ArgumentError: It cannot be a name.
    """
    return None if name is None else check_name("by", name, "ada")


def _reason(why: object) -> str:
    return "" if why == "" else _text("why", why, "its tool is broken")


def _text(place: str, text: object, example: str) -> str:
    if not isinstance(text, str) or not text.strip():
        raise ArgumentError(f"{place}: {shown(text)} is not a text; write e.g. '{example}'.")
    if len(text) > LONGEST_TEXT:
        raise ArgumentError(
            f"{place}: the text has {len(text)} characters; write at most {LONGEST_TEXT}."
        )
    return text
