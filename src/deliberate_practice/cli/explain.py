"""``deliberate why``, ``forecast`` and ``robots``: what a session says about itself."""

from __future__ import annotations

from pathlib import Path

import click

from deliberate_practice.cli.options import format_option
from deliberate_practice.cli.output import answer, console, figure, print_json, table
from deliberate_practice.cli.session_options import db_option, name_argument, session_options
from deliberate_practice.cli.show import expected


@click.command("why")
@name_argument
@click.argument("trial", type=int, required=False)
@db_option
@format_option
def why_command(name: str, trial: int | None, db: Path, output: str) -> None:
    """Say why a trial of session NAME is run: TRIAL, or the last one.

    \b
    Examples:
      deliberate why monday
      deliberate why monday 7 --format json
    """
    from deliberate_practice.practice.sessions import open_session

    with open_session(db, name) as session:
        number = len(session.state.records) if trial is None else trial
        reason = session.why(number)
    answer(output, {"name": name, "id": number, "reason": reason}, f"trial {number}: {reason}")


@click.command("forecast")
@session_options
def forecast_command(name: str, db: Path, output: str) -> None:
    """Show what to expect of session NAME when its budget is spent.

    The band holds 80 % of the rewards that the belief expects.

    \b
    Examples:
      deliberate forecast monday
      deliberate forecast monday --format json
    """
    from deliberate_practice.practice.sessions import open_session

    with open_session(db, name) as session:
        ahead = session.forecast()
    if output == "json":
        print_json({"name": name, **ahead.as_data()})
        return
    out = console()
    out.print(f"now     {figure(ahead.now)} is believed")
    out.print(f"ahead   {expected(ahead)}")
    columns = ["skill", "now", "attempts", "after", "80 % from", "to"]
    rows = [
        [
            policy,
            figure(growth.now),
            str(growth.attempts),
            *(figure(value) for value in (growth.after, growth.low, growth.high)),
        ]
        for policy, growth in ahead.policies.items()
    ]
    if rows:
        out.print(table(columns, rows, numeric=range(1, len(columns))))


@click.command("robots")
@session_options
def robots_command(name: str, db: Path, output: str) -> None:
    """List the robots of session NAME with their open trials and outcomes.

    Robots have the names that they ask with; processes without a name are not listed.

    \b
    Examples:
      deliberate robots monday
      deliberate robots monday --format json
    """
    from deliberate_practice.practice.sessions import open_session

    with open_session(db, name) as session:
        robots = session.robots()
    if output == "json":
        print_json({"robots": robots})
        return
    columns = ["robot", "open", "told", "outcomes", "success rate"]
    rows = [
        [
            row["name"],
            ", ".join(map(str, row["open"])),
            str(row["trials"]),
            ", ".join(f"{count} {outcome}" for outcome, count in row["outcomes"].items()),
            "" if row["success_rate"] is None else figure(row["success_rate"]),
        ]
        for row in robots
    ]
    console().print(table(columns, rows, numeric=(2, 4)))
