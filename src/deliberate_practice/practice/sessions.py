"""Start a session, or go on with one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from deliberate_practice.beliefs.belief import BELIEFS
from deliberate_practice.foundation.checks import check_flag, check_name
from deliberate_practice.foundation.errors import ArgumentError, shown
from deliberate_practice.learners.registry import LEARNERS
from deliberate_practice.practice.arguments import checked_settings, needed_part
from deliberate_practice.practice.journal.journal import Journal
from deliberate_practice.practice.journal.rows import TRIAL_SECONDS
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sinks import Sink, checked_sinks
from deliberate_practice.task.model import Task

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
    trial_seconds: float = TRIAL_SECONDS,
    gate: Literal["never", "abort", "always"] = "never",
    until: datetime | None = None,
    sinks: Sequence[str | Sink] = (),
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
        trial_seconds: After this time an open trial passes to another asker, if one asks [s].
        gate: When a trial is handed out only after somebody has said Ready: ``never``, after an
            ``abort`` of the asking robot, or ``always``.
        until: When practice ends, with a time zone. The budget is then time: units are seconds,
            and what is left is read off the clock whenever a trial is asked for.
        sinks: What sees every event besides the journal: functions, or registered names, which
            later processes of the session use too.
        lasting: False only if the journal is thrown away afterwards; nothing is synced then.

    Raises:
        JournalError: The name is taken (:class:`NameTaken`), or the journal cannot be written.
        ArgumentError: An argument makes no sense.
    """
    from deliberate_practice.mdp.grounding import ground  # only here: a session that goes on
    from deliberate_practice.strategies.strategy import STRATEGIES  # mostly does without them
    from deliberate_practice.task.toml_writer import task_to_toml

    outlets = checked_sinks(sinks)
    settings = checked_settings(
        budget,
        strategy,
        belief,
        learner,
        seed,
        approach,
        robot,
        scene,
        trial_seconds,
        gate,
        until,
        outlets,
    )
    check_name("name", name, "monday")
    if "/" in name:  # older journals may hold such sessions: they are still opened
        raise ArgumentError(
            f"name: {shown(name)} contains '/', which would end the name in the addresses of the "
            f"service; write e.g. {shown(name.replace('/', '-'))}."
        )
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
        return Session(journal, record, strategy, belief, learner, outlets)
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
    sinks: Sequence[Sink] = (),
) -> Session:
    """Go on with a session.

    Args:
        db: The journal's file.
        name: The session.
        strategy, belief, learner: Needed if it was started with one that has no name.
        sinks: Functions that see every event, besides the sinks that it was started with.

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
        needed_part(BELIEFS, belief or settings.belief)
        needed_part(LEARNERS, learner or settings.learner)
        return Session(
            journal,
            record,
            strategy or settings.strategy,
            belief or settings.belief,
            learner or settings.learner,
            [*settings.sinks, *checked_sinks(sinks)],
        )
    except BaseException:
        journal.close()
        raise


def session_names(db: str | Path) -> list[str]:
    """Names of the sessions of a journal.

    Raises:
        JournalError: There is no such journal.
    """
    with closing(Journal(db)) as journal:
        return journal.names()


def delete_session(db: str | Path, name: str) -> None:
    """Remove a session and all its trials from its journal, for ever.

    Raises:
        JournalError: There is no such journal or session.
    """
    check_name("name", name, "monday")
    with closing(Journal(db)) as journal, journal.transaction():
        journal.remove(journal.session(name))
