"""Whether priors learned from earlier sessions help, and whether they harm where they mislead.

    python benchmarks/experience.py --labs 80 --out experience.csv

A lab has six kinds of skills. Skills of one kind learn alike: start, rate, ceiling and shape of
their curves lie together, and a kind may be hard, so that most of its skills are impossible. A lab
first practises five random tasks, then three others. Each of the three is practised three times,
with the same seed: without experience, with the lab's own, and with that of another lab, whose
kinds have the same names and other curves. The score is J / clairvoyant, as in ``practice.py``.
"""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import click
import numpy as np
from random_worlds import FAMILIES, LEVELS, LONGEST, DrawCurve, World, random_world
from rich.console import Console
from rich.progress import track

from deliberate_practice.cli.output import table
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.practice.run import run
from deliberate_practice.study.priors.experience import learn_priors
from deliberate_practice.task.experience import Experience

PRIORS = ("noisy", "optimistic", "uninformative")
KINDS, EARLIER, LATER = 6, 5, 3
FIRST_LAB = 1_000
"""Labs below this number were used to choose the constants of the fit."""

METHODS = ("without", "own lab", "another lab")
FIELDS = ("prior", "lab", "world", *METHODS)


@click.command()
@click.option("--labs", default=80, help="Labs of each prior; each has 3 held-out worlds (80).")
@click.option("--workers", default=os.cpu_count() or 1, help="Processes (one per core).")
@click.option("--out", type=Path, help="Also write every score here (CSV).")
def main(labs: int, workers: int, out: Path | None) -> None:
    """Print the gain from experience by prior, with 95 % intervals."""
    jobs = [(prior, FIRST_LAB + lab) for prior in PRIORS for lab in range(labs)]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        shown = track(
            pool.map(_scores, jobs),
            description="practising",
            total=len(jobs),
            console=Console(stderr=True),
            transient=True,
        )
        rows = [row for scores in shown for row in scores]
    if out:
        with out.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(FIELDS)
            writer.writerows(rows)
    Console().print(table(["prior", "worlds", *METHODS, "gain", "other lab"], list(summary(rows))))


def summary(rows: Sequence[Sequence[object]]) -> Iterator[list[str]]:
    """A row for each prior, and one for all of them."""
    for prior in (*PRIORS, "all"):
        scores = np.array([row[3:] for row in rows if prior in ("all", row[0])], dtype=float)
        labs = np.array([f"{row[0]} {row[1]}" for row in rows if prior in ("all", row[0])])
        means = [f"{mean:.3f}" for mean in scores.mean(axis=0)]
        gains = [interval(scores[:, i] - scores[:, 0], labs) for i in (1, 2)]
        yield [prior, str(len(scores)), *means, *gains]


def interval(gains: FloatArray, labs: FloatArray) -> str:
    """Mean and 95 % interval; worlds of one lab count together."""
    by_lab = np.array([gains[labs == lab].mean() for lab in np.unique(labs)])
    half = 1.96 * by_lab.std(ddof=1) / np.sqrt(len(by_lab))
    return f"{by_lab.mean():+.3f} ±{half:.3f}"


def _scores(job: tuple[str, int]) -> list[list[object]]:
    prior, number = job
    own = _learned(prior, number)
    other = _learned(prior, number + 500_000)
    rows: list[list[object]] = []
    for later in range(LATER):
        world = _world(prior, number, EARLIER + later)
        scores = [_score(world, later, experience) for experience in (None, own, other)]
        rows.append([prior, number, later, *(f"{score:.6f}" for score in scores)])
    return rows


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
