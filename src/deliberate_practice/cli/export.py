"""``deliberate export`` and ``import-lerobot``: trials for other programs, and from LeRobot."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from deliberate_practice.cli import options
from deliberate_practice.cli.output import print_json, warnings_as_messages
from deliberate_practice.cli.session_options import db_option, name_argument
from deliberate_practice.foundation.command_line import command, journal_option
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.spreadsheet import write_rows

if TYPE_CHECKING:
    from deliberate_practice.practice.journal.salvage import Salvage

EVENT_COLUMNS = ("number", "kind", "time", "chained", "trial", "skill", "outcome", "data")


@click.command("export")
@name_argument
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write; by default the CSV is printed.",
)
@click.option(
    "--mcap",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all events as MCAP instead, e.g. for Foxglove.",
)
@click.option(
    "--salvage",
    is_flag=True,
    help="Write all sound events of a damaged session, one row each. Events after the damage are "
    "marked as not chained.",
)
@click.option(
    "--format",
    "output",
    type=click.Choice(["csv", "json"]),
    default="csv",
    help="Format of --salvage: CSV (default), or JSON with the task and the settings.",
)
@db_option
def export_command(
    name: str, out: Path | None, mcap: Path | None, salvage: bool, output: str, db: Path
) -> None:
    """Write the trials of session NAME as CSV. Each row has parameters and measurements.

    \b
    Examples:
      deliberate export monday > monday.csv
      deliberate export monday --out monday.csv
      deliberate export monday --mcap monday.mcap
      deliberate export monday --salvage --format json --out monday.json
    """
    if mcap:
        _write_mcap(name, db, mcap)
        return
    if salvage:
        text = _salvaged(name, db, output)
    elif output == "json":
        raise ArgumentError(
            "--format json: only --salvage writes it; see: "
            f"{command('show', name, '--format', 'json')}{journal_option(db)}"
        )
    else:
        text = _trials(name, db)
    if out:
        options.write_file(out, lambda path: path.write_text(text, encoding="utf-8"))
    else:
        click.echo(text, nl=False)


def _write_mcap(name: str, db: Path, file: Path) -> None:
    from deliberate_practice.practice.journal.mcap import write_mcap
    from deliberate_practice.practice.sessions import open_session

    with open_session(db, name) as session:
        options.write_file(file, lambda path: write_mcap(session, path))


def _trials(name: str, db: Path) -> str:
    from deliberate_practice.practice.sessions import open_session
    from deliberate_practice.practice.showing.trial_table import trial_table

    with open_session(db, name) as session:
        columns, rows = trial_table(session.trials())
    return _as_text([columns, *rows])


def _salvaged(name: str, db: Path, output: str) -> str:
    """The sound events as text, with the faults on stderr."""
    from deliberate_practice.practice.journal.salvage import salvage

    rest = salvage(db, name)
    loose = sum(not event.chained for event in rest.events)
    click.echo(
        f"deliberate: session {name!r}: {len(rest.events)} events are sound, {loose} of them "
        f"after damage; {'; '.join(rest.faults) or 'no damage was found'}.",
        err=True,
    )
    return json.dumps(asdict(rest), indent=1) + "\n" if output == "json" else _event_csv(rest)


def _event_csv(rest: Salvage) -> str:
    rows: list[Sequence[object]] = [EVENT_COLUMNS]
    for event in rest.events:
        data: Mapping[str, Any] = event.data
        trial, skill = data.get("trial"), data.get("skill")
        if isinstance(trial, dict):  # it was asked; later events only have its number
            trial, skill = trial["id"], trial["attempt"]["skill"]
        outcome = data.get("result", {}).get("outcome")
        chained = int(event.chained)
        rows.append(
            [event.number, event.kind, event.time, chained, trial, skill, outcome, json.dumps(data)]
        )
    return _as_text(rows)


def _as_text(rows: Sequence[Sequence[object]]) -> str:
    file = io.StringIO()
    write_rows(file, rows, line_end="\n")
    return file.getvalue()


@click.command("import-lerobot")
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET...", type=Path)
@click.option(
    "--format",
    "output",
    type=click.Choice(["toml", "json"]),
    default="toml",
    help="A part of a task file (default), or one JSON object.",
)
def import_lerobot_command(datasets: tuple[Path, ...], output: str) -> None:
    """Print priors from the episodes of LeRobot datasets. They are for a task file.

    DATASET is the folder of a dataset (layout v3) whose frames have next.success. The episodes of
    several datasets are joined in order; those without labels are skipped. Each task of the
    datasets becomes a skill, with its competence after all episodes and its curve from there on.

    \b
    Examples:
      deliberate import-lerobot ~/.cache/huggingface/lerobot/lab/rollout_open
      deliberate import-lerobot datasets/rollout_open-* >> my_task.toml
    """
    from deliberate_practice.study.lerobot import lerobot_priors

    with warnings_as_messages():
        priors = lerobot_priors(datasets)
    if output == "json":
        print_json({"priors": [vars(prior) for prior in priors]})
    else:
        click.echo("\n".join(prior.toml() for prior in priors), nl=False)
