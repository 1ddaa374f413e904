"""``deliberate tell`` and ``refund``: the outcome of a trial."""

from __future__ import annotations

from pathlib import Path

import click

from deliberate_practice.cli.output import print_json, say
from deliberate_practice.cli.session_options import db_option, format_option, ledger
from deliberate_practice.foundation.errors import ArgumentError


@click.command("tell")
@click.argument("name")
@click.argument("trial", type=int)
@click.argument("outcome", metavar="success|failure|unreached|aborted")
@click.option(
    "--at", metavar="SKILL", help="The skill at which the approach failed, for unreached."
)
@click.option(
    "--score",
    type=float,
    help="Quality of the attempt; it ranks attempts with the same outcome, higher is better.",
)
@click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME=X",
    help="A measurement such as peak_force=31.5. May be repeated.",
)
@db_option
@format_option
def tell_command(
    name: str,
    trial: int,
    outcome: str,
    at: str | None,
    score: float | None,
    measures: tuple[str, ...],
    db: Path,
    output: str,
) -> None:
    """Record the outcome of a trial of session NAME. Telling it twice is harmless.

    \b
    Examples:
      deliberate tell monday 7 success
      deliberate tell monday 8 failure --score 0.4 --measure peak_force=31.5
      deliberate tell monday 9 unreached --at PickBread
    """
    measured = _measurements(measures)
    from deliberate_practice.practice.session import open_session

    with open_session(db, name) as session:
        session.tell(trial, outcome, at, score, measured)
        data = {"id": trial, "outcome": outcome, **ledger(session)}
    if output == "json":
        print_json(data)
    else:
        say(f"trial {trial}: {outcome}; {data['left']} of {data['budget']} left")


@click.command("refund")
@click.argument("name")
@click.argument("trial", type=int)
@db_option
@format_option
def refund_command(name: str, trial: int, db: Path, output: str) -> None:
    """Refund the cost of an aborted trial to the budget of session NAME.

    \b
    Examples:
      deliberate refund monday 7
    """
    from deliberate_practice.practice.session import open_session

    with open_session(db, name) as session:
        session.refund(trial)
        data = {"id": trial, **ledger(session)}
    if output == "json":
        print_json(data)
    else:
        say(f"trial {trial}: refunded; {data['left']} of {data['budget']} left")


def _measurements(texts: tuple[str, ...]) -> dict[str, float]:
    values: dict[str, float] = {}
    for text in texts:
        key, _, value = text.rpartition("=")
        try:
            values[key] = float(value)
        except ValueError:
            key = ""
        if not key:
            raise ArgumentError(
                f"--measure: '{text}' is not NAME=NUMBER; write e.g. peak_force=31.5."
            )
    return values
