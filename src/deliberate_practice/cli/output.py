"""Print: tables for people, JSON for programs, numbers that are easy to read."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from deliberate_practice.mdp.rule import StartPath


LABEL = 8
"""Width of the labels before lines for people."""


def print_json(data: Mapping[str, object]) -> None:
    """One JSON object on stdout."""
    click.echo(json.dumps(data, allow_nan=False))


def say(text: str, *, bold: bool = False) -> None:
    """One line for people, as long as it is: what draws tables takes long to load."""
    click.echo(click.style(text, bold=True) if bold else text)


def paragraph(label: str, text: str) -> None:
    """A sentence for people behind a label, broken to the width of the terminal."""
    width = max(40, min(shutil.get_terminal_size().columns, 100))
    lines = textwrap.wrap(text, width - LABEL, break_long_words=False, break_on_hyphens=False)
    for number, line in enumerate(lines or [""]):
        click.echo(f"{'' if number else label:<{LABEL}}{line}")


def answer(output: str, data: Mapping[str, object], text: str) -> None:
    """The answer of a command in the chosen format: as JSON, or as one line for people."""
    if output == "json":
        print_json(data)
    else:
        say(text)


def stopped(text: str) -> click.exceptions.Exit:
    """Say what is kept of work that Ctrl-C stopped; the exception ends the command."""
    click.echo(f"deliberate: stopped; {text}", err=True)
    return click.exceptions.Exit(130)


@contextmanager
def warnings_as_messages() -> Iterator[None]:
    """Collect what is warned of inside, and print each as one line on stderr in the end."""
    with warnings.catch_warnings(record=True) as caught:
        # Every experiment has charts of its own, and every command its own datasets.
        warnings.filterwarnings("always", "chart|skipped", UserWarning)
        try:
            yield
        finally:
            for warning in caught:
                click.echo(f"deliberate: {warning.message}", err=True)


def console(*, err: bool = False) -> Console:
    """Where tables and progress go."""
    from rich.console import Console

    # Names are shown as they are, whatever brackets and colons they contain.
    return Console(stderr=err, highlight=False, markup=False, emoji=False)


def table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[int] = ()
) -> Table:
    """A plain table; columns in ``numeric`` are set to the right; no header if all are empty."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    header = any(columns)
    result = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold", show_header=header)
    for i, column in enumerate(columns):
        result.add_column(column, justify="right" if i in numeric else "left", overflow="fold")
    for row in rows:
        result.add_row(*row)
    return result


def print_whole(where: Console, what: Table) -> None:
    """Print a table whose numbers are never cut: where the terminal is too narrow, its lines are
    longer than that.
    """
    from rich.measure import Measurement

    wide = where.options.update(max_width=1000)
    where.width = max(where.width, Measurement.get(where, wide, what).minimum)
    where.print(what)


def amount(count: int) -> str:
    """A whole number with separators, or its power of ten where that is too long to read."""
    return f"{count:,}" if count < 10**15 else f"about 10^{len(str(count)) - 1}"


def settings(values: Mapping[str, float], units: Mapping[str, str] | None = None) -> str:
    """Parameters with their values and units, in one line."""
    known = units or {}
    return ", ".join(
        f"{name} = {figure(value)} {known.get(name, '')}".rstrip() for name, value in values.items()
    )


def figure(value: float) -> str:
    """A number with five significant digits."""
    return f"{value:.5g}"


def arrows(skills: Sequence[str], goal: str | None = None) -> str:
    """A plan as one line."""
    if not skills:
        return "(nothing to do: the start is a goal)" if goal else "(stop: nothing can be earned)"
    try:
        "→".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return " -> ".join(skills)
    return " → ".join(skills)


def plan_lines(skills: Sequence[str], goal: str | None, plans: Sequence[StartPath]) -> list[str]:
    """The plan in one text; if there are several starts or tasks, a text for each start.

    Args:
        skills: The skills of the plan.
        goal: Its goal.
        plans: The plan from each start; none if the task has one start.
    """
    if not plans:
        return [arrows(skills, goal)]
    states = [path.start.items() for path in plans]
    same = set(states[0]).intersection(*states[1:])  # says nothing about a start
    lines = []
    for path in plans:
        words = [
            f"{name} = {value}" for name, value in path.start.items() if (name, value) not in same
        ]
        where = f" from {', '.join(words)}" if words else ""
        aim = f"{path.task}{where} ({100 * path.probability:.3g} %): {path.goal or 'nothing'}"
        lines.append(f"{aim}: {arrows(failing_marked(path.skills, path.failing), path.goal)}")
    return lines


def failing_marked(skills: Sequence[str], failing: Sequence[int]) -> list[str]:
    """The skills of a plan, with a mark at those whose failure leads on."""
    return [f"{skill} (fails)" if i in failing else skill for i, skill in enumerate(skills)]


def milliseconds(seconds: float) -> str:
    """A duration in the unit that suits it."""
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
