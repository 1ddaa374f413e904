"""What an attempt is worth: our CMA-ES against the paper's, on hidden regions of success.

    python benchmarks/learning.py               about a minute
    python benchmarks/learning.py --seeds 40

A skill succeeds if its parameters, executed with some noise, fall into a box whose corner is at the
prior mean. The paper's version draws its samples at random and deploys the mean of its search
distribution; ours spreads them evenly and deploys the middle of its latest successes. Both see the
same boxes. Printed: mean deployed competence after so many attempts, and how many attempts it took
to reach 0.85 for good.
"""

from __future__ import annotations

import click
import numpy as np
from cmaes import CMA  # type: ignore[import-untyped]  # it publishes no type information
from rich.console import Console
from scipy.stats import norm

from deliberate_practice.cli.output import table
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.learners.cma_es import CmaEs
from deliberate_practice.task.skill import Parameter

BOXES = ((2, 0.25), (2, 0.5), (3, 0.4), (3, 0.6), (4, 0.7))
"""Number of parameters, and half the width of the box in prior standard deviations."""
NOISE = 0.15
"""Of an execution, relative to half the width."""
ATTEMPTS = 120
SHOWN = (0, 12, 24, 48, 96)
GOOD = 0.85


@click.command()
@click.option("--seeds", default=100, help="Learnings of each box (100).")
def main(seeds: int) -> None:
    """Print a row for each box and version."""
    rows = []
    for parameters, half in BOXES:
        for name, learn in (("paper", papers), ("ours", ours)):
            curves = np.array([learn(parameters, half, seed) for seed in range(seeds)])
            first = [_reached(curve) for curve in curves]
            rows.append(
                [
                    f"{parameters} x {half}",
                    name,
                    *(f"{curves[:, b // GENERATION].mean():.2f}" for b in SHOWN),
                    f"{np.mean(first):.0f} ± {np.std(first):.0f}",
                ]
            )
    columns = ["parameters x half width", "learner", *map(str, SHOWN), f"attempts to {GOOD}"]
    Console().print(table(columns, rows))


def ours(parameters: int, half: float, seed: int) -> FloatArray:
    """Deployed competence after every generation of the learner of a session."""
    prior = [Parameter(f"x{i}", 0.0, 1.0, -6.0, 6.0) for i in range(parameters)]
    learner, rng = CmaEs(prior, seed, "box"), np.random.default_rng(seed)
    curve = [competence(learner.best, half)]
    for _ in range(ATTEMPTS // GENERATION):
        for index, x in enumerate([learner.candidate(index) for index in range(GENERATION)]):
            learner.tell(index, bool(rng.random() < competence(x, half)))
        curve.append(competence(learner.best, half))
    return np.array(curve)


def papers(parameters: int, half: float, seed: int) -> FloatArray:
    """The same for random samples and the mean; generations of equals are skipped here too."""
    search = CMA(np.zeros(parameters), 1.0, population_size=GENERATION, seed=seed)
    rng = np.random.default_rng(seed)
    curve = [competence(search.mean, half)]
    for _ in range(ATTEMPTS // GENERATION):
        samples = [search.ask() for _ in range(GENERATION)]
        failed = [float(rng.random() >= competence(x, half)) for x in samples]
        if len(set(failed)) == 2:
            search.tell([(samples[i], failed[i]) for i in rng.permutation(GENERATION)])
        curve.append(competence(search.mean, half))
    return np.array(curve)


def competence(x: FloatArray, half: float) -> float:
    """Probability that x, executed with noise, is in the box from 0 to twice its half width."""
    noise = NOISE * half
    inside = norm.cdf((2 * half - x) / noise) - norm.cdf(-x / noise)
    return float(np.prod(inside))


def _reached(curve: FloatArray) -> int:
    """Attempts after which three generations in a row are good; all of them if there are none."""
    good = (curve[:-2] >= GOOD) & (curve[1:-1] >= GOOD) & (curve[2:] >= GOOD)
    return GENERATION * int(np.argmax(good)) if good.any() else ATTEMPTS


if __name__ == "__main__":
    main()
