"""Print: tables for people, JSON for programs, numbers that are easy to read."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def print_json(data: Mapping[str, object]) -> None:
    """One JSON object on stdout."""
    click.echo(json.dumps(data, allow_nan=False))


def console(*, err: bool = False) -> Console:
    """Where tables and progress go."""
    from rich.console import Console

    return Console(stderr=err, highlight=False)


def table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[int] = ()
) -> Table:
    """A plain table; columns in ``numeric`` are set to the right; no header if all are empty."""
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    header = any(columns)
    result = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold", show_header=header)
    for i, column in enumerate(columns):
        result.add_column(column, justify="right" if i in numeric else "left", overflow="fold")
    for row in rows:
        result.add_row(*(escape(cell) for cell in row))
    return result


def finite(value: float | None) -> float | None:
    """JSON has no infinity; a bound that is none becomes null."""
    return value if value is not None and math.isfinite(value) else None


def figure(value: float) -> str:
    """A number with five significant digits."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    return f"{value:.5g}"


def arrows(skills: Sequence[str]) -> str:
    """A plan as one line."""
    return " → ".join(skills) if skills else "(stop: nothing can be earned)"


def milliseconds(seconds: float) -> str:
    """A duration in the unit that suits it."""
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
