"""The command group, and the error handling of every command."""

from __future__ import annotations

import io
import os
import sys

import click

from deliberate_practice.cli.lazy_command import LazyCommand
from deliberate_practice.foundation.errors import DeliberatePracticeError
from deliberate_practice.foundation.version import __version__

COMMANDS = {
    "allocate": ("allocate", "Split a practice budget over the skills of TASK."),
    "frontier": ("frontier", "Show the best split for every budget up to a maximum."),
    "quote": ("quote", "Say how much practice TASK needs to reach a target."),
    "check": ("task_files.check", "Validate TASK, and name the solver that applies."),
    "new": ("task_files.new", "Write a first task file."),
    "run": ("run", "Practise TASK on a simulated robot."),
    "start": ("start", "Start a session on TASK for your own robot."),
    "ask": ("ask", "Hand out the next trial of session NAME."),
    "tell": ("tell", "Record the outcome of a trial of session NAME."),
    "correct": ("operate", "Correct the label of a trial of session NAME."),
    "note": ("operate", "Write a note on session NAME, or on one of its trials."),
    "ready": ("operate", "Say that the scene of an open trial is set."),
    "pause": ("operate", "Hand out no trial of session NAME until it is resumed."),
    "resume": ("operate", "Go on with a session that was paused, ended or archived."),
    "block": ("operate", "Let no trial of session NAME use SKILL."),
    "unblock": ("operate", "Let trials of session NAME use SKILL again."),
    "end": ("operate", "End session NAME before its budget is spent."),
    "archive": ("operate", "End session NAME, and leave it out of lists."),
    "delete": ("operate", "Remove session NAME and all its trials for ever."),
    "refund": ("tell", "Refund the cost of an aborted trial of session NAME."),
    "extend": ("start", "Give session NAME more budget."),
    "show": ("show", "Show spending, plan, rewards and trials of session NAME."),
    "why": ("show", "Say why a trial of session NAME is run."),
    "forecast": ("show", "Show what to expect of session NAME at its end."),
    "robots": ("show", "List the robots of session NAME with their outcomes."),
    "film": ("film", "Film what session NAME came to."),
    "sessions": ("show", "List the sessions of a journal."),
    "export": ("export", "Write the trials of session NAME as CSV."),
    "serve": ("serve", "Serve the sessions of a journal over HTTP."),
    "tokens": ("serve", "List, make and revoke the tokens of the service."),
    "client": ("client", "Print the client for a robot's computer."),
    "robot": ("client", "Practise with a robot of this computer over HTTP."),
    "compare": ("compare", "Compare strategies on TASK over budgets and seeds."),
    "report": ("report", "Write a report on the study in DIR."),
    "priors": ("priors", "Measure the learning curve of every skill of TASK."),
    "learn-priors": ("task_files.learn_priors", "Learn priors for new sessions from earlier ones."),
    "import-lerobot": ("export", "Print priors from the episodes of LeRobot datasets."),
    "plugins": ("plugins", "List every part that can be chosen by name."),
    "completion": ("completion", "Print a script that makes a shell complete this command."),
}
"""The module of each command, and the first sentence of its help, in the reference's order."""


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Every command has examples in its --help. TASK is the name of a domain (listed by "
    "deliberate plugins) or the path of a task file.",
)
@click.version_option(__version__, prog_name="deliberate")
def cli() -> None:
    """Decide what a robot should practise with the time it has, and prove it optimal.

    \b
    deliberate allocate breakfast --budget 60      how to split 60 episodes
    deliberate frontier cleanup --max-budget 300   what more time would buy
    deliberate check my_task.toml                  validate a task file
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
