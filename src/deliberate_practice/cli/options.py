"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from deliberate_practice.allocation.solvers import CHOICES
from deliberate_practice.cli.heartbeat import Heartbeat
from deliberate_practice.foundation.checks import LARGEST_BUDGET, number, whole_number
from deliberate_practice.foundation.errors import ArgumentError, TaskError

if TYPE_CHECKING:
    from deliberate_practice.mdp.ground_task import GroundTask
    from deliberate_practice.task.model import Task

Command = TypeVar("Command", bound=Callable[..., Any])


class TaskName(click.ParamType[str]):
    """The name of a domain, or a path; completes to both."""

    name = "task"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        """Names of domains that fit, then files."""
        from click.shell_completion import CompletionItem

        from deliberate_practice.practice.domain import DOMAINS

        known = [CompletionItem(name) for name in DOMAINS if name.startswith(incomplete)]
        return known or [CompletionItem(incomplete, type="file")]


def together(*decorators: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Several options as one; help lists them in this order."""
    return lambda command: reduce(lambda made, add: add(made), reversed(decorators), command)


format_option = click.option(
    "--format",
    "output",
    type=click.Choice(["table", "json"]),
    default="table",
    help="A table for people (default) or one JSON object for programs.",
)

task_options = together(
    click.argument("task", type=TaskName()),
    click.option(
        "--set",
        "parameters",
        multiple=True,
        metavar="NAME=VALUE",
        help="Change a parameter of the task: competence or rate of all practised skills, "
        "objects of cleanup-multi, discount and failures=physical of cleanup and kitchen. May be "
        "repeated.",
    ),
    click.option("--max-states", type=int, default=None, help="Refuse tasks with more states."),
    format_option,
)
"""TASK, its parameters, the size limit and the output format."""

episode_seconds_option = click.option(
    "--episode-seconds", type=float, help="Seconds per practice episode, for --hours."
)
"""The time of an episode, the same for all skills."""

budget_options = together(
    click.option("--budget", type=int, help="Budget units (episodes, unless a skill costs more)."),
    click.option(
        "--hours",
        type=float,
        help="The budget as a time, with --episode-seconds or a task whose skills state seconds.",
    ),
    episode_seconds_option,
)
"""A budget in units, or given as time."""

until_option = click.option(
    "--until",
    metavar="HH:MM",
    help="The budget is the time until then; the skills of the task have to state seconds.",
)
"""A budget that ends at a time of day."""

solver_option = click.option(
    "--solver",
    default="auto",
    metavar=f"[{'|'.join(CHOICES)}]",
    help="auto: plan search where decision rules are plans, else the supersolution; where neither "
    "works, an installed solver of the bilinear program, or local search.",
)
"""Which method answers."""


def part_option(kind: str, text: str, default: str) -> Callable[[Command], Command]:
    """An option that chooses a part by name; None if it is not given.

    Args:
        kind: The kind of part.
        text: Its help.
        default: The part used otherwise.
    """
    return click.option(
        f"--{kind}",
        metavar="NAME[:KEY=VALUE,...]",
        help=f"{text} (default {default}). List all: deliberate plugins.",
    )


scene_options = together(
    part_option(
        "robot",
        "Use the priors measured in this robot's scene; robots without a scene take TASK as it is",
        "curves",
    ),
    part_option("learner", "Use the priors measured with this learner", "cma-es"),
)
"""The robot and the learner to plan for, in commands without a session."""

experience_option = click.option(
    "--experience",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Priors learned from earlier sessions, which deliberate learn-priors writes.",
)
"""Experience from earlier sessions."""


def experienced(task: Task, experience: Path | None) -> Task:
    """The task with the experience of a file; without a file, as it is."""
    if experience is None:
        return task
    from deliberate_practice.task.experience import load_experience

    return task.with_experience(load_experience(experience))


def episodes(
    name: str, budget: int | None, hours: float | None, episode_seconds: float | None
) -> int:
    """The budget in episodes, however it was given."""
    if budget is not None:
        if hours is not None or episode_seconds is not None:
            raise ArgumentError(f"give either {name} or --hours with --episode-seconds, not both.")
        return whole_number(name, budget, 0, LARGEST_BUDGET)
    if hours is None or episode_seconds is None:
        raise ArgumentError(f"give {name} N, or --hours H and --episode-seconds S.")
    number("--hours", hours, 0, error=ArgumentError)
    number("--episode-seconds", episode_seconds, 0, open_low=True, error=ArgumentError)
    count = hours * 3600 / episode_seconds + 1e-9
    if not count <= LARGEST_BUDGET:
        raise ArgumentError(f"--hours: {hours:g} is far too much for {episode_seconds:g} s each.")
    return int(count)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Let errors in a task name the file they are in."""
    try:
        yield
    except TaskError as error:
        raise (error if error.file else error.within(name)) from None


def load_for(
    robot: str | None, learner: str | None, task: str, parameters: tuple[str, ...]
) -> Task:
    """The task as a robot practises it with a learner; given parameters replace measured priors."""
    from deliberate_practice.learners.registry import LEARNER, LEARNERS
    from deliberate_practice.practice.domain import practised_task

    learner = learner or LEARNER
    LEARNERS.bound(learner)  # a misspelt one would get priors of unknown quality
    return practised_task(task, robot or "curves", learner=learner, **task_parameters(parameters))


def load(task: str, parameters: tuple[str, ...]) -> Task:
    """The task with its parameters."""
    from deliberate_practice.practice.domain import load_task

    return load_task(task, **task_parameters(parameters))


def task_parameters(texts: Sequence[str]) -> dict[str, float | str]:
    """The numbers and words that --set gives by name."""
    given: dict[str, float | str] = {}
    for text in texts:
        key, _, value = text.rpartition("=")
        if key and value.isidentifier() and value.lower() not in ("nan", "inf", "infinity"):
            given[key] = value
        else:
            given.update(values([text]))
    return given


def values(
    texts: Sequence[str], option: str = "--set", example: str = "rate=0.02"
) -> dict[str, float]:
    """The numbers that an option gives by name.

    Args:
        texts: The values of the option, each as ``NAME=NUMBER``.
        option: Its name.
        example: A valid value.
    """
    values: dict[str, float] = {}
    for text in texts:
        key, _, value = text.rpartition("=")
        try:
            values[key] = int(value) if value.lstrip("-").isdigit() else float(value)
        except ValueError:
            key = ""
        if not key:
            raise ArgumentError(f"{option}: '{text}' is not NAME=NUMBER; write e.g. {example}.")
    return values


class Grounded(NamedTuple):
    """A grounded task, the CPU time it took [s], and the time left of a limit [s]."""

    task: GroundTask
    seconds: float
    left: float | None


def grounded(
    name: str, task: Task, max_states: int | None, time_limit: float | None = None
) -> Grounded:
    """Ground a task within the time limit of its command; errors name the task's file."""
    from time import process_time

    from deliberate_practice.allocation.allocate import check_arguments
    from deliberate_practice.foundation.deadline import deadline_in, seconds_left
    from deliberate_practice.mdp.grounding import MAX_STATES, ground

    most = MAX_STATES
    if max_states is not None:
        most = whole_number("--max-states", max_states, 1, LARGEST_BUDGET)
    check_arguments(time_limit=time_limit)
    deadline, begun = deadline_in(time_limit), process_time()
    with naming(name), Heartbeat(f"finding the states of {name}"):
        found = ground(task, most, deadline=deadline)
    left = seconds_left(deadline)
    return Grounded(found, process_time() - begun, None if left is None else max(left, 1e-3))


def warn(ground: GroundTask) -> None:
    """Warn on stderr of goals that are never reached because another one ends the episode."""
    from deliberate_practice.mdp.reachability import notes_on_goals

    for note in notes_on_goals(ground):
        click.echo(f"deliberate: warning: {note}.", err=True)


def check_folder(option: str, path: Path | None) -> None:
    """Refuse a file in a missing folder before doing any work for it."""
    if path is not None and not path.parent.is_dir():
        raise ArgumentError(f"{option}: there is no folder '{path.parent}'; make it first.")


def check_ending(option: str, path: Path | None, ending: str) -> None:
    """Refuse a file whose name has another ending, and one in a missing folder."""
    if path is not None and path.suffix != ending:
        raise ArgumentError(f"{option}: '{path}' is not valid; give a name that ends in {ending}.")
    check_folder(option, path)


def write_file(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file, or raise an error with the reason."""
    try:
        write(path)
    except OSError as error:
        raise ArgumentError(
            f"{path}: the file cannot be written ({error.strerror}); choose another path."
        ) from error
