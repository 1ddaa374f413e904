"""``deliberate export``: the trials of a session as CSV."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from deliberate_practice.cli import options
from deliberate_practice.cli.session_options import db_option, name_argument
from deliberate_practice.foundation.spreadsheet import write_rows

if TYPE_CHECKING:
    from deliberate_practice.practice.replay import TrialRecord

COLUMNS = (
    "id", "skill", "policy", "mode", "counted", "cost", "refunded", "decision",
    "outcome", "at", "score", "approach", "seed", "asked", "told",
)  # fmt: skip


@click.command("export")
@name_argument
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write; by default the CSV is printed.",
)
@db_option
def export_command(name: str, out: Path | None, db: Path) -> None:
    """Write the trials of session NAME as CSV, one row each, parameters and measurements included.

    \b
    Examples:
      deliberate export monday > monday.csv
      deliberate export monday --out monday.csv
    """
    from deliberate_practice.practice.session import open_session

    with open_session(db, name) as session:
        text = _csv(session.trials())
    if out:
        options.write_file(out, lambda path: _write(path, text))
    else:
        click.echo(text, nl=False)


def _csv(records: Sequence[TrialRecord]) -> str:
    parameters = list(dict.fromkeys(key for r in records for key in r.trial.parameters))
    measures = list(
        dict.fromkeys(key for r in records if r.result for key in r.result.measurements)
    )
    named = [f"parameter.{name}" for name in parameters] + [f"measure.{name}" for name in measures]
    rows = [_row(record, parameters, measures) for record in records]
    file = io.StringIO()
    write_rows(file, [[*COLUMNS, *named], *rows], line_end="\n")
    return file.getvalue()


def _row(record: TrialRecord, parameters: list[str], measures: list[str]) -> list[object]:
    trial, result = record.trial, record.result
    return [
        trial.id,
        trial.skill,
        trial.policy,
        trial.mode,
        int(trial.counted),
        record.cost,
        int(record.refunded),
        record.decision,
        result.outcome if result else None,
        result.at if result else None,
        result.score if result else None,
        " > ".join(trial.approach),
        trial.seed,
        record.asked.isoformat(),
        record.told.isoformat() if record.told else None,
        *(trial.parameters.get(name) for name in parameters),
        *(result.measurements.get(name) if result else None for name in measures),
    ]


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
