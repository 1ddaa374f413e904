"""The state of a session, which is the replay of its journal and is kept up to date with it.

Every verb that writes is a transaction. :meth:`Kept.together` joins several of them: one sync of
the disk is then enough for all. Each is still all or nothing by itself, and nobody may learn the
result of one before the block has ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from deliberate_practice.practice.journal.events import Corrected, Event
from deliberate_practice.practice.journal.journal import Journal
from deliberate_practice.practice.journal.rows import Entry, SessionRecord, Settings
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.robot import Result
from deliberate_practice.practice.sinks import Outlet, Sink
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import parse_task

if TYPE_CHECKING:
    from deliberate_practice.beliefs.belief import MakeBelief
    from deliberate_practice.learners.registry import MakeLearner


class Kept:
    """A session's journal and the state that follows from it.

    Args:
        journal: The open journal.
        record: The row of the session.
        belief: The belief, by name or as what makes it.
        learner: The learner, likewise.
        sinks: Where events go besides the journal.
    """

    def __init__(
        self,
        journal: Journal,
        record: SessionRecord,
        belief: str | MakeBelief,
        learner: str | MakeLearner,
        sinks: Sequence[str | Sink] = (),
    ) -> None:
        self.name: str = record.name
        self.settings: Settings = record.settings
        self.created: datetime = record.created
        self.task: Task = parse_task(record.task)
        self._journal, self._row = journal, record
        self._belief, self._learner = belief, learner
        self._last: Entry | None = None
        self._state = self.beginning()
        self._outlet = Outlet(record.name, sinks)
        self._joined = False

    @property
    def state(self) -> State:
        """The state after all events of the journal."""
        self._read()
        return self._state

    def beginning(self, corrections: Mapping[int, Result] | None = None) -> State:
        """The state before anything happened, for a replay with the right labels."""
        return State(
            self.task, self.settings, self._belief, self._learner, self.created, corrections
        )

    def history(self) -> Iterator[tuple[Event, State]]:
        """Each event with the state after it; the state is one object that changes.

        Wrong labels count as they were corrected.
        """
        for entry, state in self.entries():
            yield entry.event, state

    def entries(self) -> Iterator[tuple[Entry, State]]:
        """The same with the number and the time of each event."""
        entries = self._journal.entries(self._row)
        state = self.beginning(_corrections(entries))
        for entry in entries:
            state.apply(entry)
            yield entry, state

    @contextmanager
    def together(self) -> Iterator[None]:
        """Several verbs in one transaction: they are safe when the block has ended.

        A verb that raises an exception leaves nothing behind; those before it stay. If the block
        itself ends with an exception, or cannot be committed, none of them took place.
        """
        self._outlet.forget()
        self._joined = True
        try:
            with self._journal.transaction():
                yield
        except BaseException:
            self._outlet.forget()
            self._forget()
            raise
        finally:
            self._joined = False
        self._outlet.flush()

    @contextmanager
    def _writing(self) -> Iterator[State]:
        """A transaction on the present state, which is up to date again afterwards."""
        if self._joined:
            with self._kept_or_forgotten(), self._journal.part():
                self._read()
                yield self._state
            self._read()
            return
        self._outlet.forget()
        with self._kept_or_forgotten(), self._journal.transaction():
            self._read()
            yield self._state
        self._read()  # perhaps also what others have asked meanwhile
        self._outlet.flush()

    @contextmanager
    def _kept_or_forgotten(self) -> Iterator[None]:
        """Forget events that were read and then not written after all."""
        before = self._last
        try:
            yield
        except BaseException:
            if self._last is not before:
                self._forget()
            raise

    def _read(self) -> None:
        try:
            entries = self._journal.entries(self._row, self._last)
            if _corrections(entries):  # everything anew, as if it had been told right
                entries = self._journal.entries(self._row)
                self._state = self.beginning(_corrections(entries))
            for entry in entries:
                self._state.apply(entry)
                self._outlet.read(entry)
                self._last = entry
        except BaseException:  # stopped in the middle of an event: read all of it anew
            self._forget()
            raise

    def _forget(self) -> None:
        """Read everything anew next time, from the journal alone."""
        self._state, self._last = self.beginning(), None

    def _append(self, *events: Event) -> None:
        """Append events to those that were read (once in a transaction)."""
        self._journal.append(self._row, self._last, events)
        self._outlet.expect(self._last.number + 1 if self._last else 1, len(events))


def _corrections(entries: Sequence[Entry]) -> dict[int, Result]:
    """The right results of trials that were told wrongly."""
    corrected = (entry.event for entry in entries if isinstance(entry.event, Corrected))
    return {event.trial: event.result for event in corrected}
