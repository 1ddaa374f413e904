"""What an attempt is worth: our CMA-ES against the paper's, on hidden regions of success.

    python benchmarks/learning.py                     a minute on one core
    python benchmarks/learning.py --seeds 100         more of each box
    python benchmarks/learning.py --out FILE.jsonl    keep what was learned, and go on

A skill succeeds if its parameters, executed with some noise, fall into a box whose corner is at the
prior mean. The paper's version draws its samples at random and deploys the mean of its search
distribution; ours spreads them evenly and deploys the middle of its latest successes. Both see the
same boxes. Printed: mean deployed competence after so many attempts, and how many attempts it took
to reach 0.85 for good.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import click
import numpy as np
from commands import COUNT, Benchmark, workers_option
from kept import practised
from rich.console import Console
from scipy.stats import norm

from deliberate_practice.cli.output import table
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.learners.registry import make_learner
from deliberate_practice.strategies.strategy import ROUND
from deliberate_practice.task.model import Policy
from deliberate_practice.task.skill import Parameter

LEARNERS = ("cma-es-paper", "cma-es")
BOXES = ((2, 0.25), (2, 0.5), (3, 0.4), (3, 0.6), (4, 0.7))
"""Number of parameters, and half the width of the box in prior standard deviations."""
NOISE = 0.15
"""Of an execution, relative to half the width."""
ATTEMPTS = 120
SHOWN = (0, 12, 24, 48, 96)
GOOD = 0.85

Box = tuple[int, float]
Key = tuple[Box, str, int]
"""Box, learner and seed."""


@dataclass(frozen=True)
class Learned:
    """How one learner found one box.

    Attributes:
        parameters, half: The box.
        learner, seed: The learner.
        shown: Deployed competence after the numbers of attempts in ``SHOWN``.
        reached: Attempts until it is good.
    """

    parameters: int
    half: float
    learner: str
    seed: int
    shown: list[float]
    reached: int

    @property
    def key(self) -> Key:
        """What was learned."""
        return (self.parameters, self.half), self.learner, self.seed


@click.command(cls=Benchmark)
@click.option("--seeds", default=60, type=COUNT, help="Learnings of each box (60).")
@workers_option
@click.option("--out", type=Path, help="Keep what was learned here; a stopped run goes on.")
def main(seeds: int, workers: int, out: Path | None) -> None:
    """Print a row for each box and version."""
    keys = list(product(BOXES, LEARNERS, range(seeds)))
    found = practised(Learned, learning, keys, "learnings", workers, out)
    columns = ["parameters x half width", "learner", *map(str, SHOWN), f"attempts to {GOOD}"]
    Console().print(table(columns, list(_rows(found))))


def _rows(found: Sequence[Learned]) -> Iterator[list[str]]:
    for (parameters, half), name in product(BOXES, LEARNERS):
        mine = [one for one in found if one.key[:2] == ((parameters, half), name)]
        means = np.mean([one.shown for one in mine], axis=0)
        yield [f"{parameters} x {half}", name, *(f"{mean:.2f}" for mean in means), needed(mine)]


def needed(mine: Sequence[Learned]) -> str:
    """Mean and standard deviation of the attempts until a learner is good."""
    reached = [one.reached for one in mine]
    return f"{np.mean(reached):.0f} ± {np.std(reached):.0f}"


def learning(key: Key) -> Learned:
    """One learner on one box."""
    (parameters, half), name, seed = key
    curve = learned(name, parameters, half, seed)
    shown = [round(float(curve[attempts // ROUND]), 6) for attempts in SHOWN]
    return Learned(parameters, half, name, seed, shown, _reached(curve))


def learned(name: str, parameters: int, half: float, seed: int) -> FloatArray:
    """Deployed competence after every round of a learner."""
    prior = tuple(Parameter(f"x{i}", 0.0, 1.0, -6.0, 6.0) for i in range(parameters))
    policy = Policy("box", 0.0, None, None, 1, prior, ("box",))
    learner, rng = make_learner(name, policy, seed), np.random.default_rng(seed)
    curve = [competence(learner.deployed, half)]
    for _ in range(ATTEMPTS // ROUND):
        for _ in range(ROUND):
            candidate = learner.ask()
            assert candidate is not None  # no other is out
            success = rng.random() < competence(candidate.values, half)
            learner.tell(candidate.id, "success" if success else "failure", None)
        curve.append(competence(learner.deployed, half))
    return np.array(curve)


def competence(values: Mapping[str, float], half: float) -> float:
    """Probability that they are in the box from 0 to twice its half width, executed with noise."""
    x, noise = np.array([*values.values()]), NOISE * half
    inside = norm.cdf((2 * half - x) / noise) - norm.cdf(-x / noise)
    return float(np.prod(inside))


def _reached(curve: FloatArray) -> int:
    """Attempts after which three rounds in a row are good; all of them if there are none."""
    good = (curve[:-2] >= GOOD) & (curve[1:-1] >= GOOD) & (curve[2:] >= GOOD)
    return ROUND * int(np.argmax(good)) if good.any() else ATTEMPTS


if __name__ == "__main__":
    main()
