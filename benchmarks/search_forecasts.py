"""How far forecasts of the search belief are from the truth, on hidden regions of success.

    python benchmarks/search_forecasts.py                    regions that judge; about 2 minutes
    python benchmarks/search_forecasts.py --fitting          regions for development

A learner searches for a hidden ball of success (``robots/regions.py``). Each region is learned with
some seeds first, and the exponential curve that fits their mean is stated, as ``deliberate priors``
does it. Then other seeds practise in generations, and the belief sees their outcomes as it does in
a session. Before every generation it forecasts the deployed competence 0, 12, 24 and 48 attempts
later; the error is the forecast minus the true competence then.

Regions for development are random balls, boxes, and the balls that were fitted to skills of Cleanup
in physics. Those that judge are other random balls, the boxes of ``learning.py``, and the balls
that were fitted to Breakfast.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path

import click
import numpy as np
from learning import BOXES, competence as in_box
from rich.console import Console

from deliberate_practice.beliefs.bayes import BayesBelief
from deliberate_practice.beliefs.belief import Batch
from deliberate_practice.cli.output import table
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.learners.registry import LEARNER, make_learner
from deliberate_practice.robots.regions import Region, RegionRobot
from deliberate_practice.strategies.strategy import ROUND
from deliberate_practice.study.learning_curves import fit_exponential
from deliberate_practice.task.curves import Exponential
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Parameter, Skill

AHEAD = (0, 12, 24, 48)
"""Attempts ahead."""
PRACTICE = 48
"""Forecasts are made until then, by attempts."""
STATING = range(500, 516)
"""Seeds whose mean curve is stated."""
FITTING, JUDGING = range(40), range(1_000, 1_040)
"""Numbers of the random balls."""

OTHER_BOXES = ((2, 0.35), (2, 0.7), (3, 0.5), (3, 0.7), (4, 0.6))
"""Boxes for development, as in ``learning.py``."""

Truth = Callable[[int, Mapping[str, float]], float]
"""The competence of parameters in the world of a seed."""


@dataclass(frozen=True)
class Problem:
    """A hidden region: its kind, the number of parameters, and the competence there."""

    kind: str
    parameters: int
    truth: Truth


@dataclass(frozen=True)
class Learned:
    """One run of learning: the batches of every generation, and the competence before each.

    Attributes:
        generations: Batches as a session would see them.
        competence: Deployed competence after 0, 1, ... generations.
    """

    generations: list[list[Batch]]
    competence: list[float]


@click.command()
@click.option("--fitting", is_flag=True, help="Regions for development.")
@click.option("--seeds", default=12, help="Learnings of each region (12).")
def main(fitting: bool, seeds: int) -> None:
    """Print the mean error by kind of region and number of attempts ahead."""
    problems = list(development() if fitting else judges())
    rows = []
    for quality in (None, "accurate"):
        errors = [problem_errors(problem, range(seeds), quality) for problem in problems]
        kinds = ["all", *dict.fromkeys(problem.kind for problem in problems)]
        for kind in kinds:
            mine = [e for p, e in zip(problems, errors, strict=True) if kind in ("all", p.kind)]
            rows.append([quality or "unknown", kind, f"{len(mine)}", *map(_shown, _columns(mine))])
    names = [f"{b} ahead" for b in AHEAD] + [f"{AHEAD[-1]} ahead, no success yet"]
    screen = Console(width=132)
    screen.print("Forecast minus true competence, mean over regions and its 95 % interval")
    screen.print(
        table(["quality of priors", "regions", "number", *names], rows, numeric=range(2, 8))
    )


def problem_errors(problem: Problem, seeds: range, quality: str | None) -> FloatArray:
    """Mean errors of one region by attempts ahead; the last one where nothing has succeeded yet."""
    task = stated_task(problem)
    found: list[list[float]] = [[] for _ in range(len(AHEAD) + 1)]
    for seed in seeds:
        run = learned(task, problem, seed)
        belief, succeeded = BayesBelief.prior(task, quality=quality), False
        for number, batches in enumerate(run.generations[: PRACTICE // ROUND + 1]):
            curve = belief.curve("A", AHEAD[-1])
            for i, b in enumerate(AHEAD):
                found[i].append(float(curve[b]) - run.competence[number + b // ROUND])
            if not succeeded:
                found[-1].append(found[-2][-1])
            for batch in batches:
                belief = belief.after(batch)
                succeeded = succeeded or batch.successes > 0
    return np.array([np.mean(errors) for errors in found])


def stated_task(problem: Problem) -> Task:
    """A task of one skill that states the fit to the mean curve of some seeds."""
    plain = _task(problem.parameters, 0.0, Exponential(rate=0.05))
    curves = [learned(plain, problem, seed).competence for seed in STATING]
    attempts = ROUND * np.arange(len(curves[0]), dtype=float)
    start, rate, ceiling = fit_exponential(attempts, np.mean(curves, axis=0))
    return _task(problem.parameters, round(start, 3), Exponential(rate, round(ceiling, 3)))


def learned(task: Task, problem: Problem, seed: int) -> Learned:
    """Practise with our learner."""
    learner = make_learner(LEARNER, task.policies["A"], seed)
    rng = np.random.default_rng([seed, 4])
    generations, competence = [], [problem.truth(seed, learner.deployed)]
    for number in range((PRACTICE + AHEAD[-1]) // ROUND):
        batches: list[Batch] = []
        for place in range(ROUND):
            candidate = learner.ask()
            assert candidate is not None  # no other is out
            success = bool(rng.random() < problem.truth(seed, candidate.values))
            learner.tell(candidate.id, "success" if success else "failure", None)
            before = ROUND * number + place
            if batches and batches[-1].explore and candidate.explores:
                seen = batches.pop()
                batch = Batch("A", seen.before, seen.attempts + 1, seen.successes + success)
            else:
                batch = Batch("A", before, 1, int(success), explore=candidate.explores)
            batches.append(batch)
        generations.append(batches)
        competence.append(problem.truth(seed, learner.deployed))
    return Learned(generations, competence)


def _task(parameters: int, start: float, curve: Exponential) -> Task:
    searched = tuple(Parameter(f"x{i}", 0.0, 1.0, -6.0, 6.0) for i in range(parameters))
    skill = Skill("A", {"x": "0"}, {"x": "1"}, start, curve=curve, parameters=searched)
    return Task("one", {"x": ["0", "1"]}, [Goal("g", 1.0, {"x": "1"})], [skill])


def balls(numbers: Sequence[int]) -> Iterator[Problem]:
    """Random balls that the prior mean mostly lies outside of."""
    for number in numbers:
        rng = np.random.default_rng([515, number])
        radius = float(np.exp(rng.uniform(np.log(0.5), np.log(2.2))))
        region = Region(
            radius, radius + float(rng.uniform(-0.2, 1.0)), float(rng.uniform(0.07, 0.4))
        )
        parameters = int(rng.integers(2, 5))
        yield Problem("random balls", parameters, partial(_in_ball, region, parameters))


def development() -> Iterator[Problem]:
    """Regions on which constants of the belief were chosen."""
    yield from balls(FITTING)
    yield from boxes(OTHER_BOXES)
    yield from measured_balls("cleanup")


def judges() -> Iterator[Problem]:
    """Regions that no constant of the belief was fitted to."""
    yield from balls(JUDGING)
    yield from boxes(BOXES)
    yield from measured_balls("breakfast")


def boxes(sizes: Sequence[tuple[int, float]]) -> Iterator[Problem]:
    """Boxes with a corner at the prior mean."""
    for parameters, half in sizes:
        yield Problem("boxes", parameters, partial(_in_box, half))


def measured_balls(domain: str) -> Iterator[Problem]:
    """Balls that were fitted to skills in physics."""
    folder = Path(str(import_module(f"deliberate_practice.domains.{domain}").__file__)).parent
    for row in tomllib.loads((folder / "regions.toml").read_text()).values():
        region = Region(row["radius"], row["displacement"], row["noise"])
        yield Problem("balls fitted to physics", 3, partial(_in_ball, region, 3))


def _in_box(half: float, seed: int, values: Mapping[str, float]) -> float:
    return in_box(values, half)  # every seed has the same


def _in_ball(region: Region, parameters: int, seed: int, values: Mapping[str, float]) -> float:
    robot = _robot(region, parameters, seed)
    return robot.competence("A", values)


def _robot(region: Region, parameters: int, seed: int) -> RegionRobot:
    key = (region, parameters, seed)
    if key not in _ROBOTS:
        task = _task(parameters, 0.0, Exponential(rate=0.05))
        _ROBOTS.clear()  # runs come one after the other
        _ROBOTS[key] = RegionRobot(task, seed, regions={"A": region})
    return _ROBOTS[key]


_ROBOTS: dict[tuple[Region, int, int], RegionRobot] = {}


def _columns(errors: Sequence[FloatArray]) -> Iterator[FloatArray]:
    yield from np.array(errors).T


def _shown(errors: FloatArray) -> str:
    half = 1.96 * errors.std(ddof=1) / np.sqrt(len(errors))
    return f"{errors.mean():+.3f} ±{half:.3f}"


if __name__ == "__main__":
    main()
