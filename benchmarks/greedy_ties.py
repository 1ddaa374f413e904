"""Does random practice beat greedy practice (EES) on Cleanup-Multi, and if so, why?

    python benchmarks/greedy_ties.py                    192 sessions; 10 minutes on one core
    python benchmarks/greedy_ties.py --out FILE.jsonl   keep finished sessions, and go on

Greedy practice under several rules for ties and tolerances of the solver that computes its gains,
against random and deliberate practice, on the synthetic robot with approaches free of cost.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from commands import Benchmark, workers_option
from kept import practised
from rich.console import Console

from deliberate_practice.cli.output import table
from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.run import run

BUDGETS = (400, 450, 500, 700)
PRIORS = (0.1, 0.3)
SEEDS = range(3)
RULES = (
    *(
        f"ees:tolerance={t:g},ties={ties}"
        for t in (0.0, 1e-6)
        for ties in ("last", "first", "random")
    ),
    "random",
    "deliberate",
)

Key = tuple[str, float, int, int]
"""Rule, competence before practice, budget and seed."""


@dataclass(frozen=True)
class Session:
    """What a session was worth."""

    rule: str
    competence: float
    budget: int
    seed: int
    reward: float

    @property
    def key(self) -> Key:
        """The session."""
        return self.rule, self.competence, self.budget, self.seed


@click.command(cls=Benchmark)
@workers_option
@click.option("--out", type=Path, help="Keep finished sessions here; a stopped run goes on.")
def main(workers: int, out: Path | None) -> None:
    """Print the mean reward of each rule, for two priors and four budgets."""
    keys = list(itertools.product(RULES, PRIORS, BUDGETS, SEEDS))
    found = means(practised(Session, session, keys, "sessions", workers, out))
    columns = ["rule", *(f"p = {p}, {budget}" for p in PRIORS for budget in BUDGETS)]
    rows = [
        [rule, *(f"{found[rule, p, budget]:.3f}" for p in PRIORS for budget in BUDGETS)]
        for rule in RULES
    ]
    Console(width=110).print(table(columns, rows, numeric=range(1, len(columns))))


def means(found: Sequence[Session]) -> Mapping[tuple[str, float, int], float]:
    """The mean reward by rule, competence before practice and budget."""
    rewards: dict[tuple[str, float, int], list[float]] = {}
    for one in found:
        rewards.setdefault((one.rule, one.competence, one.budget), []).append(one.reward)
    return {place: float(np.mean(mine)) for place, mine in rewards.items()}


def spans(found: Sequence[Session]) -> Iterator[list[str]]:
    """For rules that act alike: a description, and least and largest mean over budgets."""
    mean = means(found)
    for words, rules in {
        "`ees`, exact gains": RULES[:3],
        "greedy, tolerance 1e-6, ties to the skill practised last, or the first in the file": (
            RULES[3:5]
        ),
        "greedy, tolerance 1e-6, ties broken at random": RULES[5:6],
        "`random`": RULES[6:7],
        "`deliberate`": RULES[7:],
    }.items():
        yield [words, *(_span([mean[r, p, b] for r in rules for b in BUDGETS]) for p in PRIORS)]


def _span(values: Sequence[float]) -> str:
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low} to {high}"


def session(key: Key) -> Session:
    """Practise once."""
    rule, competence, budget, seed = key
    task = load_task("cleanup-multi", competence=competence)
    done = run(task, "curves", budget, strategy=rule, seed=seed, approach="free", journal=None)
    assert done.reward_after is not None  # the robot knows it exactly
    return Session(*key, done.reward_after)


if __name__ == "__main__":
    main()
