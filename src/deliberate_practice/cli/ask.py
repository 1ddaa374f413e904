"""``deliberate ask``: the next trial to run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from deliberate_practice.cli.output import arrows, console, figure, print_json, table
from deliberate_practice.cli.session_options import ledger, session_options

if TYPE_CHECKING:
    from deliberate_practice.practice.replay import TrialRecord


@click.command("ask")
@click.option("--evaluate", metavar="SKILL", help="Run a skill as deployed; costs no budget.")
@click.option(
    "--asker", help="Name of the robot that asks; by default the shell or program that does."
)
@click.option(
    "--takeover", is_flag=True, help="Take an open trial of another asker, if it has given up."
)
@session_options
def ask_command(
    name: str, db: Path, output: str, evaluate: str | None, asker: str | None, takeover: bool
) -> None:
    """Hand out the next trial of session NAME; a trial that was not told is offered again.

    \b
    Examples:
      deliberate ask monday
      deliberate ask monday --format json --asker left-arm
      deliberate ask monday --evaluate StartToaster
    """
    from deliberate_practice.practice.askers import parent_asker
    from deliberate_practice.practice.session import open_session

    with open_session(db, name) as session:
        trial = session.ask(evaluate=evaluate, asker=asker or parent_asker(), takeover=takeover)
        state, budget = session.state, ledger(session)
        if trial is None:
            reason = (
                "the budget is spent"
                if not state.left
                else "nothing more is worth practising, or can be paid for"
                if session.done
                else "everything waits for trials of other askers (--takeover takes theirs)"
            )
            if output == "json":
                print_json({"id": None, "reason": reason, **budget})
            else:
                console().print(f"nothing to do: {reason}")
            return
        record = state.records[trial.id]
    if output == "json":
        print_json({**as_data(record), **budget})
    else:
        _print(name, record)


def as_data(record: TrialRecord) -> dict[str, object]:
    """All that a robot needs to run a trial, and why it should."""
    trial = record.trial
    return {
        "id": trial.id,
        "skill": trial.skill,
        "policy": trial.policy,
        "mode": trial.mode,
        "counted": trial.counted,
        "parameters": dict(trial.parameters),
        "approach": list(trial.approach),
        "deployed": {policy: dict(values) for policy, values in trial.deployed.items()},
        "attempts": dict(trial.attempts),
        "seed": trial.seed,
        "why": dict(record.why),
    }


def _print(name: str, record: TrialRecord) -> None:
    trial, out = record.trial, console()
    out.print(f"trial {trial.id}: {trial.skill} ({trial.mode}, seed {trial.seed})", style="bold")
    if trial.approach:
        out.print(f"first   {arrows(trial.approach)}")
    if trial.parameters:
        rows = [[key, figure(value)] for key, value in trial.parameters.items()]
        out.print(table(["parameter", "value"], rows, numeric=(1,)))
    for policy, values in trial.deployed.items():
        if values:
            shown = ", ".join(f"{key} = {figure(value)}" for key, value in values.items())
            out.print(f"with    {policy}: {shown}")
    out.print(f"then    deliberate tell {name} {trial.id} success|failure")
