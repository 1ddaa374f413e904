"""``deliberate run``: practise on a robot by name, and watch it learn."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from deliberate_practice.cli import options
from deliberate_practice.cli.film import check_files, film_options, film_run
from deliberate_practice.cli.output import print_json, say, stopped
from deliberate_practice.cli.progress import LiveProgress, watched
from deliberate_practice.cli.session_options import (
    EXECUTIONS,
    choice_options,
    db_option,
    executions_option,
)
from deliberate_practice.foundation.command_line import command, journal_option
from deliberate_practice.foundation.errors import ArgumentError, PartFailed

if TYPE_CHECKING:
    from deliberate_practice.practice.run import Stage
    from deliberate_practice.practice.session import Session


@click.command("run")
@options.budget_options
@options.part_option(
    "robot",
    "The robot that practises. curves: skills succeed by their true curves; regions: parameters "
    "must hit hidden regions; mujoco: simulated Pandas, for domains with a scene",
    "curves",
)
@choice_options
@executions_option
@click.option("--name", help="Name of the session; by default the task's name and a number.")
@film_options
@click.option("--watch", is_flag=True, help="Show the plan after practice live, in a window.")
@options.experience_option
@click.option("--resume", is_flag=True, help="Go on with the session if it exists.")
@db_option
@options.task_options
def run_command(
    task: str,
    parameters: tuple[str, ...],
    max_states: int | None,
    output: str,
    budget: int | None,
    hours: float | None,
    episode_seconds: float | None,
    name: str | None,
    experience: Path | None,
    resume: bool,
    video: Path | None,
    picture: Path | None,
    quality: Literal["full", "fast"],
    watch: bool,
    executions: int,
    db: Path,
    **choices: Any,
) -> None:
    """Practise TASK on a simulated robot. The session ends when its budget is spent.

    Every episode is saved as it happens. Stop with Ctrl-C at any time, and go on with --resume.

    \b
    Examples:
      deliberate run breakfast --budget 60 --approach free
      deliberate run cleanup --budget 150 --strategy ees --seed 3 --name ees-3
      deliberate run cleanup --name ees-3 --resume
      deliberate run cleanup --budget 150 --robot mujoco --approach free --video robot.mp4
      deliberate run breakfast --budget 60 --belief running-average:eps=0.8 --learner cma-es-paper
      deliberate run my_task.toml --budget 150 --experience experience.toml
      deliberate run my_task.toml --hours 8 --episode-seconds 90 --format json
    """
    from deliberate_practice.practice.run import run

    if resume and not name:
        raise ArgumentError("--resume: say which session, with --name NAME.")
    units, practised = None, None
    if not resume or budget is not None or hours is not None:
        from deliberate_practice.cli.budgets import budget_of

        described = options.load_for(choices["robot"], choices["learner"], task, parameters)
        with options.naming(task):
            timed, units, end = budget_of(described, budget, hours, episode_seconds, None)
        practised = timed if end else None  # simulated robots take the stated time
    stated = options.load(task, parameters)
    options.warn(options.grounded(task, stated, max_states).task)  # faults name the task's file
    filmed = bool(video or picture or watch)
    check_files(video, picture)
    if filmed and not resume:
        _check_robot(choices["robot"] or "curves", choices["learner"], task, parameters)
    shown = _Shown()
    try:
        done = run(
            practised or task,
            budget=units,
            journal=db,
            name=name,
            parameters=None if practised else options.task_parameters(parameters),
            resume=resume,
            experience=experience,
            progress=shown.told,
            stages=shown.stage,
            executions=executions,
            threads=os.cpu_count() or 1,
            **choices,
        )
        said = film_run(db, done.name, video, picture, quality, watch=watch) if filmed else None
    except (KeyboardInterrupt, PartFailed) as error:
        if shown.session is None:
            raise
        words = [word for text in parameters for word in ("--set", text)]
        words += ["--name", shown.session.name, "--resume"]
        words += ["--executions", str(executions)] if executions != EXECUTIONS else []
        words += ["--video", str(video)] if video else []
        words += ["--picture", str(picture)] if picture else []
        words += ["--video-quality", quality] if quality != "full" else []
        going_on = (
            f"all {shown.count} episodes are kept. Go on with: "
            f"{command('run', task, *words)}{journal_option(db)}"
        )
        if isinstance(error, PartFailed):
            raise PartFailed(f"{str(error).rstrip('.')}; {going_on}") from error
        raise stopped(going_on) from None
    from deliberate_practice.cli.show import part_of_budget, print_summary

    if done.open:
        click.echo(
            f"deliberate: open trials of other askers: {done.open}; "
            f"{command('robots', done.name)}{journal_option(db)} lists them. Go on with --resume "
            "when they are told.",
            err=True,
        )
    elif done.spent < done.budget and done.state == "active" and not done.blocked:
        click.echo(
            f"deliberate: left over: {part_of_budget(done, done.budget - done.spent)}; "
            "nothing more is worth practising, or can be paid for.",
            err=True,
        )
    if said:
        click.echo(said, err=output == "json")
    if output == "json":
        print_json(done.as_data())
    else:
        print_summary(done)
        say(f"journal {command('show', done.name)}{journal_option(db)}")


class _Shown:
    """Shows the progress of a run, and remembers its session in case it is stopped."""

    def __init__(self) -> None:
        self.session: Session | None = None
        self.count = 0
        self._live: LiveProgress | None = None

    def told(self, session: Session, *trial_and_result: Any) -> None:
        """After every trial."""
        self.count += 1
        if self._live:
            self._live(session, *trial_and_result)

    @contextmanager
    def stage(self, session: Session, stage: Stage) -> Iterator[None]:
        """While the plan is executed, and while the robot practises."""
        self.session = session
        if stage == "practice":
            self.count = sum(record.result is not None for record in session.trials())
            with LiveProgress(session) as self._live:
                yield
            return
        when = "as it is before practice" if stage == "before" else "after practice"
        with watched(f"executing the plan {when}"):
            yield


def _check_robot(robot: str, learner: str | None, task: str, parameters: tuple[str, ...]) -> None:
    """Refuse a robot that cannot be filmed before it practises."""
    from deliberate_practice.practice.domain import opened_robot
    from deliberate_practice.robots.filming import UNSEEN

    described = options.load_for(robot, learner, task, parameters)
    with opened_robot(robot, described, 0) as body:
        if not hasattr(body, "film"):
            raise ArgumentError(f"--video, --picture, --watch: {UNSEEN.format(robot)}")
