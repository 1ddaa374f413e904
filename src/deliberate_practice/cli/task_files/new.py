"""``deliberate new``: a first task file."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from deliberate_practice.cli.options import format_option
from deliberate_practice.cli.output import answer
from deliberate_practice.foundation.errors import ArgumentError

COMPETENCE, RATE = 0.5, 0.02
"""Values that are proposed."""


@click.command("new")
@click.argument(
    "file", metavar="[TASK.toml]", required=False, type=click.Path(dir_okay=False, path_type=Path)
)
@click.option(
    "--from-pddl",
    "pddl",
    nargs=2,
    metavar="DOMAIN PROBLEM",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the file beside a PDDL domain and problem, by default with the problem's name.",
)
@click.option("--yes", is_flag=True, help="Ask nothing: write an example with comments.")
@format_option
def new_command(file: Path | None, pddl: tuple[Path, Path] | None, yes: bool, output: str) -> None:
    """Write a first task file. A file that exists is never changed.

    On a terminal it asks for the skills of a plan. Otherwise, and with --yes, it writes an example
    with comments.

    \b
    Examples:
      deliberate new tidy.toml
      deliberate new tidy.toml --yes
      deliberate new --from-pddl domain.pddl problem.pddl
      deliberate new tidy.toml --from-pddl domain.pddl problem.pddl
    """
    from deliberate_practice.task.new_task import new_task
    from deliberate_practice.task.pddl.skeleton import new_pddl_task

    if pddl:
        file = new_pddl_task(*pddl, file)
    elif file is None:
        raise ArgumentError(
            "name the file to write: deliberate new TASK.toml, or give --from-pddl DOMAIN PROBLEM."
        )
    elif file.exists():  # before any question
        raise ArgumentError(f"'{file}' exists and is left as it is; choose another path.")
    elif yes or output == "json" or not (sys.stdin.isatty() and sys.stdout.isatty()):
        new_task(file)
    else:
        _ask(file)
    answer(output, {"file": str(file)}, f"wrote {file}; next: deliberate check {file}")


def _ask(file: Path) -> None:
    """Ask for the skills of a plan, and write them."""
    from deliberate_practice.task.new_task import new_task

    share = click.FloatRange(0, 1)
    listed = click.prompt(
        "Skills of a plan in their order, separated by commas", default="Pick, Place"
    )
    names = dict.fromkeys(name.strip() for name in listed.split(",") if name.strip())
    skills = {}
    for name in names:
        competence = click.prompt(
            f"{name}: probability of success now", type=share, default=COMPETENCE
        )
        rate = click.prompt(
            f"{name}: gain by each attempt of practice, 0 if it is not practised",
            type=share,
            default=RATE,
        )
        skills[name] = (competence, rate)
    reward = click.prompt("Reward of the whole plan", type=click.FloatRange(0), default=1.0)
    new_task(file, skills, reward=reward)
