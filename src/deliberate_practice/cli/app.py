"""The command group, and what every command does with errors."""

from __future__ import annotations

import io
import os
import sys

import click

from deliberate_practice import __version__
from deliberate_practice.cli.lazy_command import LazyCommand
from deliberate_practice.foundation.errors import DeliberatePracticeError

COMMANDS = {
    "allocate": (
        "allocate",
        "Split a practice budget over the skills of TASK so that its expected task reward is "
        "highest.",
    ),
    "frontier": (
        "frontier",
        "Show the best value, plan and split for every budget up to a maximum, and where "
        "plans change.",
    ),
    "check": ("check", "Validate TASK: sizes, solver and why, and what nothing can reach."),
    "run": ("run", "Practise TASK on a simulated robot until the budget is spent."),
    "start": (
        "start",
        "Start a session on TASK for a robot of your own, which then asks and tells.",
    ),
    "ask": (
        "ask",
        "Hand out the next trial of session NAME; a trial that was not told is offered again.",
    ),
    "tell": (
        "tell",
        "Record the outcome of a trial of session NAME; telling the same twice is harmless.",
    ),
    "refund": ("tell", "Give an aborted trial of session NAME back to its budget."),
    "extend": ("start", "Give session NAME more budget."),
    "show": ("show", "Show what session NAME spent, reached and would do now, and its trials."),
    "sessions": ("show", "List the sessions of a journal."),
    "export": (
        "export",
        "Write the trials of session NAME as CSV, one row each, parameters and measurements "
        "included.",
    ),
    "compare": (
        "compare",
        "Compare strategies on TASK over budgets and seeds, on a simulated robot.",
    ),
    "report": (
        "report",
        "Write DIR/report.html and DIR/figures from the results of a study in DIR.",
    ),
    "priors": (
        "priors",
        "Learn every skill of TASK alone, many times, and say what a task file should state "
        "about it.",
    ),
    "plugins": (
        "plugins",
        "List every part that can be chosen by name, and where it comes from.",
    ),
    "completion": ("completion", "Print the script that teaches a shell to complete this command."),
}
"""The module of each command, and the first paragraph of its help, in the reference's order."""


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Each command has examples in its own --help. TASK is the name of a domain (see "
    "deliberate plugins), or the path of a task file.",
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


for _name, (_module, _help) in COMMANDS.items():
    cli.add_command(LazyCommand(_name, _module, _help))


def main() -> None:
    """Run the command line; our own errors are one message and exit status 2."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - open until the end
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
