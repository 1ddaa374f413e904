"""The command group, and what every command does with errors."""

from __future__ import annotations

import io
import os
import sys

import click

from deliberate_practice import __version__
from deliberate_practice.cli.allocate import allocate_command
from deliberate_practice.cli.ask import ask_command
from deliberate_practice.cli.check import check_command
from deliberate_practice.cli.compare import compare_command
from deliberate_practice.cli.completion import completion_command
from deliberate_practice.cli.export import export_command
from deliberate_practice.cli.frontier import frontier_command
from deliberate_practice.cli.priors import priors_command
from deliberate_practice.cli.report import report_command
from deliberate_practice.cli.run import run_command
from deliberate_practice.cli.show import sessions_command, show_command
from deliberate_practice.cli.start import extend_command, start_command
from deliberate_practice.cli.tell import refund_command, tell_command
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
    deliberate run cleanup --budget 150            practise on a simulated robot
    deliberate start my_task.toml --budget 250 --name night; deliberate ask night
    """


cli.add_command(allocate_command)
cli.add_command(frontier_command)
cli.add_command(check_command)
cli.add_command(run_command)
cli.add_command(start_command)
cli.add_command(ask_command)
cli.add_command(tell_command)
cli.add_command(refund_command)
cli.add_command(extend_command)
cli.add_command(show_command)
cli.add_command(sessions_command)
cli.add_command(export_command)
cli.add_command(compare_command)
cli.add_command(report_command)
cli.add_command(priors_command)
cli.add_command(completion_command)


def main() -> None:
    """Run the command line; our own errors are one message and exit status 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a name may not fit the terminal's encoding
    try:
        status = cli.main(prog_name="deliberate", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(status)
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        click.echo(f"deliberate: {error.filename or 'output'}: {error.strerror}.", err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except DeliberatePracticeError as error:
        click.echo(f"deliberate: {error}", err=True)
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        click.echo("deliberate: stopped.", err=True)
        sys.exit(130)
