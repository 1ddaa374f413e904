"""Whether experience from Cleanup's journals helps in Cleanup-Multi, in physics.

    python benchmarks/experience_physics.py                   45 sessions; 25 minutes on one core
    python benchmarks/experience_physics.py --out FILE.jsonl  keep finished ones, and go on

A lab practises Cleanup five times with figures that say nothing: each skill is stated to begin at
0.1, and to gain 0.02 with every attempt. The same lab then practises Cleanup-Multi, which is stated
in the same way: with every seed once without experience, once with that of the five journals.
Free approaches, the default strategy, belief and learner. Seeds, budgets and figures were fixed
before the first session; the seeds of Cleanup-Multi are those of ``studies/paper.toml``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

import click
from commands import Benchmark, workers_option
from intervals import said
from kept import kept, practised
from processes import worked_off
from rich.console import Console

from deliberate_practice.cli.output import table
from deliberate_practice.practice.domain import practised_task
from deliberate_practice.practice.run import run
from deliberate_practice.study.priors.experience import learn_priors
from deliberate_practice.study.statistics import (
    difference_by_seed,
    improvement_by_seed,
    is_settled,
    mean,
)
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.experience import Experience
from deliberate_practice.task.model import Task

EARLIER, EARLIER_BUDGET = range(900, 905), 170
"""Seeds and budget of the lab's earlier sessions in Cleanup."""
BUDGETS, SEEDS = (300, 470), range(100, 110)
"""Budgets and seeds in Cleanup-Multi."""
CURVE = PiecewiseLinear(rate=0.02)
"""What is stated about every skill, with a competence of 0.1."""
EXECUTIONS = 30
"""Executions of each plan, as in the study."""
COLUMNS = ["budget", "without", "with experience", "difference", "settled"]


@dataclass(frozen=True)
class Outcome:
    """The mean reward of a session's plan, and the goal of that plan."""

    budget: int
    seed: int
    with_experience: bool
    goal: str | None
    reward: float

    @property
    def key(self) -> tuple[int, int, bool]:
        """The session."""
        return self.budget, self.seed, self.with_experience


@click.command(cls=Benchmark)
@workers_option
@click.option("--out", type=Path, help="Keep finished sessions here; a stopped run goes on.")
def main(workers: int, out: Path | None) -> None:
    """Print the rewards with experience and without."""
    wanted = list(product(BUDGETS, SEEDS, (False, True)))
    done = {one.key for one in kept(Outcome, out)}
    experience = None if done.issuperset(wanted) else _experience(workers)
    work = partial(later, experience)
    found = practised(Outcome, work, wanted, "sessions", workers, out)
    Console(width=120).print(table(COLUMNS, list(rows(found)), numeric=range(len(COLUMNS))))


def rows(found: Sequence[Outcome]) -> Iterator[list[str]]:
    """A row for each budget; differences are paired by seed."""
    for budget in BUDGETS:
        without, informed = (
            {
                one.seed: one.reward
                for one in found
                if (one.budget, one.with_experience) == (budget, kind)
            }
            for kind in (False, True)
        )
        gain = difference_by_seed(informed, without)
        assert gain
        means = (mean([*without.values()]), mean([*informed.values()]), gain)
        settled = "yes" if is_settled(improvement_by_seed(informed, without)) else "no"
        yield [str(budget), *map(said, means), settled]


def _experience(workers: int) -> Experience:
    """What five sessions in Cleanup tell."""
    with tempfile.TemporaryDirectory() as folder:
        journals = [Path(folder) / f"{seed}.db" for seed in EARLIER]
        pieces = list(zip(EARLIER, journals, strict=True))
        list(worked_off(earlier, pieces, "earlier sessions", len(pieces), workers))
        return learn_priors(journals)


def earlier(piece: tuple[int, Path]) -> None:
    """A session of the lab's past."""
    seed, journal = piece
    run(
        uninformed("cleanup"),
        "mujoco",
        EARLIER_BUDGET,
        approach="free",
        seed=seed,
        journal=journal,
        executions=1,
    )


def later(experience: Experience | None, piece: tuple[int, int, bool]) -> Outcome:
    """A session in Cleanup-Multi."""
    budget, seed, with_experience = piece
    done = run(
        uninformed("cleanup-multi"),
        "mujoco",
        budget,
        approach="free",
        seed=seed,
        journal=None,
        experience=experience if with_experience else None,
        executions=EXECUTIONS,
    )
    assert done.reward_after is not None  # the simulated robot measures it
    return Outcome(budget, seed, with_experience, done.goal, done.reward_after)


def uninformed(domain: str) -> Task:
    """A task as its scene has it, with figures that say nothing."""
    task = practised_task(domain, "mujoco")
    skills = [replace(skill, competence=0.1, curve=CURVE) for skill in task.skills]
    return replace(task, skills=skills, priors="unknown")


if __name__ == "__main__":
    main()
