"""``deliberate start`` and ``extend``: a session for your own robot, and more budget for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deliberate_practice.cli import options
from deliberate_practice.cli.output import answer, print_json, say
from deliberate_practice.cli.session_options import (
    choice_options,
    db_option,
    session_options,
)
from deliberate_practice.foundation.checks import LARGEST_BUDGET, whole_number
from deliberate_practice.foundation.command_line import command, journal_option


@click.command("start")
@options.budget_options
@options.until_option
@click.option("--name", required=True, help="Name of the session.")
@choice_options
@click.option(
    "--gate",
    type=click.Choice(["never", "abort", "always"]),
    help="The trials that wait for `deliberate ready`: none (never, default), those of a robot "
    "whose last trial was aborted (abort), or all (always).",
)
@click.option(
    "--trial-seconds",
    type=float,
    metavar="SECONDS",
    help="An open trial passes to another robot after this time (1800).",
)
@click.option(
    "--sink",
    "sinks",
    multiple=True,
    metavar="NAME[:KEY=VALUE,...]",
    help="Also send every event there, e.g. jsonl:file=night.jsonl. May be repeated.",
)
@options.experience_option
@db_option
@options.task_options
def start_command(
    task: str,
    parameters: tuple[str, ...],
    max_states: int | None,
    output: str,
    budget: int | None,
    hours: float | None,
    episode_seconds: float | None,
    until: str | None,
    name: str,
    experience: Path | None,
    db: Path,
    **choices: Any,
) -> None:
    """Start a session on TASK for your own robot. It asks for trials and tells their outcomes.

    \b
    Examples:
      deliberate start breakfast --budget 60 --name monday
      deliberate start my_task.toml --hours 8 --episode-seconds 90 --name night --seed 1
      deliberate start cleanup --budget 250 --name bench --approach free
      deliberate start my_task.toml --until 07:00 --name night --gate abort
      deliberate start my_task.toml --budget 200 --name next --experience experience.toml
    """
    from deliberate_practice.cli.budgets import budget_of

    described = options.experienced(options.load(task, parameters), experience)
    with options.naming(task):
        described, units, end = budget_of(described, budget, hours, episode_seconds, until)
    grounded = options.grounded(task, described, max_states).task  # faults name the task's file
    options.warn(grounded)
    if choices.get("approach") != "free":
        from deliberate_practice.practice.approaches.losses import expected_losses

        for loss in expected_losses(grounded, described, units):
            click.echo(f"deliberate: warning: {loss}.", err=True)
    from deliberate_practice.practice.sessions import start_session
    from deliberate_practice.practice.showing.session_data import ledger

    given = {key: value for key, value in choices.items() if value is not None}
    with start_session(db, name, described, units, until=end, **given) as session:
        data = {**ledger(session), "task": described.name, "db": str(db)}
    if output == "json":
        print_json(data)
        return
    span = f"{units} units" if end is None else f"until {end.astimezone():%a %H:%M}"
    say(f"session {name}: {span} for {described.name}, in {db}", bold=True)
    say(f"next    {command('ask', name)}{journal_option(db)}")


@click.command("extend")
@click.option("--budget", type=int, required=True, help="Units to add.")
@session_options
def extend_command(name: str, db: Path, output: str, budget: int) -> None:
    """Give session NAME more budget.

    \b
    Examples:
      deliberate extend monday --budget 20
    """
    from deliberate_practice.practice.sessions import open_session
    from deliberate_practice.practice.showing.session_data import ledger

    whole_number("--budget", budget, 1, LARGEST_BUDGET)
    with open_session(db, name) as session:
        session.extend(budget)
        data = ledger(session)
    answer(output, data, f"budget  {data['budget']}, {data['left']} left")
