"""A practice session by ask and tell, with a journal that loses nothing.

Ask and tell from any number of processes; each is a transaction on the journal. The state of a
session is the replay of its journal, so a killed process goes on as if nothing had happened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from deliberate_practice.foundation import clock
from deliberate_practice.foundation.checks import check_flag, check_name
from deliberate_practice.foundation.command_line import command, journal_option
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.practice.asking import evaluation, goes_on, practice, probe as probe_of
from deliberate_practice.practice.curriculum import Curriculum
from deliberate_practice.practice.journal.events import (
    Asked,
    Clocked,
    Event,
    Executed,
    Handed,
    Noted,
    Told,
)
from deliberate_practice.practice.journal.journal import Journal
from deliberate_practice.practice.journal.rows import SessionRecord
from deliberate_practice.practice.kept_state import Kept
from deliberate_practice.practice.operating.askers import checked_asker, is_gone, robot_name
from deliberate_practice.practice.operating.idle import Idle, idle, stopped
from deliberate_practice.practice.operating.operator import Operated, who
from deliberate_practice.practice.operating.ready import waits_for_ready
from deliberate_practice.practice.operating.timing import reading, supposing
from deliberate_practice.practice.records import TrialRecord
from deliberate_practice.practice.robot import Result, Trial
from deliberate_practice.practice.showing.explained import Explained
from deliberate_practice.practice.sinks import Sink
from deliberate_practice.practice.telling import (
    ToldOtherwise,
    checked_result,
    checked_version,
    in_words,
    record_of,
)

if TYPE_CHECKING:
    from deliberate_practice.beliefs.belief import MakeBelief
    from deliberate_practice.learners.registry import MakeLearner
    from deliberate_practice.strategies.strategy import Strategy


class Session(Kept, Operated, Explained):
    """One session of a journal; made by :func:`start_session` and :func:`open_session`."""

    def __init__(
        self,
        journal: Journal,
        record: SessionRecord,
        strategy: str | Strategy,
        belief: str | MakeBelief,
        learner: str | MakeLearner,
        sinks: Sequence[str | Sink] = (),
    ) -> None:
        super().__init__(journal, record, belief, learner, sinks)
        self._strategy = strategy
        self._curriculum = Curriculum(self.task, free=record.settings.approach == "free")
        self._idle: tuple[int, Idle] | None = None

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the journal; everything is saved already."""
        self._journal.close()

    def prepare(self) -> None:
        """Ground the task and list its plans, so that the first ask need not wait for it."""
        self._curriculum.prepare()

    @property
    def ground(self) -> GroundTask:
        """The task as a sparse MDP."""
        return self._curriculum.ground

    @property
    def idle(self) -> Idle | None:
        """Why the last ask found no trial; None if it found one, or something has changed since."""
        length, found = self._idle or (-1, None)
        return found if length == self.state.length else None

    @property
    def done(self) -> bool:
        """Whether the last ask found nothing more to do, and nothing has changed since."""
        return self.idle is not None and self.idle.state == "done"

    def ask(
        self,
        *,
        evaluate: str | None = None,
        asker: str | None = None,
        takeover: bool = False,
        probe: bool = False,
    ) -> Trial | None:
        """The next trial to run.

        A trial that this asker got and did not tell is offered again, and so is one whose asker's
        process is gone. Then come tests of a round, if the belief asks for them. Otherwise the
        strategy decides, unless the last decision has granted more.

        Args:
            evaluate: A skill to execute as deployed, as an evaluation that costs nothing.
            asker: Who asks; by default this thread of this process.
            takeover: Offer also open trials of living askers; use it only if they have given up.
            probe: Execute the whole present plan as deployed, to see how its skills work together;
                this costs an episode.

        Returns:
            The trial; None if there is none, and :attr:`idle` says why: to wait, because all that
            could be practised now waits for trials of others; paused; or done.

        Raises:
            PartFailed: The robot refused too many candidates of one policy in a row.
        """
        asker = checked_asker(asker)
        check_flag("takeover", takeover)
        check_flag("probe", probe)
        if probe and evaluate is not None:
            raise ArgumentError("ask: evaluate a skill, or probe the plan; not both.")
        if evaluate is not None:
            check_name("evaluate", evaluate, self.task.skills[0].name)
        self._idle = None
        with self._writing() as state:
            found = stopped(state)
            if found:
                self._idle = state.length, found
                return None
            again = self._offer_again(asker, takeover, evaluate, probe)
            number = again.id if again else 0
            if not again:
                robot = robot_name(asker)
                if probe:
                    events = self._made(robot, lambda: probe_of(state, self._curriculum, robot))
                elif evaluate is not None:
                    events = self._made(
                        robot, lambda: evaluation(state, self._curriculum, evaluate)
                    )
                else:
                    events = self._practice(robot)
                if not events:
                    return None
                number = self._write(events, asker)
        return self._gated(self._state.records[number].trial, asker)

    def ask_together(self, most: int, asker: str | None = None) -> list[Trial]:
        """The next trials that can be run side by side: at most so many, of one decision or test.

        Trials that this asker got and did not tell, or whose asker is gone, come first. Attempts
        and tests are asked for in groups of ``most``: a killed process goes on with its group,
        which is complete as soon as one of its trials was told.
        """
        asker = checked_asker(asker)
        with self._writing() as state:
            own, left_behind = ([], []) if stopped(state) else self._open_for(asker)
            trials = [*own, *left_behind][:most]
            self._hand(trials[len(own) :], asker)
        if any(self._gated(trial, asker) is None for trial in trials):
            return []
        if trials and not (self._last and isinstance(self._last.event, Asked)):
            return trials
        if not trials:
            first = self.ask(asker=asker)
            trials = [first] if first else []
        while 0 < len(trials) < most and goes_on(self.state, most):
            with self._writing() as state:
                if not goes_on(state, most):  # another asker was faster
                    break
                events = self._practice(robot_name(asker))
                if not events:
                    break
                number = self._write(events, asker)
            trials.append(self._state.records[number].trial)
        return [trial for trial in trials if self._gated(trial, asker)]

    def tell(
        self,
        trial_id: int,
        outcome: str,
        at: str | None = None,
        score: float | None = None,
        measurements: Mapping[str, float] | None = None,
        executed: Sequence[tuple[str, bool]] | None = None,
        *,
        by: str | None = None,
        robot: str | None = None,
        version: str | None = None,
    ) -> None:
        """Record what happened in a trial; telling the same twice is harmless.

        If the trial has passed to another asker, the first answer counts; a later one that differs
        is kept as a note.

        Args:
            trial_id: Number of the trial.
            outcome: ``success``, ``failure``, ``refused``, ``unreached``, ``aborted`` or
                ``assisted``. What the robot refused costs nothing, and the learner draws another
                candidate. Of a demonstration ``success`` means recorded, ``failure`` unusable; of
                a training run ``failure`` means that the old version stays.
            at: The skill at which the approach failed, for ``unreached`` alone.
            score: Quality of the attempt; learners rank attempts with the same outcome by it.
            measurements: Named numbers such as a peak force.
            executed: Every execution on the approach, in order: the skill, and whether it
                succeeded. Without it each skill of the route was executed once, up to ``at``.
            by: Who labelled it.
            robot: The robot that ran it; by default the asker that has it, if it has a name.
            version: The name of what a training run made.

        Raises:
            TellError: It does not fit the trial, or something else was told before.
        """
        by = who(by)
        with self._writing() as state:
            record = record_of(state.records, trial_id, self.name)
            result = checked_result(record.trial, outcome, at, score, measurements, executed)
            if record.result is None:
                robot = robot or robot_name(self.holders().get(record.trial.id))
                version = checked_version(record.trial, version)
                self._append(Told(record.trial.id, result, by, robot, version))
                self._journal.release(self._row, record.trial.id)
            elif result not in (record.result, record.corrected):
                self._refuse_or_note(record, record.result, result, by)

    def record(self, executed: Executed) -> None:
        """Record the reward of the robot's own plan; this changes neither budget nor belief."""
        with self._writing():
            self._append(executed)

    def _refuse_or_note(
        self, record: TrialRecord, first: Result, later: Result, by: str | None
    ) -> None:
        """Another answer than the first one: a note if another asker may have given it."""
        number = record.trial.id
        if record.passed:
            note = f"a later answer, which does not count: {in_words(later)}"
            if note not in record.notes:
                self._append(Noted(note, number, by))
            return
        raise ToldOtherwise(
            f"trial {number}: it was told as {in_words(first)} before, and now as "
            f"{in_words(later)}. If the first label is wrong, correct it: "
            f"{command('correct', self.name, number, later.outcome)}"
            f"{journal_option(self._journal.path)}"
        )

    def _write(self, events: Sequence[Event], asker: str) -> int:
        """Append what was asked, and note who has it."""
        number = len(self._state.records) + 1
        try:
            self._append(*events)
            self._journal.hold(self._row, number, asker)
        except BaseException:
            self._forget()  # the learner was asked for a candidate that nobody has
            raise
        return number

    def _offer_again(
        self, asker: str, takeover: bool, evaluate: str | None, probe: bool
    ) -> Trial | None:
        """An open trial that this asker may have: its own, or of someone who is gone."""
        own, left_behind = self._open_for(asker, takeover)
        for trial in (*own, *left_behind):
            kind = self._state.records[trial.id].kind
            evaluated = trial.skill == evaluate and kind == "evaluation"
            if not (evaluate or probe) or evaluated or (probe and kind == "probe"):
                if trial not in own:
                    self._hand([trial], asker)
                return trial
            if trial in own:
                wanted = "probe" if probe else "evaluate"
                raise ArgumentError(
                    f"{wanted}: trial {trial.id} ({trial.skill}) is still open; tell it first."
                )
        return None

    def _open_for(self, asker: str, takeover: bool = False) -> tuple[list[Trial], list[Trial]]:
        """Open trials of this asker, and those that it may have.

        Those are trials whose asker is gone, and trials that are open for too long. A training run
        may take hours, so it passes to nobody while its asker may be alive. What would execute a
        blocked skill waits.
        """
        holders = self.holders()
        own, left_behind = list[Trial](), list[Trial]()
        late = clock.now() - timedelta(seconds=self.settings.trial_seconds)
        for record in self._state.open_trials:
            if self._state.operation.blocked_in(record.trial):
                continue
            holder = holders.get(record.trial.id)
            forgotten = record.handed < late and record.trial.mode != "train"
            if holder == asker:
                own.append(record.trial)
            elif holder is None or takeover or forgotten or is_gone(holder):
                left_behind.append(record.trial)
        return own, left_behind

    def _practice(self, robot: str | None) -> list[Event]:
        """The next trial for practice, in a transaction; nothing if there is none."""
        return self._made(
            robot, lambda: practice(self._state, self._curriculum, self._strategy, robot)
        )

    def _made(self, robot: str | None, make: Callable[[], list[Event]]) -> list[Event]:
        """What is asked next, in a transaction; nothing, and why, if there is no trial.

        If the budget is time, the clock is read first. The journal keeps a reading with the trial
        that follows. Without one it keeps the first reading after something has happened, and that
        with which the session is done: robots that wait for hours write nothing.
        """
        read = reading(self._state, robot)
        with supposing(self._state, read):
            events = make()
            found = None if events else idle(self._state)
        if found is None:
            return [read, *events] if read else events
        last = self._last.event if self._last else None
        if read and read != last and (found.state == "done" or not isinstance(last, Clocked)):
            self._append(read)
            self._read()
        self._idle = self._state.length, found
        return []

    def holders(self) -> dict[int, str]:
        """The asker of each open trial."""
        return self._journal.holders(self._row)

    def _gated(self, trial: Trial, asker: str) -> Trial | None:
        """The trial, unless it waits until somebody says Ready."""
        state = self._state
        if not waits_for_ready(state, state.records[trial.id], asker):
            return trial
        ready = command("ready", self.name) + journal_option(self._journal.path)
        reason = f"trial {trial.id} waits for Ready: say it with {ready}, or on the page"
        self._idle = state.length, Idle("wait", reason, trial.id)
        return None

    def _hand(self, trials: Sequence[Trial], asker: str) -> None:
        """Hand open trials to another asker.

        The journal says so if the one before may answer, or if its scene was set for another robot.
        A robot without a name that asks from another process is the same one.
        """
        holders, noted = self.holders(), []
        for trial in trials:
            before = holders.get(trial.id)
            another = robot_name(before) != robot_name(asker)
            if (another and self._state.records[trial.id].ready) or (
                before and not is_gone(before)
            ):
                noted.append(trial.id)
        if noted:
            self._append(*(Handed(number, asker) for number in noted))
        for trial in trials:
            self._journal.hold(self._row, trial.id, asker)
