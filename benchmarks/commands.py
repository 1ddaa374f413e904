"""Benchmarks on the command line: options that many of them have, and one message for an error."""

from __future__ import annotations

import os
from typing import Any

import click

from deliberate_practice.foundation.errors import DeliberatePracticeError
from deliberate_practice.study.parallel import MOST_WORKERS

COUNT, MAYBE = click.IntRange(min=1), click.IntRange(min=0)
"""Numbers of what is asked for: at least one, or none."""
workers_option = click.option(
    "--workers",
    default=os.cpu_count() or 1,
    type=click.IntRange(1, MOST_WORKERS),
    help="Processes (one per core).",
)


class Benchmark(click.Command):
    """A command that prints one message, and ends with status 2, if its arguments make no sense."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run it."""
        try:
            return super().invoke(ctx)
        except DeliberatePracticeError as error:
            raise click.UsageError(str(error), ctx) from None
