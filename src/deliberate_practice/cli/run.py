"""``deliberate run``: practise on a simulated robot, and watch it learn."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from deliberate_practice.cli import options
from deliberate_practice.cli.output import print_json, say
from deliberate_practice.cli.progress import live_progress, watched
from deliberate_practice.cli.session_options import (
    choice_options,
    db_option,
    journal_option,
    summary,
)
from deliberate_practice.foundation.command_line import command
from deliberate_practice.foundation.errors import ArgumentError, PartFailed

if TYPE_CHECKING:
    from deliberate_practice.practice.session import Session
    from deliberate_practice.task.model import Task


@click.command("run")
@options.budget_options
@click.option(
    "--robot",
    default="curves",
    metavar="[curves|regions|mujoco]",
    help="curves: skills succeed by their true curves (default). regions: parameters must hit "
    "hidden regions. mujoco: simulated Pandas, for cleanup, cleanup-multi and breakfast.",
)
@choice_options
@click.option("--name", help="What to call the session; by default the task's name and a number.")
@click.option(
    "--video",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Film what the robot would do after practice (mp4); with --robot mujoco.",
)
@click.option(
    "--picture",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A still of the same (png).",
)
@click.option("--watch", is_flag=True, help="Show the same live, in a window.")
@click.option("--resume", is_flag=True, help="Go on with the session if there is one already.")
@db_option
@options.task_options
@click.pass_context
def run_command(
    ctx: click.Context,
    /,
    task: str,
    parameters: tuple[str, ...],
    max_states: int | None,
    output: str,
    budget: int | None,
    hours: float | None,
    episode_seconds: float | None,
    name: str | None,
    resume: bool,
    video: Path | None,
    picture: Path | None,
    watch: bool,
    db: Path,
    **choices: Any,
) -> None:
    """Practise TASK on a simulated robot until the budget is spent.

    Every episode is saved as it happens: stop with Ctrl-C at any time, and go on with --resume.

    \b
    Examples:
      deliberate run breakfast --budget 60 --approach free
      deliberate run cleanup --budget 150 --strategy ees --seed 3 --name ees-3
      deliberate run cleanup --name ees-3 --resume
      deliberate run cleanup --budget 150 --robot mujoco --approach free --video robot.mp4
      deliberate run breakfast --budget 60 --robot mujoco --picture breakfast.png
      deliberate run my_task.toml --hours 8 --episode-seconds 90 --format json
    """
    from deliberate_practice.domains.robots import make_robot
    from deliberate_practice.practice.loop import practise
    from deliberate_practice.practice.measuring import PhysicalRobot, measure

    if resume and not name:
        raise ArgumentError("--resume: say which session, with --name NAME.")
    session = _known(db, str(name)) if resume else None
    given = {
        key: value
        for key, value in choices.items()
        if ctx.get_parameter_source(key) is not ParameterSource.DEFAULT
    }
    if resume and not session and budget is None and hours is None:
        raise ArgumentError(
            f"--resume: there is no session '{name}' in {db}. With --budget N it is started. See "
            f"all sessions: {command('sessions')}{journal_option(db)}"
        )
    if session and session.settings.robot is None:
        raise ArgumentError(
            f"--resume: session '{name}' is for a robot of your own; go on with: "
            f"{command('ask', name)}{journal_option(db)}"
        )
    if session and "robot" not in given:
        choices["robot"] = session.settings.robot
    described = options.load_for(choices["robot"], task, parameters)
    grounded = options.grounded(task, described, max_states).task  # faults name the task's file
    options.warn(grounded)
    make_robot(choices["robot"], described, choices["seed"])  # what it cannot do is refused first
    if (video or picture or watch) and choices["robot"] != "mujoco":
        raise ArgumentError("--video, --picture, --watch: only --robot mujoco can be seen.")
    if video and video.suffix != ".mp4":
        raise ArgumentError(f"--video: '{video}' is not valid; give a name that ends in .mp4.")
    options.check_folder("--video", video)
    options.check_folder("--picture", picture)
    if session:
        if budget is not None or hours is not None:
            given["budget"] = options.episodes("--budget", budget, hours, episode_seconds)
        _check_same(session, described, given, db)
    else:
        units = options.episodes("--budget", budget, hours, episode_seconds)
        session = _start(db, name, described, units, choices, resume=resume)
    with session:
        settings = session.settings
        cores = os.cpu_count() or 1
        robot = make_robot(str(settings.robot), session.task, settings.seed, threads=cores)
        try:
            if isinstance(robot, PhysicalRobot):
                with watched("executing the plan as it is before practice"):
                    measure(session, robot)
            with live_progress(session) as progress:
                practise(session, robot, progress)
            if isinstance(robot, PhysicalRobot) and not session.state.open_trials:
                with watched("executing the plan after practice"):
                    measure(session, robot)
            if video or picture or watch:
                from deliberate_practice.cli.film import film_plan
                from deliberate_practice.robots.mujoco.robot import MujocoRobot

                assert isinstance(robot, MujocoRobot)  # refused above otherwise
                film_plan(session, robot, video, picture, watch=watch)
        except (KeyboardInterrupt, PartFailed) as error:
            told = sum(record.result is not None for record in session.trials())
            words = [word for text in parameters for word in ("--set", text)]
            words += ["--name", session.name, "--resume"]
            words += ["--video", str(video)] if video else []
            words += ["--picture", str(picture)] if picture else []
            going_on = (
                f"all {told} episodes are kept. Go on with: "
                f"{command('run', task, *words)}{journal_option(db)}"
            )
            if isinstance(error, PartFailed):
                raise PartFailed(f"{error}; {going_on}") from error
            click.echo(f"deliberate: stopped; {going_on}", err=True)
            raise click.exceptions.Exit(130) from None
        data = summary(session)
        held = len(session.state.open_trials)
    if held:
        click.echo(
            f"deliberate: {held} trials are with other askers; go on with --resume when they are "
            "told.",
            err=True,
        )
    if output == "json":
        print_json(data)
    else:
        from deliberate_practice.cli.show import print_summary

        print_summary(data)
        say(f"journal {command('show', data['name'])}{journal_option(db)}")


def _known(db: Path, name: str) -> Session | None:
    """The session to resume, if there is one."""
    from deliberate_practice.foundation.database_file import checked_path
    from deliberate_practice.practice.journal import Journal
    from deliberate_practice.practice.journal_rows import JOURNAL
    from deliberate_practice.practice.session import open_session

    if not checked_path(JOURNAL, db).exists():
        return None
    journal = Journal(db, create=True)
    known = journal.names()
    journal.close()
    return open_session(db, name) if name in known else None


def _start(
    db: Path, name: str | None, task: Task, budget: int, choices: dict[str, Any], *, resume: bool
) -> Session:
    """A new session; without a name, under the first number that is free."""
    from deliberate_practice.practice.journal import NameTaken
    from deliberate_practice.practice.session import open_session, start_session

    if name is not None:
        try:
            return start_session(db, name, task, budget, **choices)
        except NameTaken:
            if resume:  # another process was faster
                return open_session(db, name)
            raise
    number = 1
    while True:
        try:
            return start_session(db, f"{task.name}-{number}", task, budget, **choices)
        except NameTaken:
            number += 1


def _check_same(session: Session, task: Task, given: dict[str, Any], db: Path) -> None:
    """Refuse to go on with a session under other conditions than it was started with."""
    from deliberate_practice.task.toml_writer import task_to_toml

    if task_to_toml(session.task) != task_to_toml(task):
        raise ArgumentError(
            f"--resume: session '{session.name}' was started on another task "
            f"('{session.task.name}', or other values of --set); choose another --name."
        )
    settings = session.settings
    budgets = {"budget": (settings.budget, session.state.ledger.budget)}
    for key, value in given.items():
        before = budgets.get(key) or (getattr(settings, key),)
        if value not in before:
            longer = f"{command('extend', session.name)} --budget UNITS{journal_option(db)}"
            more = f" More budget: {longer}" if key == "budget" else ""
            raise ArgumentError(
                f"--{key}: {value} differs from {before[-1]}, with which session "
                f"'{session.name}' was started; leave it out, or choose another --name.{more}"
            )
