"""The command group, and what every command does with errors."""

from __future__ import annotations

import sys

import click

from deliberate_practice import __version__
from deliberate_practice.cli.allocate import allocate_command
from deliberate_practice.cli.check import check_command
from deliberate_practice.cli.completion import completion_command
from deliberate_practice.cli.frontier import frontier_command
from deliberate_practice.errors import DeliberatePracticeError


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Each command has examples in its own --help. TASK is counterexample, cleanup, "
    "cleanup-multi, breakfast, or the path of a task file.",
)
@click.version_option(__version__, prog_name="deliberate")
def cli() -> None:
    """Decide what a robot should practise with the time it has, and prove it optimal.

    \b
    deliberate allocate breakfast --budget 60      how to split 60 episodes
    deliberate frontier cleanup --max-budget 300   what more time would buy
    deliberate check my_task.toml                  is my task file right?
    """


cli.add_command(allocate_command)
cli.add_command(frontier_command)
cli.add_command(check_command)
cli.add_command(completion_command)


def main() -> None:
    """Run the command line; our own errors are one message and exit status 2."""
    try:
        sys.exit(cli.main(prog_name="deliberate", standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except DeliberatePracticeError as error:
        click.echo(f"deliberate: {error}", err=True)
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        click.echo("deliberate: stopped.", err=True)
        sys.exit(130)
