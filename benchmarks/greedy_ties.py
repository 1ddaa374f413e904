"""Does random practice beat greedy practice (EES) on Cleanup-Multi, and if so, why?

    python benchmarks/greedy_ties.py

Greedy practice under several rules for ties and tolerances of the solver that computes its gains,
against random and deliberate practice, on the synthetic robot with approaches free of cost.
"""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import click
import numpy as np
from rich.console import Console
from rich.progress import track

from deliberate_practice.cli.output import table
from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.run import run

BUDGETS = (400, 450, 500, 700)
PRIORS = (0.1, 0.3)
RULES = (
    *(
        f"ees:tolerance={t:g},ties={ties}"
        for t in (0.0, 1e-6)
        for ties in ("last", "first", "random")
    ),
    "random",
    "deliberate",
)


@click.command()
@click.option("--seeds", default=3, help="Sessions per number (3).")
@click.option("--workers", default=os.cpu_count() or 1, help="Processes (one per core).")
def main(seeds: int, workers: int) -> None:
    """Print the mean reward of each rule, for two priors and four budgets."""
    cells = list(itertools.product(RULES, PRIORS, BUDGETS, range(seeds)))
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        rewards = dict(
            zip(
                cells,
                track(
                    pool.map(reward, cells),
                    total=len(cells),
                    console=Console(stderr=True),
                    transient=True,
                ),
                strict=True,
            )
        )
    columns = ["rule", *(f"p = {p}, {budget}" for p in PRIORS for budget in BUDGETS)]
    rows = [
        [
            rule,
            *(
                f"{np.mean([rewards[rule, p, budget, seed] for seed in range(seeds)]):.3f}"
                for p in PRIORS
                for budget in BUDGETS
            ),
        ]
        for rule in RULES
    ]
    Console(width=110).print(table(columns, rows, numeric=range(1, len(columns))))


def reward(cell: tuple[str, float, int, int]) -> float:
    """What one session was worth."""
    rule, competence, budget, seed = cell
    task = load_task("cleanup-multi", competence=competence)
    done = run(task, "curves", budget, strategy=rule, seed=seed, approach="free", journal=None)
    assert done.reward_after is not None  # the robot knows it exactly
    return done.reward_after


if __name__ == "__main__":
    main()
