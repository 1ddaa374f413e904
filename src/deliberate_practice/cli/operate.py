"""``deliberate correct``, ``note``, ``pause``, ``block``, ...: the commands of an operator."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from deliberate_practice.cli import options
from deliberate_practice.cli.output import answer
from deliberate_practice.cli.session_options import (
    by_option,
    db_option,
    name_argument,
    session_options,
)
from deliberate_practice.cli.tell import label_options, told
from deliberate_practice.foundation.command_line import command, journal_option
from deliberate_practice.foundation.errors import ArgumentError

if TYPE_CHECKING:
    from deliberate_practice.practice.session import Session

why_option = click.option("--why", default="", metavar="TEXT", help="The reason, for the record.")


@click.command("correct")
@name_argument
@label_options
@by_option
@db_option
@options.format_option
def correct_command(
    name: str, trial: int, outcome: str, by: str | None, db: Path, output: str, **label: Any
) -> None:
    """Correct the label of a trial of session NAME. The session is as if it had been told right.

    Decisions made in between stay. The journal keeps both labels, and show marks the trial.

    \b
    Examples:
      deliberate correct monday 7 failure
      deliberate correct monday 8 unreached --at PickBread --by ada
    """
    given = told(**label)
    data = _done(name, db, lambda session: session.correct(trial, outcome, *given, by=by))
    data |= {"id": trial, "outcome": outcome}
    answer(
        output,
        data,
        f"trial {trial}: corrected to {outcome}; left: {data['left']} of {data['budget']}",
    )


@click.command("note")
@name_argument
@click.argument("words", nargs=-1, required=True, metavar="[TRIAL] TEXT")
@by_option
@db_option
@options.format_option
def note_command(name: str, words: tuple[str, ...], by: str | None, db: Path, output: str) -> None:
    """Write a note on session NAME, or on one of its trials.

    \b
    Examples:
      deliberate note monday "new gripper pads"
      deliberate note monday 7 "the bread was stale" --by ada
    """
    trial = int(words[0]) if words[0].isdecimal() else None
    text = " ".join(words if trial is None else words[1:])
    if not text:
        example = command("note", name, words[0], "the bread was stale")
        raise ArgumentError(f"the text of the note on trial {trial} is missing; try: {example}")
    data = _done(name, db, lambda session: session.note(text, trial, by=by))
    place = name if trial is None else f"trial {trial}"
    answer(output, {**data, "id": trial, "note": text}, f"{place}: noted")


@click.command("ready")
@name_argument
@click.argument("trial", type=int, required=False)
@by_option
@db_option
@options.format_option
def ready_command(name: str, trial: int | None, by: str | None, db: Path, output: str) -> None:
    """Say that the scene of an open trial is set. The robot of the trial may move then.

    Without TRIAL this applies to all open trials. Only sessions that were started with --gate wait
    for it. It is not an emergency stop.

    \b
    Examples:
      deliberate ready monday
      deliberate ready monday 7 --by ada
    """
    data = _done(name, db, lambda session: session.ready(trial, by=by))
    answer(output, {**data, "id": trial}, f"{name}: ready")


@click.command("pause")
@why_option
@by_option
@session_options
def pause_command(name: str, db: Path, output: str, why: str, by: str | None) -> None:
    """Hand out no trial of session NAME until it is resumed. Open trials may be told.

    \b
    Examples:
      deliberate pause monday --why "lunch"
    """
    data = _done(name, db, lambda session: session.pause(why, by=by))
    going_on = f"{command('resume', name)}{journal_option(db)}"
    answer(output, data, f"{name}: paused; go on with: {going_on}")


@click.command("resume")
@by_option
@session_options
def resume_command(name: str, db: Path, output: str, by: str | None) -> None:
    """Go on with a session that was paused, ended or archived.

    \b
    Examples:
      deliberate resume monday
    """
    data = _done(name, db, lambda session: session.resume(by=by))
    answer(output, data, f"{name}: goes on; {data['left']} of {data['budget']} left")


@click.command("block")
@name_argument
@click.argument("skill")
@why_option
@by_option
@db_option
@options.format_option
def block_command(name: str, skill: str, why: str, by: str | None, db: Path, output: str) -> None:
    """Let no trial of session NAME use SKILL. It is neither practised nor used on the way.

    \b
    Examples:
      deliberate block monday StartToaster --why "the lever is broken"
    """
    data = _done(name, db, lambda session: session.block(skill, why, by=by))
    back = f"{command('unblock', name, skill)}{journal_option(db)}"
    answer(output, {**data, "blocked": skill}, f"{skill}: blocked; to unblock it: {back}")


@click.command("unblock")
@name_argument
@click.argument("skill")
@by_option
@db_option
@options.format_option
def unblock_command(name: str, skill: str, by: str | None, db: Path, output: str) -> None:
    """Let trials of session NAME use SKILL again.

    \b
    Examples:
      deliberate unblock monday StartToaster
    """
    data = _done(name, db, lambda session: session.unblock(skill, by=by))
    answer(output, {**data, "unblocked": skill}, f"{skill}: may be used again")


@click.command("end")
@why_option
@by_option
@session_options
def end_command(name: str, db: Path, output: str, why: str, by: str | None) -> None:
    """End session NAME before its budget is spent. Its robots are told that they are done.

    \b
    Examples:
      deliberate end monday --why "good enough"
    """
    data = _done(name, db, lambda session: session.end(why, by=by))
    answer(output, data, f"{name}: ended; left over: {data['left']} of {data['budget']}")


@click.command("archive")
@by_option
@session_options
def archive_command(name: str, db: Path, output: str, by: str | None) -> None:
    """End session NAME, and leave it out of lists. The command resume takes it back.

    \b
    Examples:
      deliberate archive monday
      deliberate sessions --all
    """
    data = _done(name, db, lambda session: session.archive(by=by))
    answer(output, data, f"{name}: archived; see it with: deliberate sessions --all")


@click.command("delete")
@click.option("--yes", is_flag=True, help="Do not ask.")
@session_options
def delete_command(name: str, db: Path, output: str, yes: bool) -> None:
    """Remove session NAME and all its trials for ever.

    \b
    Examples:
      deliberate export monday --out monday.csv; deliberate delete monday --yes
    """
    from deliberate_practice.practice.sessions import delete_session, open_session
    from deliberate_practice.service.store import ServiceStore, service_path

    with open_session(db, name) as session:
        trials = len(session.trials())
    if not yes:
        click.confirm(
            f"Remove session {name} with {trials} trials from {db} for ever?", abort=True, err=True
        )
    delete_session(db, name)
    if service_path(db).exists():  # a token for it opens no later session of that name
        with closing(ServiceStore(db)) as store:
            store.revoke("session", name)
    answer(output, {"name": name, "trials": trials}, f"{name}: removed, with {trials} trials")


def _done(name: str, db: Path, verb: Callable[[Session], None]) -> dict[str, object]:
    """Do something with a session; its budget afterwards."""
    from deliberate_practice.practice.sessions import open_session
    from deliberate_practice.practice.showing.session_data import ledger

    with open_session(db, name) as session:
        verb(session)
        return ledger(session)
