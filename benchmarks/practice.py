"""How much of what is possible each strategy achieves, over random worlds with hidden truths.

    python benchmarks/practice.py --worlds 240                 every strategy; about half an hour
    python benchmarks/practice.py --worlds 72 --methods deliberate:bayes,ees:bayes

Each world (``random_worlds.py``) is practised in a real session on the synthetic robot. The score
is J / clairvoyant: the true value of what the robot itself would do afterwards, relative to the
best split for the true curves. All methods see the same worlds and seeds.
"""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Literal

import click
import numpy as np
from random_worlds import FAMILIES, LEVELS, PRIORS, random_world
from rich.console import Console
from rich.progress import track

from deliberate_practice.cli.output import table
from deliberate_practice.study.comparison import Cell, run_cell

METHODS = (
    "deliberate:bayes,deliberate:running-average,deliberate-paper:running-average,"
    "deliberate-paper:bayes,ees:running-average,ees:bayes,ees-predicators:bayes,uniform:bayes,"
    "competence-improvement:bayes,least-competent:bayes,random:bayes"
)
LARGE = 5
"""Worlds whose best plan practises more policies than this are reported apart."""

CELLS = list(itertools.product(FAMILIES, PRIORS, LEVELS))


@click.command()
@click.option("--worlds", default=240, help="How many worlds (240).")
@click.option("--methods", default=METHODS, help="strategy:belief pairs, separated by commas.")
@click.option("--approach", type=click.Choice(["execute", "free"]), default="free")
@click.option("--workers", default=os.cpu_count() or 1, help="Processes (one per core).")
def main(worlds: int, methods: str, approach: Literal["execute", "free"], workers: int) -> None:
    """Print one table."""
    rows = []
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for method in methods.split(","):
            scores = list(
                track(
                    pool.map(partial(score, method, approach), range(worlds), chunksize=4),
                    description=method,
                    total=worlds,
                    console=Console(stderr=True),
                    transient=True,
                )
            )
            rows.append(summary(method, scores))
    columns = [
        "strategy",
        "belief",
        "all",
        "95 %",
        *PRIORS,
        *LEVELS,
        "worst tenth",
        f"> {LARGE} skills",
    ]
    console = Console()
    console.print(f"J / clairvoyant over {worlds} worlds, approach {approach}")
    console.print(table(columns, rows, numeric=range(2, len(columns))))


def score(method: str, approach: Literal["execute", "free"], seed: int) -> tuple[float, int, int]:
    """One world: J / clairvoyant, the cell it was drawn from, and its size."""
    cell = seed % len(CELLS)
    world = random_world(seed, *CELLS[cell])
    strategy, belief = method.split(":")
    done = run_cell(world.task, "curves", approach, Cell(strategy, belief, world.budget, seed))
    return done.reward / world.clairvoyant, cell, world.practised


def summary(method: str, scores: list[tuple[float, int, int]]) -> list[str]:
    """One row of the table."""
    small = [(s, CELLS[cell]) for s, cell, size in scores if size <= LARGE]
    large = [s for s, _, size in scores if size > LARGE]
    values = np.array([s for s, _ in small])
    half = 1.96 * values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0

    def mean(word: str) -> str:
        chosen = [s for s, cell in small if word in cell]
        return f"{np.mean(chosen):.3f}" if chosen else ""

    worst = np.sort(values)[: max(1, len(values) // 10)].mean()
    return [
        *method.split(":"),
        f"{values.mean():.3f}",
        f"±{half:.3f}",
        *(mean(word) for word in (*PRIORS, *LEVELS)),
        f"{worst:.2f}",
        f"{np.mean(large):.3f}" if large else "none",
    ]


if __name__ == "__main__":
    main()
