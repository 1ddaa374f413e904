"""``deliberate learn-priors``: from the journals of earlier sessions to priors for new ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from deliberate_practice.cli import options
from deliberate_practice.cli.output import console, print_json, table
from deliberate_practice.cli.progress import watched
from deliberate_practice.cli.session_options import JournalFile
from deliberate_practice.foundation.percent import percent

if TYPE_CHECKING:
    from deliberate_practice.task.experience import Experience


@click.command("learn-priors")
@click.argument("journals", nargs=-1, required=True, type=JournalFile(), metavar="JOURNAL...")
@click.option(
    "--session",
    "sessions",
    multiple=True,
    metavar="NAME",
    help="Learn from this session alone. May be repeated (default: all sessions).",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the experience here (TOML), for --experience.",
)
@options.format_option
def learn_priors_command(
    journals: tuple[Path, ...], sessions: tuple[str, ...], out: Path | None, output: str
) -> None:
    """Learn priors for new sessions from earlier ones.

    All sessions of each JOURNAL count, finished or not. Skills of one kind share their evidence:
    state kind = "..." in the task file, or use names such as Close(top) and Close(bottom). A belief
    with experience still allows for a robot that learns differently.

    \b
    Examples:
      deliberate learn-priors monday.db tuesday.db --out experience.toml
      deliberate learn-priors deliberate.db --session night-1 --session night-2 --out lab.toml
      deliberate run my_task.toml --budget 150 --experience experience.toml
    """
    from deliberate_practice.study.priors.experience import learn_priors
    from deliberate_practice.task.toml_writer import write_experience

    options.check_folder("--out", out)
    with watched("reading sessions"):
        found = learn_priors(journals, sessions)
    if out:
        write_experience(found, out)
    if output == "json":
        print_json(found.entry())
        return
    _print(found)
    if out:
        console().print(f"wrote {out}; use it with --experience {out}")


def _print(found: Experience) -> None:
    from deliberate_practice.beliefs.experience.words import kinds_seen

    out = console()
    count = "1 session" if found.sessions == 1 else f"{found.sessions} sessions"
    out.print(f"learned from {count}", style="bold")
    rows = [
        [
            row.kind,
            str(row.skills),
            f"{row.start:.2f} ({row.start_low:.2f} to {row.start_high:.2f})",
            f"{row.speed:.3f} ({row.speed_low:.3f} to {row.speed_high:.3f})",
            f"{row.ceiling:.2f}",
            percent(row.impossible),
        ]
        for row in kinds_seen(found)
    ]
    columns = ["kind", "skills", "at first", "rate", "ceiling", "impossible"]
    out.print(table(columns, rows, numeric=(1, 2, 3, 4, 5)))
    usual = max(found.qualities, key=lambda name: found.qualities[name])
    share = 100 * found.qualities[usual]
    out.print(f"stated figures were mostly {usual} ({share:.0f} %)")
    out.print("ranges hold two thirds of the skills of a kind")
