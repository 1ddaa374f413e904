"""Does random practice beat greedy practice (EES) on Cleanup-Multi, and if so, why?

    python benchmarks/greedy_ties.py

Greedy practice under several rules for ties and tolerances of the solver that computes its gains,
against random and deliberate practice, on the synthetic robot with approaches free of cost.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import click
import numpy as np
from rich.console import Console
from rich.progress import track

from deliberate_practice.cli.output import table
from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.earning import exact_reward
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.session import start_session
from deliberate_practice.robots.curves import CurveRobot

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
    runs = list(itertools.product(RULES, PRIORS, BUDGETS, range(seeds)))
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        rewards = dict(
            zip(
                runs,
                track(
                    pool.map(reward, runs),
                    total=len(runs),
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


def reward(run: tuple[str, float, int, int]) -> float:
    """What one session was worth."""
    rule, competence, budget, seed = run
    task = load_task("cleanup-multi", competence=competence)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.db"
        session = start_session(path, rule, task, budget, rule, seed=seed, approach="free")
        robot = CurveRobot(task)
        practise(session, robot)
        return exact_reward(session.ground, robot, session.state)


if __name__ == "__main__":
    main()
