"""Whether priors learned from earlier sessions help, and whether they harm where they mislead.

    python benchmarks/experience.py                     90 labs; an hour on one core
    python benchmarks/experience.py --out FILE.jsonl    keep finished labs, and go on

A lab has six kinds of skills. Skills of one kind learn alike: start, rate, ceiling and shape of
their curves lie together, and a kind may be hard, so that most of its skills are impossible. A lab
first practises five random tasks, then three others. Each of the three is practised three times,
with the same seed: without experience, with the lab's own, and with that of another lab, whose
kinds have the same names and other curves. The score is J / clairvoyant, as in ``practice.py``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from commands import COUNT, Benchmark, workers_option
from kept import practised
from random_worlds import FAMILIES, LEVELS, LONGEST, DrawCurve, World, random_world
from rich.console import Console

from deliberate_practice.cli.output import table
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.practice.run import run
from deliberate_practice.study.priors.experience import learn_priors
from deliberate_practice.task.experience import Experience

PRIORS = ("noisy", "optimistic", "uninformative")
KINDS, EARLIER, LATER = 6, 5, 3
FIRST_LAB = 1_000
"""Labs below this number were used to choose the constants of the fit."""

METHODS = ("without", "own lab", "another lab")


@dataclass(frozen=True)
class Lab:
    """What a lab's worlds were worth.

    Attributes:
        prior: The quality of its stated figures.
        number: The lab.
        scores: J / clairvoyant of each held-out world, by method.
    """

    prior: str
    number: int
    scores: list[list[float]]

    @property
    def key(self) -> tuple[str, int]:
        """The lab."""
        return self.prior, self.number


@click.command(cls=Benchmark)
@click.option(
    "--labs", default=30, type=COUNT, help="Labs of each prior; each has 3 held-out worlds (30)."
)
@workers_option
@click.option("--out", type=Path, help="Keep finished labs here; a stopped run goes on.")
def main(labs: int, workers: int, out: Path | None) -> None:
    """Print the gain from experience by prior, with 95 % intervals."""
    keys = [(prior, FIRST_LAB + number) for prior in PRIORS for number in range(labs)]
    found = practised(Lab, lab, keys, "labs", workers, out)
    columns = ["prior", "worlds", *METHODS, "gain", "other lab"]
    Console().print(table(columns, list(summary(found))))


def summary(found: Sequence[Lab]) -> Iterator[list[str]]:
    """A row for each prior, and one for all of them."""
    for prior in (*PRIORS, "all"):
        mine = [one for one in found if prior in ("all", one.prior)]
        scores = np.array([row for one in mine for row in one.scores])
        labs = np.repeat(np.arange(len(mine)), [len(one.scores) for one in mine])
        means = [f"{mean:.3f}" for mean in scores.mean(axis=0)]
        gains = [interval(scores[:, i] - scores[:, 0], labs) for i in (1, 2)]
        yield [prior, str(len(scores)), *means, *gains]


def interval(gains: FloatArray, labs: IntArray) -> str:
    """Mean and 95 % interval; worlds of one lab count together."""
    by_lab = np.array([gains[labs == lab].mean() for lab in np.unique(labs)])
    half = 1.96 * by_lab.std(ddof=1) / np.sqrt(len(by_lab))
    return f"{by_lab.mean():+.3f} ±{half:.3f}"


def lab(key: tuple[str, int]) -> Lab:
    """The scores of a lab."""
    prior, number = key
    told = (None, _learned(prior, number), _learned(prior, number + 500_000))
    scores = []
    for later in range(LATER):
        world = _world(prior, number, EARLIER + later)
        scores.append([round(_score(world, later, experience), 6) for experience in told])
    return Lab(prior, number, scores)


def _learned(prior: str, lab: int) -> Experience:
    """What a lab's earlier sessions tell."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "lab.db"
        for earlier in range(EARLIER):
            world = _world(prior, lab, earlier)
            run(
                world.task,
                "curves",
                world.budget,
                approach="free",
                seed=earlier,
                journal=journal,
                name=f"{earlier}",
            )
        return learn_priors(journal)


def _score(world: World, seed: int, experience: Experience | None) -> float:
    done = run(
        world.task,
        "curves",
        world.budget,
        approach="free",
        seed=seed,
        journal=None,
        experience=experience,
    )
    assert done.reward_after is not None  # the robot knows its own truth
    return done.reward_after / world.clairvoyant


def _world(prior: str, lab: int, number: int) -> World:
    place = lab + number
    return random_world(
        1_000 * lab + number,
        FAMILIES[place % len(FAMILIES)],
        prior,
        [*LEVELS][place // 3 % len(LEVELS)],
        curve=lab_curves(lab),
    )


def lab_curves(lab: int) -> DrawCurve:
    """Draws skills of a lab."""
    rng = np.random.default_rng([77, lab])
    kinds = [
        {
            "start": rng.normal(-2.0, 0.8),
            "rate": rng.normal(np.log(0.025), 0.6),
            "ceiling": rng.uniform(0.35, 0.75) if rng.random() < 0.15 else rng.uniform(0.88, 0.99),
            "impossible": 0.7 if rng.random() < 0.15 else 0.04,
            "shape": rng.choice(["linear", "exponential", "late"], p=[0.35, 0.45, 0.2]),
        }
        for _ in range(KINDS)
    ]

    def draw(rng: np.random.Generator) -> tuple[str, FloatArray]:
        number = int(rng.integers(KINDS))
        kind = kinds[number]
        b = np.arange(LONGEST + 1.0)
        start = float(1 / (1 + np.exp(-(kind["start"] + rng.normal(0, 0.35)))))
        rate = float(np.exp(kind["rate"] + rng.normal(0, 0.35)))
        gain = max(kind["ceiling"] - start, 0.0)
        if rng.random() < kind["impossible"]:
            share, start = np.zeros(len(b)), min(start, 0.3)
        elif kind["shape"] == "linear":
            share = np.minimum(1.0, rate * b / max(gain, 1e-9))
        elif kind["shape"] == "exponential":
            share = -np.expm1(-1.5 * rate * b)
        else:
            late = 1 / (1 + np.exp(-6 * rate * (b - 0.5 / rate)))
            share = (late - late[0]) / (1 - late[0])
        curve = np.round(np.clip(start + gain * share, 0.0, 1.0), 6)
        return f"kind {number}", np.maximum.accumulate(curve)

    return draw


if __name__ == "__main__":
    main()
