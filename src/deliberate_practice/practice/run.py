"""The one verb: practise a task on a robot until the budget is spent."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from deliberate_practice.foundation.checks import LARGEST_BUDGET, whole_number
from deliberate_practice.foundation.command_line import command, journal_option
from deliberate_practice.foundation.database import checked_path
from deliberate_practice.foundation.errors import ArgumentError, shown
from deliberate_practice.foundation.registry import recorded
from deliberate_practice.learners.registry import LEARNER
from deliberate_practice.practice.domain import (
    Domain,
    Scene,
    opened_robot,
    practised_task,
    scene_of,
)
from deliberate_practice.practice.earning import EXECUTIONS, measure
from deliberate_practice.practice.journal.journal import Journal, NameTaken
from deliberate_practice.practice.journal.rows import JOURNAL
from deliberate_practice.practice.loop import Progress, practise
from deliberate_practice.practice.robot import ROBOTS, EarningRobot, Result, Robot, Trial
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.practice.showing.summary import Summary, summary
from deliberate_practice.practice.sinks import Sink
from deliberate_practice.practice.testing import is_under_way
from deliberate_practice.task.experience import Experience, load_experience
from deliberate_practice.task.model import Task
from deliberate_practice.task.seconds import in_units_of
from deliberate_practice.task.toml_writer import task_to_toml

if TYPE_CHECKING:
    from deliberate_practice.beliefs.belief import MakeBelief
    from deliberate_practice.learners.registry import MakeLearner
    from deliberate_practice.strategies.strategy import Strategy

Stage = Literal["before", "practice", "after"]
Stages = Callable[[Session, Stage], AbstractContextManager[object]]
"""Called at the beginning of each stage: executions before practice, practice, executions after."""

DEFAULTS: Mapping[str, Any] = {
    "strategy": "deliberate",
    "belief": "bayes",
    "learner": LEARNER,
    "approach": "execute",
    "seed": 0,
}
"""Defaults of a new session."""


def run(
    task: Task | Domain | str | Path,
    robot: Robot | str | None,
    budget: int | None = None,
    *,
    strategy: str | Strategy | None = None,
    belief: str | MakeBelief | None = None,
    learner: str | MakeLearner | None = None,
    approach: Literal["execute", "free"] | None = None,
    seed: int | None = None,
    journal: str | Path | None = "deliberate.db",
    name: str | None = None,
    parameters: Mapping[str, float | str] | None = None,
    experience: Experience | str | Path | None = None,
    resume: bool = False,
    sinks: Sequence[str | Sink] = (),
    progress: Progress[Session] | None = None,
    stages: Stages | None = None,
    executions: int = EXECUTIONS,
    point_executions: int | None = None,
    every: int | None = None,
    threads: int = 1,
) -> Summary:
    """Practise a task on a robot until the budget is spent or nothing is worth practising.

    Every episode is in the journal before anything else happens with it. With ``resume=True`` a
    stopped run goes on as if it had never stopped.

    >>> done = run("breakfast", "curves", 30, approach="free", journal=None)
    >>> done.goal, done.spent
    ('toast', 30)

    Args:
        task: A task, taken as it is; or a domain, its name or the path of a task file, practised
            with the parameters of the robot's scene and the priors measured there with the learner.
        robot: A robot, or a registered name, which may carry options. None means the session's own
            robot when it is resumed, and ``curves`` otherwise.
        budget: Budget units; may be left out when a session is resumed.
        strategy: Chooses the policy to practise next: a registered name, which may carry options,
            or a function (``deliberate``).
        belief: Predicts learning curves, likewise (``bayes``).
        learner: Improves a policy, likewise (``cma-es``).
        approach: ``execute`` the skills that lead to a precondition, or start there (``free``).
        seed: Seed of everything random (0).
        journal: The file that keeps the session; None keeps nothing.
        name: Name of the session; by default the task's name and a number.
        parameters: Parameters of a domain's task or a task file, e.g. ``{"rate": 0.02}``.
        experience: Priors learned from earlier sessions, or their file; a session that is resumed
            keeps its own.
        resume: Go on with the session of that name if there is one.
        sinks: What sees every event of a new session besides its journal: functions, or names.
        progress: Called after every trial.
        stages: Called with the session and the stage that begins; returns a context for that time.
        executions: Executions of the robot's own plan after practice, if its reward is not exact.
        point_executions: The same before and during practice; by default as many as afterwards.
        every: Budget units between two measurements during practice; none by default.
        threads: Processors that a simulated robot may use; results do not depend on it.

    Returns:
        A summary of the session.

    Raises:
        ArgumentError: Something makes no sense, or differs from the session that is resumed.
        PartFailed: The robot, strategy, belief or learner raised an exception; the journal keeps
            every trial that was told.
    """
    choices = {
        "strategy": strategy,
        "belief": belief,
        "learner": learner,
        "approach": approach,
        "seed": seed,
    }
    given: dict[str, Any] = {key: value for key, value in choices.items() if value is not None}
    counts = {"executions": executions, "point_executions": point_executions, "every": every}
    for key, count in counts.items():
        if count is not None:
            whole_number(key, count, 1, LARGEST_BUDGET)
    if resume and (name is None or journal is None):
        raise ArgumentError(
            "resume: say which session, with its name (--name NAME) and its journal."
        )
    with ExitStack() as stack:
        if journal is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="deliberate-"))
            path = Path(folder) / "session.db"
        else:
            path = Path(journal)
        session = _known(path, str(name), given) if resume else None
        if session:
            stack.enter_context(session)
            robot = robot or _robot_of(session, path)
        robot = robot or "curves"
        if isinstance(robot, type):
            raise ArgumentError(
                f"robot: {robot.__name__} is a class; give a robot, e.g. {robot.__name__}()."
            )
        seeded, taught = (
            (session.settings.seed, session.settings.learner)
            if session
            else (given.get("seed", 0), given.get("learner", LEARNER))
        )
        described = practised_task(task, robot, learner=taught, **(parameters or {}))
        if session:
            described = in_units_of(session.task, described)
        if isinstance(experience, str | Path):
            experience = load_experience(experience)
        if experience or session:
            described = described.with_experience(
                experience or (session.task.experience if session else None)
            )
        scene = scene_of(described, robot)
        body = (
            stack.enter_context(opened_robot(robot, described, seeded, threads=threads))
            if isinstance(robot, str)
            else robot
        )
        if session:
            _check_same(session, described, scene, {**given, "robot": robot}, budget, path)
        else:
            settings = {
                **DEFAULTS,
                **given,
                "robot": robot,
                "scene": scene.description() if scene else "",
                "lasting": journal is not None,
                "sinks": sinks,
            }
            session = _start(path, name, described, budget, settings, resume=resume)
            stack.enter_context(session)
        others = point_executions or executions
        stages = stages or (lambda session, stage: nullcontext())
        _go_on(session, body, executions, others, every, progress, stages)
        return summary(session)


def _go_on(
    session: Session,
    robot: Robot,
    last: int,
    others: int,
    every: int | None,
    progress: Progress[Session] | None,
    stages: Stages,
) -> None:
    """Practise, and measure the reward of the robot's own plan before, meanwhile and afterwards.

    Args:
        session: The session.
        robot: Its robot.
        last: Executions after practice.
        others: Executions of every other measurement.
        every: Budget units between two measurements; None for none.
        progress: Called after every trial.
        stages: Called at the beginning of every stage.
    """

    def earn(executions: int) -> None:
        if isinstance(robot, EarningRobot):
            measure(session, robot, executions)

    def look(session: Session, trial: Trial, result: Result) -> None:
        if progress:
            progress(session, trial, result)
        if _is_due(session, every):
            earn(others)

    with stages(session, "before"):
        if not session.state.settled or _is_due(session, every):  # due when it was stopped
            earn(others)
    with stages(session, "practice"):
        practise(session, robot, look)
    with stages(session, "after"):
        if not session.state.open_trials:
            earn(last)


def _is_due(session: Session, every: int | None) -> bool:
    """Whether to measure now; skills that cost more than 1 may step over the budget of a point.

    The plan before a round's tests are all told would rest on a part of them.
    """
    if not every:
        return False
    state = session.state
    last = state.executions[-1].spent if state.executions else 0
    between = max(1, every * -(-state.ledger.budget // (10 * every)))
    return state.settled // between > last // between and not is_under_way(state)


def _known(journal: Path, name: str, given: Mapping[str, Any]) -> Session | None:
    """The session to resume, if there is one."""
    if not checked_path(JOURNAL, journal).exists():
        return None
    with closing(Journal(journal, create=True)) as known:
        if name not in known.names():
            return None
    parts = {
        key: value
        for key, value in given.items()
        if key in ("strategy", "belief", "learner") and not isinstance(value, str)
    }
    return open_session(journal, name, **parts)


def _robot_of(session: Session, journal: Path) -> str:
    """The name of the robot that a session was started with."""
    if session.settings.robot is None:
        raise ArgumentError(
            f"resume: session '{session.name}' is for a robot of your own; go on with: "
            f"{command('ask', session.name)}{journal_option(journal)}"
        )
    ROBOTS.resolve(session.settings.robot)  # one that has no name must be given again
    return session.settings.robot


def _start(
    journal: Path,
    name: str | None,
    task: Task,
    budget: int | None,
    settings: Mapping[str, Any],
    *,
    resume: bool,
) -> Session:
    """A new session; without a name, under the first number that is free."""
    if budget is None:
        if not resume:
            raise ArgumentError("budget: give the budget units to spend, e.g. 150 (--budget 150).")
        raise ArgumentError(
            f"resume: there is no session '{name}' in {journal}. With a budget (--budget N) it is "
            f"started. See all sessions: {command('sessions')}{journal_option(journal)}"
        )
    number = 1
    while True:
        chosen = f"{task.name.replace('/', '-')}-{number}" if name is None else name
        try:
            return start_session(journal, chosen, task, budget, **settings)
        except NameTaken:
            if resume:  # another process was faster
                return open_session(journal, chosen)
            if name is not None:
                raise
            number += 1


def _check_same(
    session: Session,
    task: Task,
    scene: Scene | None,
    given: Mapping[str, Any],
    budget: int | None,
    journal: Path,
) -> None:
    """Refuse to go on with a session under other conditions than it was started with."""
    settings = session.settings
    for key, value in given.items():  # robot and scene come first: the task depends on them
        before, now = getattr(settings, key), value if key == "seed" else recorded(value)
        if now != before:
            raise ArgumentError(
                f"{key}: {shown(now)} differs from {shown(before)}, with which session "
                f"'{session.name}' was started; leave it out, or choose another name (--name)."
            )
    here = scene.description() if scene else ""
    if scene and settings.scene and here not in ("", settings.scene):
        raise ArgumentError(
            f"resume: session '{session.name}' was started with {settings.scene}, and now there is "
            f"{here}; make it as it was, or choose another name (--name). {scene.choice}"
        )
    if task_to_toml(session.task) != task_to_toml(task):
        raise ArgumentError(
            f"resume: session '{session.name}' was started on another task "
            f"('{session.task.name}', or other values of its parameters); name that task as "
            "before (TASK, --set), or choose another name (--name)."
        )
    if budget is not None and budget not in (settings.budget, session.state.ledger.budget):
        raise ArgumentError(
            f"budget: {shown(budget)} differs from {session.state.ledger.budget}, the budget of "
            f"session '{session.name}'; leave it out, or choose another name (--name). More "
            f"budget: {command('extend', session.name)} --budget UNITS{journal_option(journal)}"
        )
