"""``deliberate client`` and ``robot``: the other end of the service."""

from __future__ import annotations

import math
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from deliberate_practice.cli.options import TaskName, part_option
from deliberate_practice.cli.output import print_json, say, stopped
from deliberate_practice.cli.session_options import choice_options, executions_option
from deliberate_practice.foundation.checks import LARGEST_BUDGET, whole_number
from deliberate_practice.foundation.errors import ArgumentError

if TYPE_CHECKING:
    from deliberate_practice.practice.robot import Result, Trial
    from deliberate_practice.service.remote_session import RemoteSession


@click.command("client")
@click.option("--gym", is_flag=True, help="Print the file that runs trials in Gymnasium instead.")
def client_command(gym: bool) -> None:
    """Print the client for a robot's computer. It is one file of Python without further packages.

    It needs Python 3.8 or newer, but not this package. Its first lines explain its use.

    \b
    Examples:
      deliberate client > deliberate_client.py
      deliberate client --gym > deliberate_gym.py    beside it, for Gymnasium environments
    """
    import deliberate_practice

    package = Path(deliberate_practice.__path__[0])
    file = "robots/deliberate_gym.py" if gym else "service/deliberate_client.py"
    click.echo((package / file).read_text(encoding="utf-8"), nl=False)


@click.command("robot")
@click.argument("url")
@click.option("--session", required=True, metavar="NAME", help="The session to practise.")
@part_option("robot", "The robot that practises", "the one that the session was started for")
@click.option("--token", help="The token; by default the variable DELIBERATE_TOKEN.")
@click.option("--as", "asker", metavar="NAME", help="Name of this robot; every robot has its own.")
@click.option("--cafile", help="Certificate of the service or its authority, for https.")
@click.option("--start", "task", type=TaskName(), help="Start the session on this task if needed.")
@click.option("--budget", type=int, help="Budget units of a session that is started.")
@choice_options
@executions_option
@click.option(
    "--format",
    "output",
    type=click.Choice(["table", "json"]),
    default="table",
    help="A line for each trial (default), or the session as one JSON object at the end.",
)
def robot_command(
    url: str,
    session: str,
    robot: str | None,
    token: str | None,
    asker: str | None,
    cafile: str | None,
    task: str | None,
    budget: int | None,
    executions: int,
    output: str,
    **choices: Any,
) -> None:
    """Practise with a robot of this computer over HTTP. The session is served at URL.

    The robot is simulated, or behind ROS 2 (--robot ros:file=robot.toml). It goes on through
    restarts of the service. Stop it with Ctrl-C; the same command goes on.

    \b
    Examples:
      deliberate robot http://127.0.0.1:8712 --session monday --robot mujoco --token dp_...
      deliberate robot http://127.0.0.1:8712 --session night --start cleanup --budget 150
      deliberate robot http://127.0.0.1:8712 --session lab --robot ros:file=robot.toml
    """
    from deliberate_practice.practice.domain import opened_robot
    from deliberate_practice.service.remote_practice import practise_remotely
    from deliberate_practice.service.remote_session import RemoteSession

    whole_number("executions", executions, 1, LARGEST_BUDGET)
    kind = (robot or "curves").partition(":")[0]
    remote = RemoteSession(
        url,
        session,
        token,
        robot=asker or f"{kind}@{socket.gethostname()}",
        cafile=cafile,
        patience=math.inf,
    )
    if task is not None:
        if budget is None:
            raise ArgumentError("--start: give the budget of the session too, with --budget N.")
        given = {key: value for key, value in choices.items() if value is not None}
        text = _text(task)
        if remote.start(text, budget, robot=robot or "curves", gate="never", **given):
            click.echo(f"deliberate: session {session} was started", err=True)
    name = robot or remote.settings.robot
    if name is None:
        raise ArgumentError(
            f"--robot: session '{session}' is for a robot of your own; name a simulated one."
        )
    threads = os.cpu_count() or 1
    try:
        with opened_robot(name, remote.task, remote.settings.seed, threads=threads) as body:
            idle = practise_remotely(remote, body, _line if output == "table" else None, executions)
    except KeyboardInterrupt:
        raise stopped("everything is kept, and the same command goes on.") from None
    if output == "json":
        print_json(remote.show())
    else:
        say(f"{idle.state}: {idle.reason}")


def _text(task: str) -> str:
    """The name of a domain, or the text of a task file."""
    from deliberate_practice.practice.domain import is_domain, load_task
    from deliberate_practice.task.toml_writer import task_to_toml

    return task if is_domain(task) else task_to_toml(load_task(task))


def _line(session: RemoteSession, trial: Trial, result: Result) -> None:
    say(f"trial {trial.id}: {trial.skill}: {result.outcome}")
