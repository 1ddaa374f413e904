"""A practice session by ask and tell, with a journal that loses nothing.

Ask and tell from any number of processes; each is a transaction on the journal. The state of a
session is the replay of its journal, so a killed process goes on as if nothing had happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from deliberate_practice.foundation.checks import (
    LARGEST_BUDGET,
    check_flag,
    check_name,
    whole_number,
)
from deliberate_practice.foundation.errors import ArgumentError, shown
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.practice.arguments import checked_settings
from deliberate_practice.practice.askers import checked_asker, is_gone
from deliberate_practice.practice.asking import evaluation, practice
from deliberate_practice.practice.curriculum import Curriculum
from deliberate_practice.practice.events import Asked, Event, Executed, Extended, Refunded, Told
from deliberate_practice.practice.journal import Journal
from deliberate_practice.practice.journal_rows import Entry, SessionRecord
from deliberate_practice.practice.replay import State, TrialRecord
from deliberate_practice.practice.robot import Trial
from deliberate_practice.practice.telling import (
    TellError,
    check_refund,
    checked_result,
    in_words,
    record_of,
)
from deliberate_practice.practice.testing import due
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import parse_task

if TYPE_CHECKING:
    from deliberate_practice.beliefs.belief import MakeBelief
    from deliberate_practice.learners.registry import MakeLearner
    from deliberate_practice.practice.robot import Robot
    from deliberate_practice.strategies.strategy import Strategy


def start_session(
    db: str | Path,
    name: str,
    task: Task,
    budget: int,
    strategy: str | Strategy = "deliberate",
    belief: str | MakeBelief = "bayes",
    seed: int = 0,
    *,
    approach: Literal["execute", "free"] = "execute",
    learner: str | MakeLearner = "cma-es",
    robot: str | Robot | None = None,
    scene: str = "",
    lasting: bool = True,
) -> Session:
    """Write a new session into a journal, and open it.

    Args:
        db: The journal's file; it is made if it is not there.
        name: Name of the session.
        task: The task.
        budget: Budget units, a whole number of at least 0.
        strategy: A registered name, which may carry options, or a function.
        belief: Likewise, or a function that makes a belief.
        seed: Seed of everything random, a whole number of at least 0.
        approach: ``execute`` the skills that lead to a precondition, or start there (``free``).
        learner: Likewise, or a function that makes a learner.
        robot: The robot or its name, for the record.
        scene: What the robot's scene says about itself, for the record.
        lasting: False only if the journal is thrown away afterwards; nothing is synced then.

    Raises:
        JournalError: The name is taken (:class:`NameTaken`), or the journal cannot be written.
        ArgumentError: An argument makes no sense.
    """
    from deliberate_practice.mdp.grounding import ground  # only here: a session that goes on
    from deliberate_practice.strategies.strategy import STRATEGIES  # mostly does without them
    from deliberate_practice.task.toml_writer import task_to_toml

    settings = checked_settings(budget, strategy, belief, learner, seed, approach, robot, scene)
    check_name("name", name, "monday")
    check_flag("lasting", lasting)
    if not isinstance(task, Task):
        raise ArgumentError(f"task: {shown(task)} is not a Task; make it one, e.g. load_task(...).")
    STRATEGIES.resolve(strategy)  # unknown names, and
    ground(task)  # a task that earns nothing, are refused before anything is written
    _ = State(task, settings, belief, learner, datetime.now(UTC)).belief
    journal = Journal(db, create=True, lasting=lasting)
    try:
        with journal.transaction():
            record = journal.add_session(name, task_to_toml(task), settings)
        return Session(journal, record, strategy, belief, learner)
    except BaseException:
        journal.close()
        raise


def open_session(
    db: str | Path,
    name: str,
    *,
    strategy: Strategy | None = None,
    belief: MakeBelief | None = None,
    learner: MakeLearner | None = None,
) -> Session:
    """Go on with a session.

    Args:
        db: The journal's file.
        name: The session.
        strategy, belief, learner: Needed if it was started with one that has no name.

    Raises:
        JournalError: There is no such journal or session, or it is damaged.
        ArgumentError: An argument makes no sense.
    """
    for place, chosen in (("strategy", strategy), ("belief", belief), ("learner", learner)):
        if chosen is not None and not callable(chosen):
            raise ArgumentError(f"{place}: {shown(chosen)} is not a function; leave it out.")
    check_name("name", name, "monday")
    journal = Journal(db)
    try:
        record = journal.session(name)
        settings = record.settings
        return Session(
            journal,
            record,
            strategy or settings.strategy,
            belief or settings.belief,
            learner or settings.learner,
        )
    except BaseException:
        journal.close()
        raise


class Session:
    """One session of a journal; made by :func:`start_session` and :func:`open_session`."""

    def __init__(
        self,
        journal: Journal,
        record: SessionRecord,
        strategy: str | Strategy,
        belief: str | MakeBelief,
        learner: str | MakeLearner,
    ) -> None:
        self.name = record.name
        self.settings, self.created = record.settings, record.created
        self.task = parse_task(record.task)
        self._journal, self._row = journal, record
        self._last: Entry | None = None
        self._strategy, self._belief, self._learner = strategy, belief, learner
        self._curriculum = Curriculum(self.task, free=record.settings.approach == "free")
        self._state = self.beginning()
        self._finished_at = -1

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the journal; everything is saved already."""
        self._journal.close()

    @property
    def ground(self) -> GroundTask:
        """The task as a sparse MDP."""
        return self._curriculum.ground

    @property
    def state(self) -> State:
        """The state after all events of the journal."""
        self._read()
        return self._state

    @property
    def done(self) -> bool:
        """Whether the last ask found nothing more to do, and nothing has changed since."""
        return self._finished_at == self.state.length and not self._state.open_trials

    def trials(self) -> list[TrialRecord]:
        """All trials so far with their results, in the order they were asked."""
        return list(self.state.records.values())

    def ask(
        self, *, evaluate: str | None = None, asker: str | None = None, takeover: bool = False
    ) -> Trial | None:
        """The next trial to run.

        A trial that this asker got and did not tell is offered again, and so is one whose asker's
        process is gone. Then come tests of a round, if the belief asks for them. Otherwise the
        strategy decides, unless the last decision has granted more.

        Args:
            evaluate: A skill to execute as deployed, as an evaluation that costs nothing.
            asker: Who asks; by default this thread of this process.
            takeover: Offer also open trials of living askers; use it only if they have given up.

        Returns:
            The trial; None if the budget is spent, nothing is worth practising, or all that could
            be practised now waits for trials of others (then :attr:`done` is False).

        Raises:
            PartFailed: The robot refused too many candidates of one policy in a row.
        """
        asker = checked_asker(asker)
        check_flag("takeover", takeover)
        if evaluate is not None:
            check_name("evaluate", evaluate, self.task.skills[0].name)
        with self._writing() as state:
            again = self._offer_again(asker, takeover, evaluate)
            if again:
                return again
            events = (
                practice(state, self._curriculum, self._strategy)
                if evaluate is None
                else evaluation(state, self._curriculum, evaluate)
            )
            if not events:
                self._finished_at = state.length
                return None
            number = self._write(events, asker)
        return self._state.records[number].trial

    def ask_together(self, most: int, asker: str | None = None) -> list[Trial]:
        """The next trials that can be run side by side: at most so many, of one decision or test.

        Trials that this asker got and did not tell, or whose asker is gone, come first. Attempts
        and tests are asked for in groups of ``most``: a killed process goes on with its group,
        which is complete as soon as one of its trials was told.
        """
        asker = checked_asker(asker)
        with self._writing():
            own, left_behind = self._open_for(asker)
            trials = [*own, *left_behind][:most]
            for trial in trials[len(own) :]:
                self._journal.hold(self._row, trial.id, asker)
        if trials and not (self._last and isinstance(self._last.event, Asked)):
            return trials
        if not trials:
            first = self.ask(asker=asker)
            trials = [first] if first else []
        while 0 < len(trials) < most and _goes_on(self.state, most):
            with self._writing() as state:
                if not _goes_on(state, most):  # another asker was faster
                    break
                number = self._write(practice(state, self._curriculum, self._strategy), asker)
            trials.append(self._state.records[number].trial)
        return trials

    def tell(
        self,
        trial_id: int,
        outcome: str,
        at: str | None = None,
        score: float | None = None,
        measurements: Mapping[str, float] | None = None,
        executed: Sequence[tuple[str, bool]] | None = None,
    ) -> None:
        """Record what happened in a trial; telling the same twice is harmless.

        Args:
            trial_id: Number of the trial.
            outcome: ``success``, ``failure``, ``refused``, ``unreached`` or ``aborted``. What the
                robot refused costs nothing, and the learner draws another candidate.
            at: The skill at which the approach failed, for ``unreached`` alone.
            score: Quality of the attempt; learners rank attempts with the same outcome by it.
            measurements: Named numbers such as a peak force.
            executed: Every execution on the approach, in order: the skill, and whether it
                succeeded. Without it each skill of the route was executed once, up to ``at``.

        Raises:
            TellError: It does not fit the trial, or something else was told before.
        """
        with self._writing() as state:
            record = record_of(state.records, trial_id, self.name)
            result = checked_result(record.trial, outcome, at, score, measurements, executed)
            if record.result is None:
                self._journal.append(self._row, self._last, [Told(record.trial.id, result)])
                self._journal.release(self._row, record.trial.id)
            elif record.result != result:
                raise TellError(
                    f"trial {record.trial.id}: it was told as {in_words(record.result)} before; "
                    f"what is told cannot be changed to {in_words(result)}."
                )

    def refund(self, trial_id: int) -> None:
        """Refund the cost of an aborted trial, once.

        Raises:
            TellError: It was not aborted, cost nothing, or was refunded before.
        """
        with self._writing() as state:
            record = record_of(state.records, trial_id, self.name)
            check_refund(record)
            self._journal.append(self._row, self._last, [Refunded(record.trial.id)])

    def extend(self, units: int) -> None:
        """Add units to the budget."""
        more = whole_number("units", units, 1, LARGEST_BUDGET)
        with self._writing() as state:
            whole_number("budget", state.ledger.budget + more, 0, LARGEST_BUDGET)
            self._journal.append(self._row, self._last, [Extended(more)])

    def record(self, executed: Executed) -> None:
        """Record the reward of the robot's own plan; this changes neither budget nor belief."""
        with self._writing():
            self._journal.append(self._row, self._last, [executed])

    def beginning(self) -> State:
        """The state before anything happened."""
        return State(self.task, self.settings, self._belief, self._learner, self.created)

    def history(self) -> Iterator[tuple[Event, State]]:
        """Each event with the state after it; the state is one object that changes."""
        state = self.beginning()
        for entry in self._journal.entries(self._row):
            state.apply(entry)
            yield entry.event, state

    @contextmanager
    def _writing(self) -> Iterator[State]:
        """A transaction on the present state, which is up to date again afterwards."""
        with self._journal.transaction():
            self._read()
            yield self._state
        self._read()  # perhaps also what others have asked meanwhile

    def _read(self) -> None:
        try:
            for entry in self._journal.entries(self._row, self._last):
                self._state.apply(entry)
                self._last = entry
        except BaseException:  # stopped in the middle of an event: read all of it anew
            self._forget()
            raise

    def _forget(self) -> None:
        """Read everything anew next time, from the journal alone."""
        self._state, self._last = self.beginning(), None

    def _write(self, events: Sequence[Event], asker: str) -> int:
        """Append what was asked, and note who has it."""
        number = len(self._state.records) + 1
        try:
            self._journal.append(self._row, self._last, events)
            self._journal.hold(self._row, number, asker)
        except BaseException:
            self._forget()  # the learner was asked for a candidate that nobody has
            raise
        return number

    def _offer_again(self, asker: str, takeover: bool, evaluate: str | None) -> Trial | None:
        """An open trial that this asker may have: its own, or of someone who is gone."""
        own, left_behind = self._open_for(asker, takeover)
        for trial in (*own, *left_behind):
            kind = self._state.records[trial.id].kind
            if evaluate is None or (trial.skill == evaluate and kind == "evaluation"):
                if trial not in own:
                    self._journal.hold(self._row, trial.id, asker)
                return trial
            if trial in own:
                raise ArgumentError(
                    f"evaluate: trial {trial.id} ({trial.skill}) is still open; tell it first."
                )
        return None

    def _open_for(self, asker: str, takeover: bool = False) -> tuple[list[Trial], list[Trial]]:
        """Open trials of this asker, and those that it may have because their asker is gone."""
        holders = self._journal.holders(self._row)
        own, left_behind = list[Trial](), list[Trial]()
        for record in self._state.open_trials:
            holder = holders.get(record.trial.id)
            if holder == asker:
                own.append(record.trial)
            elif holder is None or takeover or is_gone(holder):
                left_behind.append(record.trial)
        return own, left_behind


def _goes_on(state: State, most: int) -> bool:
    """Whether the next trial belongs to a group of ``most`` that has begun."""
    test = due(state)
    return bool(test.asked % most if test else state.granted and state.issued % most)
