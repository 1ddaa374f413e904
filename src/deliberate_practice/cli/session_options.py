"""Options and output that the commands on sessions share."""

from __future__ import annotations

from pathlib import Path

import click

from deliberate_practice.cli.options import format_option, part_option, together
from deliberate_practice.foundation.command_line import JOURNAL_FILE


class JournalFile(click.ParamType[Path]):
    """A file that the journal itself checks, whatever is there."""

    name = "file"

    def convert(
        self, value: str | Path, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        """The path as it was given."""
        return Path(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        """Names of files."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


db_option = click.option(
    "--db",
    type=JournalFile(),
    default=JOURNAL_FILE,
    help="The journal that holds the sessions (deliberate.db in this folder).",
)

name_argument = click.argument("name")

by_option = click.option("--by", metavar="PERSON", help="The person who does this, for the record.")

APPROACH = (
    "execute: the robot executes the skills that lead to a precondition (default); free: episodes "
    "begin there."
)
"""The help of the option for approaches."""

EXECUTIONS = 100
"""Executions of a plan by default, as in Python."""

executions_option = click.option(
    "--executions",
    type=int,
    default=EXECUTIONS,
    metavar="N",
    help="Executions of the robot's own plan to measure its reward, before and after practice, "
    f"if the reward is not exact ({EXECUTIONS}).",
)

session_options = together(name_argument, db_option, format_option)
"""NAME, the journal and the output format."""

choice_options = together(
    part_option("strategy", "Chooses the skill to practise next", "deliberate"),
    part_option("belief", "Predicts learning curves from outcomes", "bayes"),
    part_option("learner", "Improves the parameters of a skill", "cma-es"),
    click.option(
        "--approach",
        type=click.Choice(["execute", "free"]),
        help=APPROACH,
    ),
    click.option("--seed", type=int, help="Seed of everything random (0)."),
)
"""The parts of a new session; None where an option is not given."""
