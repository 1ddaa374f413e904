"""``deliberate tell`` and ``refund``: the outcome of a trial."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from deliberate_practice.cli import options
from deliberate_practice.cli.options import together
from deliberate_practice.cli.output import answer
from deliberate_practice.cli.session_options import by_option, db_option, name_argument
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.task.outcome import OUTCOMES

label_options = together(
    click.argument("trial", type=int),
    click.argument(
        "outcome",
        metavar="|".join(OUTCOMES),
        shell_complete=lambda ctx, param, begun: [w for w in OUTCOMES if w.startswith(begun)],
    ),
    click.option(
        "--at", metavar="SKILL", help="The skill at which the approach failed, for unreached."
    ),
    click.option(
        "--executed",
        metavar="SKILL:ok,SKILL:fail,...",
        help="Every execution on the approach in order, if some were repeated; each is evidence.",
    ),
    click.option(
        "--score",
        type=float,
        help="Quality of the attempt; it ranks attempts with the same outcome, higher is better.",
    ),
    click.option(
        "--measure",
        "measures",
        multiple=True,
        metavar="NAME=X",
        help="A measurement such as peak_force=31.5. May be repeated.",
    ),
)
"""A trial and its label."""


def told(
    at: str | None, executed: str | None, score: float | None, measures: tuple[str, ...]
) -> tuple[Any, ...]:
    """The arguments of ``tell`` and ``correct`` behind the outcome."""
    measured = options.values(measures, "--measure", "peak_force=31.5")
    return at, score, measured, None if executed is None else _executions(executed)


@click.command("tell")
@name_argument
@label_options
@click.option("--version", metavar="NAME", help="The name of the version that a training run made.")
@by_option
@db_option
@options.format_option
def tell_command(
    name: str,
    trial: int,
    outcome: str,
    version: str | None,
    by: str | None,
    db: Path,
    output: str,
    **label: Any,
) -> None:
    """Record the outcome of a trial of session NAME. Telling it twice is harmless.

    A trial is refused if the robot cannot execute its parameters and nothing moved: it costs
    nothing, and the learner draws other parameters. It is assisted if a person helped: it costs
    budget but is not evidence of competence. A demonstration is a success if it was recorded, and
    a failure if it cannot be used. If a training run fails, the old version stays.

    \b
    Examples:
      deliberate tell monday 7 success
      deliberate tell monday 8 failure --score 0.4 --measure peak_force=31.5
      deliberate tell monday 9 unreached --at PickBread
      deliberate tell monday 10 refused
      deliberate tell monday 12 success --version open-top-v3 --measure seconds=1800
      deliberate tell monday 11 success --executed PickBread:fail,PickBread:ok --by ada
    """
    given = told(**label)
    from deliberate_practice.practice.sessions import open_session
    from deliberate_practice.practice.showing.session_data import ledger

    with open_session(db, name) as session:
        session.tell(trial, outcome, *given, by=by, version=version)
        data = {"id": trial, "outcome": outcome, **ledger(session)}
    answer(output, data, f"trial {trial}: {outcome}; {data['left']} of {data['budget']} left")


def _executions(text: str) -> list[tuple[str, bool]]:
    """The executions that --executed lists; skills may have commas in their brackets."""
    found: list[tuple[str, bool]] = []
    for part in re.split(r"(?<=:ok),|(?<=:fail),", text) if text else []:
        skill, _, word = part.strip().rpartition(":")
        if not skill or word not in ("ok", "fail"):
            raise ArgumentError(
                f"--executed: '{part}' is not SKILL:ok or SKILL:fail; write e.g. Pick:fail,Pick:ok."
            )
        found.append((skill, word == "ok"))
    return found


@click.command("refund")
@name_argument
@click.argument("trial", type=int)
@by_option
@db_option
@options.format_option
def refund_command(name: str, trial: int, by: str | None, db: Path, output: str) -> None:
    """Refund the cost of an aborted trial of session NAME.

    \b
    Examples:
      deliberate refund monday 7 --by ada
    """
    from deliberate_practice.practice.sessions import open_session
    from deliberate_practice.practice.showing.session_data import ledger

    with open_session(db, name) as session:
        session.refund(trial, by=by)
        data = {"id": trial, **ledger(session)}
    answer(output, data, f"trial {trial}: refunded; {data['left']} of {data['budget']} left")
