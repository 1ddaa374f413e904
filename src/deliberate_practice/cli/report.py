"""``deliberate report``: a study as one page and a folder of figures."""

from __future__ import annotations

from pathlib import Path

import click

from deliberate_practice.cli.output import console, stopped, warnings_as_messages
from deliberate_practice.cli.progress import watched


@click.command("report")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--episode-seconds",
    type=float,
    default=60.0,
    help="Length of an episode with its reset, for the value of another hour (60).",
)
def report_command(folder: Path, episode_seconds: float) -> None:
    """Write a report on the study in DIR. It is DIR/report.html, with DIR/figures.

    The page contains everything it needs, interactive charts included, and opens without a network.
    Every figure is in DIR/figures as PDF, PNG and CSV. DIR is the --out folder of `deliberate
    compare`. A report on an unfinished study covers its finished sessions.

    \b
    Examples:
      deliberate compare my_study.toml --out results/mine && deliberate report results/mine
      deliberate compare breakfast --budgets 30,60 --out results && deliberate report results
      deliberate report results/mine --episode-seconds 90
    """
    from deliberate_practice.study.report.write import write_report

    try:
        with warnings_as_messages(), watched("reading the results") as shown:
            stage = ""

            def show(items: str, done: int, count: int) -> None:
                nonlocal stage
                if items != stage:
                    stage = items
                    shown.stage("reporting", items, count)
                shown.update(done, count)

            report = write_report(folder, episode_seconds=episode_seconds, progress=show)
    except KeyboardInterrupt:
        raise stopped(
            f"the results in {folder} are as they were. The same command writes the report anew."
        ) from None
    console().print(f"report  {report}", soft_wrap=True)
    console().print(f"figures {report.parent / 'figures'} (PDF, PNG, CSV)", soft_wrap=True)
