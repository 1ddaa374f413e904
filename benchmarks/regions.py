"""Fit the hidden regions of the robot `regions` to learning curves measured in physics.

    python benchmarks/regions.py cleanup                     the priors that come with the domain
    python benchmarks/regions.py cleanup measured.json ...   what `deliberate priors --out` wrote
    python benchmarks/regions.py cleanup --check             fit nothing: how near the regions are

For each verb, such as Close, the curves of all its skills are averaged: the competence of the
deployed parameters, and the success rate of the learner's samples. The region whose curves have the
least squared difference from both is searched on grids that get finer. All regions are learned with
the same random numbers, each seed in its own direction. The regions are written into the domain's
`regions.toml`. Takes one to two minutes for each verb.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.learners.registry import LEARNER, make_learner
from deliberate_practice.practice.domain import practised_task
from deliberate_practice.robots.regions import Region, RegionRobot
from deliberate_practice.study.grouping import grouped
from deliberate_practice.study.learning_curves import FIRST_SEED, LearningCurve
from deliberate_practice.study.prior_files import joined, read_measurements, read_priors
from deliberate_practice.task.model import Task
from deliberate_practice.task.skill import verb

RADII, GAPS, NOISES = (
    (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0),
    (-0.2, 0.2, 0.6, 1.0, 1.4),
    (0.1, 0.25, 0.5),
)
"""The first grid. A gap is how far the prior mean lies outside of a ball."""
STEPS = (0.12, 0.2, 0.08)
"""Half the distance to the next values around the best ones; halved again in every finer grid."""
FINER = 3
FEW, MANY, OTHERS = range(16), range(64), range(1_000, 1_128)
"""Seeds on the first grid, on finer ones, and to see how near the best region comes."""
HEAD = "# By verb: the hidden region nearest to physics, in prior sd (benchmarks/regions.py)."


@dataclass(frozen=True)
class Target:
    """Measured curves of a verb, averaged over its skills.

    Attributes:
        points: Attempts, from 0 on, shape (n,).
        deployed: Competence of the deployed parameters then, shape (n,).
        explored: Success rate of the samples since the point before, shape (n - 1,).
    """

    points: tuple[int, ...]
    deployed: FloatArray
    explored: FloatArray

    def difference(self, deployed: FloatArray, explored: FloatArray) -> float:
        """Root of the mean squared difference from other curves."""
        gaps = np.concatenate([deployed - self.deployed, explored - self.explored])
        return float(np.sqrt(np.mean(gaps**2)))

    def as_data(self) -> dict[str, list[float]]:
        """For the file of regions, in the words of a file of priors."""
        return {
            "attempts": list(self.points),
            "measured": self.deployed.round(3).tolist(),
            "explored": self.explored.round(3).tolist(),
        }


def targets(curves: Sequence[LearningCurve]) -> dict[str, Target]:
    """The measured curves of every verb, over the points that all its skills have."""
    found = {}
    for name, group in grouped(curves, lambda curve: curve.verb).items():
        points = min((curve.attempts for curve in group), key=len)
        same = [curve for curve in group if curve.attempts[: len(points)] == points]
        seeds = [len(curve.rates) for curve in same]
        deployed = [curve.competence[: len(points)] for curve in same]
        explored = [curve.explored[: len(points) - 1] for curve in same]
        found[name] = Target(
            points,
            np.average(deployed, axis=0, weights=seeds),
            np.average(explored, axis=0, weights=seeds),
        )
    return found


def learned(
    task: Task, policy: str, region: Region, points: Sequence[int], seeds: range
) -> tuple[FloatArray, FloatArray]:
    """Deployed competence at some points, and the samples' success rate between them."""
    runs = [_learned(task, policy, region, points, seed) for seed in seeds]
    deployed, explored = zip(*runs, strict=True)
    return np.mean(deployed, axis=0), np.mean(explored, axis=0)


def _learned(
    task: Task, policy: str, region: Region, points: Sequence[int], number: int
) -> tuple[list[float], list[float]]:
    seed = FIRST_SEED + number
    robot = RegionRobot(task, seed, regions={verb(policy): region})
    learner = make_learner(LEARNER, task.policies[policy], seed)
    chances = np.random.default_rng(seed).random(points[-1])
    successes, deployed = [], [robot.competence(policy, learner.deployed)]
    for done, chance in enumerate(chances, 1):
        candidate = learner.ask()
        assert candidate is not None  # no other is out
        success = bool(chance < robot.competence(policy, candidate.values))
        learner.tell(candidate.id, "success" if success else "failure", None)
        successes.append(success)
        if done in points:
            deployed.append(robot.competence(policy, learner.deployed))
    between = itertools.pairwise(points)
    return deployed, [float(np.mean(successes[first:last])) for first, last in between]


def difference(
    task: Task, policy: str, target: Target, region: Region, seeds: range = OTHERS
) -> float:
    """How far the curves of a region are from the measured ones."""
    return target.difference(*learned(task, policy, region, target.points, seeds))


def fitted(task: Task, policy: str, target: Target) -> Region:
    """The region whose curves are nearest to the measured ones."""
    far = partial(difference, task, policy, target)
    first = [Region(r, r + gap, noise) for r, gap, noise in itertools.product(RADII, GAPS, NOISES)]
    best = min(first, key=partial(far, seeds=FEW))
    for finer in range(FINER):
        steps = np.array(STEPS) / 2**finer
        around = [
            np.maximum(value + step * np.array([-1, 0, 1]), 0.02)
            for value, step in zip(vars(best).values(), steps, strict=True)
        ]
        near = [Region(*np.round(lengths, 3).tolist()) for lengths in itertools.product(*around)]
        best = min(near, key=partial(far, seeds=MANY))
    return best


def measured(domain: str, files: Sequence[Path]) -> Sequence[LearningCurve]:
    """The curves of some files of measurements, or those of the domain's priors."""
    if files:
        return joined([read_measurements(file) for file in files]).curves
    rows: Mapping[str, Mapping[str, Any]] = read_priors(_folder(domain) / "priors.toml")[LEARNER]
    return [
        LearningCurve(policy, tuple(row["attempts"]), (tuple(row["measured"]),), row["explored"])
        for policy, row in rows.items()
    ]


def _folder(domain: str) -> Path:
    """Where the files of a domain are."""
    return Path(str(import_module(f"deliberate_practice.domains.{domain}").__file__)).parent


@click.command()
@click.argument("domain", type=click.Choice(["cleanup", "breakfast"]))
@click.argument("files", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--verb", "verbs", multiple=True, help="Only this one; may be repeated.")
@click.option("--check", is_flag=True, help="Fit nothing: say how near the regions are.")
def main(domain: str, files: tuple[Path, ...], verbs: tuple[str, ...], check: bool) -> None:
    """Fit the region of every verb that was measured; other verbs keep theirs."""
    file = _folder(domain) / "regions.toml"
    rows: dict[str, dict[str, Any]] = tomllib.loads(file.read_text())
    task = practised_task(domain, "regions")
    for name, target in targets(measured(domain, files)).items():
        if verbs and name not in verbs:
            continue
        policy = next(policy for policy in task.policies if verb(policy) == name)
        if check:
            region = Region(**{key: rows[name][key] for key in vars(Region())})
        else:
            region = fitted(task, policy, target)
        rms = difference(task, policy, target, region)
        click.echo(f"{name}: {region}, rms difference {rms:.3f}")
        for words, curve in zip(
            ("deployed", "explored"),
            learned(task, policy, region, target.points, OTHERS),
            strict=True,
        ):
            click.echo(f"  {words} measured {getattr(target, words).round(2)}")
            click.echo(f"  {words} here     {curve.round(2)}")
        if not check:
            rows[name] = {**vars(region), "rms": round(rms, 3), **target.as_data()}
            lines = [HEAD]
            for title, row in rows.items():
                lines += ["", f"[{title}]", *(f"{key} = {value}" for key, value in row.items())]
            file.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
