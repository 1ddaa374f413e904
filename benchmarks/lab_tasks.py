"""Random tasks of the kind that an ordinary lab has, with hidden truths.

A station has lines: things that pass through stages (beans, cup, milk; the parts of an assembly).
A step moves a line to its next stage. If it fails, the robot may retry at once (``stay``), the line
is set back to an earlier stage, it is in a mess that another skill mends, or the episode is over.
Delivering ends the episode: goals ask for different lines at different stages, so the robot may
deliver a simple product or work on a better one. Costs are unequal, some skills share a policy, and
some stations have two starts. What a skill states is drawn first, and its truth around it; some
skills cannot be learned.

The constants of this file and ``FROZEN``, the seeds of the benchmark, were fixed before any
strategy was run on these tasks, and are not changed. To develop a strategy, use ``TUNING``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from deliberate_practice.allocation.local_search import local_search
from deliberate_practice.allocation.problem import build_problem
from deliberate_practice.allocation.product_form import ProductForm, product_form
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.robots.curves import true_curve
from deliberate_practice.task.curves import Exponential, PiecewiseLinear, Table
from deliberate_practice.task.model import Goal, Start, Task
from deliberate_practice.task.skill import Condition, Effect, PossibleEffect, Skill

FROZEN = range(100)
"""Seeds of the benchmark."""
TUNING = range(1000, 1072)
"""Seeds for developing strategies."""
BUDGETS = (60, 120)
"""Budget units."""

DISCOUNT = 0.95
SKILLS = (6, 12)
"""The fewest and the most skills of a task."""
WORKING = 0.4
"""Part of the skills that work already."""
COSTS = {1: 0.45, 2: 0.3, 3: 0.15, 4: 0.1}
"""Budget units per episode, with their probabilities."""
SHARED = 0.15
"""Probability that a skill uses the policy of an earlier one of its kind."""
TWO_STARTS = 0.4
IMPOSSIBLE = 0.08
"""Part of the learned skills that practice does not improve."""
LOW = 0.12
"""Part of the learned skills with a low ceiling."""

WORTH_PRACTISING = 1.25
"""The best split of the smaller budget multiplies the value at least by this."""
WORTH_MORE = 1.08
"""The larger budget multiplies it again at least by this."""
WORTH_SOMETHING = 0.1
"""With the larger budget the value is at least this part of the largest reward."""
OTHER_SPLIT = 0.15
"""At least this part of the budget is for other policies in the larger budget's split."""
EVALUATIONS = 250
"""Splits that are evaluated to find out whether practice matters in a task."""


@dataclass(frozen=True)
class Station:
    """A kind of station.

    Attributes:
        lines: Names of its lines; between the two numbers of ``used`` of them are drawn.
        used: The fewest and the most lines.
        stages: The fewest and the most steps of a line.
        failures: Probabilities that a failure is to be retried, sets back, makes a mess, or ends.
        crossing: Probability that the last step of a line needs another line to be finished.
        detour: Probability that a step has a second skill.
    """

    lines: tuple[str, ...]
    used: tuple[int, int]
    stages: tuple[int, int]
    failures: tuple[float, float, float, float]
    crossing: float
    detour: float


STATIONS = {
    "coffee": Station(("beans", "cup", "milk"), (2, 3), (1, 2), (0.4, 0.1, 0.35, 0.15), 0.5, 0.1),
    "assembly": Station(("base", "cover"), (1, 2), (2, 4), (0.25, 0.35, 0.15, 0.25), 0.5, 0.1),
    "kitchen": Station(("pot", "pan", "plate"), (3, 3), (1, 2), (0.35, 0.15, 0.25, 0.25), 0.3, 0.1),
    "packing": Station(("item", "box"), (2, 2), (2, 3), (0.3, 0.15, 0.35, 0.2), 0.4, 0.3),
}
KINDS = ("stay", "back", "mess", "end")
_DRAWS = """
    7 4 0 3 1 3 7 5 1 5 0 2 0 13 1 2 0 5 0 4 4 1 1 1 0 15 3 6 5 3 1 6 8 0 4 0 6 2 4 0 4 4 0 1
    2 2 1 2 2 2 3 1 18 8 1 2 2 5 1 0 3 1 6 3 3 15 1 0 3 8 2 7 3 5 1 0 1 0 0 2 2 4 7 2 3 3 2 6
    8 11 0 4 2 6 8 5 1 3 2 1
    3 0 4 6 8 0 0 0 3 4 2 1 1 3 0 2 3 1 2 2 1 5 10 2 2 2 4 7 1 4 2 0 0 4 0 11 9 8 4 6
    8 1 0 2 3 4 1 3 9 0 2 1 0 2 8 3 6 0 4 0 4 3 0 8 6 5 8 0 2 0 2 3
"""
DRAWS = dict(zip((*FROZEN, *TUNING), map(int, _DRAWS.split()), strict=True))
"""The draw of each frozen and tuning seed in which practice matters, so that no search finds it."""
LONGEST = max(BUDGETS)
"""Attempts for which true curves are tabulated."""


@dataclass(frozen=True)
class LabTask:
    """A task with its truths.

    Attributes:
        seed: What it was drawn from.
        station: Its kind.
        task: What the strategy is told; truths are in it for the robot alone.
        ground: The same, grounded.
        truth: True competence after 0, 1, ... attempts, by policy.
        draw: How many draws of this seed came before it.
    """

    seed: int
    station: str
    task: Task
    ground: GroundTask
    truth: Mapping[str, FloatArray]
    draw: int


def lab_task(seed: int, first: int | None = None) -> LabTask:
    """The task of a seed: the first draw in which practice matters.

    Args:
        seed: The seed.
        first: Earlier draws are known not to matter; by default those before the ``DRAWS``.
    """
    station = list(STATIONS)[seed % len(STATIONS)]
    draw = DRAWS.get(seed, 0) if first is None else first
    while True:
        rng = np.random.default_rng([20261116, seed, draw])
        task = _draw(rng, station, f"{station}-{seed}")
        grounded = _general(task)
        if grounded is not None:
            truth = {name: true_curve(policy, LONGEST) for name, policy in task.policies.items()}
            if (first is None and draw == DRAWS.get(seed)) or _matters(grounded, truth):
                return LabTask(seed, station, task, grounded, truth, draw)
        draw += 1


def _general(task: Task) -> GroundTask | None:
    """The task, grounded; None if it has no reachable goal, or the paper's form."""
    if not SKILLS[0] <= len(task.skills) <= SKILLS[1]:
        return None
    try:
        grounded = ground(task)
    except TaskError:
        return None
    return None if isinstance(product_form(grounded), ProductForm) else grounded


def _matters(grounded: GroundTask, truth: Mapping[str, FloatArray]) -> bool:
    """Whether practice has an effect on the value, and the budget on the split."""
    curves = {name: curve.tolist() for name, curve in truth.items()}
    top = max(goal.reward for goal in grounded.task.goals)
    problems = [build_problem(grounded, budget, curves=curves) for budget in (0, *BUDGETS)]
    most = problems[-1].solve([LONGEST] * len(truth)).value
    before = problems[0].solve([0] * len(truth)).value
    if most < max(WORTH_PRACTISING * WORTH_MORE * before, WORTH_SOMETHING * top):
        return False
    splits = [local_search(problem, EVALUATIONS).astype(np.int64) for problem in problems[1:]]
    small, large = (
        problem.solve(split).value for problem, split in zip(problems[1:], splits, strict=True)
    )
    return (
        bool(small >= WORTH_PRACTISING * before)
        and large >= max(WORTH_MORE * small, WORTH_SOMETHING * top)
        and int(np.count_nonzero(splits[1])) > 1
        and _difference(problems[0].costs, splits) >= OTHER_SPLIT
    )


def _difference(costs: IntArray, splits: list[IntArray]) -> float:
    """Half the sum of the differences between the shares of two splits, 0 to 1."""
    one, other = (costs * split / max(int(costs @ split), 1) for split in splits)
    return float(np.abs(one - other).sum()) / 2


def _draw(rng: np.random.Generator, kind: str, name: str) -> Task:
    station = STATIONS[kind]
    count = int(rng.integers(station.used[0], station.used[1] + 1))
    lengths = {
        line: int(rng.integers(station.stages[0], station.stages[1] + 1))
        for line in station.lines[:count]
    }
    skills = _Skills(rng, station)
    for line, length in lengths.items():
        earlier = list(lengths)[: list(lengths).index(line)]
        for stage in range(length):
            needs: dict[str, str] = {line: f"{stage}"}
            if earlier and stage == length - 1 and rng.random() < station.crossing:
                other = earlier[int(rng.integers(len(earlier)))]
                needs[other] = f"{lengths[other]}"
            for way in range(1 + int(rng.random() < station.detour)):
                skills.step(f"step.{line}.{stage}{'ab'[way]}", line, stage, needs)
        skills.mend(line)
    variables = {
        line: [*(f"{stage}" for stage in range(length + 1)), *(["mess"] * (line in skills.messes))]
        for line, length in lengths.items()
    }
    goals = _goals(rng, lengths)
    variables["delivered"] = ["nothing", *(goal.name for goal, _ in goals)]
    for goal, needs in goals:
        skills.deliver(goal.name, needs)
    starts = [Start(1.0, {})]
    if rng.random() < TWO_STARTS:
        line = list(lengths)[int(rng.integers(len(lengths)))]
        second = round(float(rng.uniform(0.2, 0.45)), 2)
        starts = [Start(1.0 - second, {}), Start(second, {line: "1"})]
    return Task(
        name, variables, [goal for goal, _ in goals], skills.made, discount=DISCOUNT, starts=starts
    )


def _goals(
    rng: np.random.Generator, lengths: Mapping[str, int]
) -> list[tuple[Goal, dict[str, str]]]:
    """2 to 4 products: all lines finished, and some that need fewer lines or stages."""
    products = [dict(lengths)]
    wanted = int(rng.integers(2, 5))
    for _ in range(20):
        if len(products) == wanted:
            break
        lines = [line for line in lengths if rng.random() < 0.6]
        product = {line: int(rng.integers(1, lengths[line] + 1)) for line in lines}
        if product and product not in products:
            products.append(product)
    goals = []
    for number, product in enumerate(products):
        name = f"product{number}"
        reward = round((1 + sum(product.values())) * float(rng.uniform(0.7, 1.5)), 2)
        when = {"delivered": name}
        goals.append((Goal(name, reward, when), {k: f"{v}" for k, v in product.items()}))
    return goals


class _Skills:
    """Draws the skills of a station one after the other."""

    def __init__(self, rng: np.random.Generator, station: Station) -> None:
        self.rng = rng
        self.station = station
        self.made: list[Skill] = []
        self.messes: set[str] = set()

    def step(self, name: str, line: str, stage: int, needs: Condition) -> None:
        """A skill that moves a line to its next stage."""
        failure = self._failure(line, stage, mendable=True)
        self._add(name, needs, {line: f"{stage + 1}"}, failure)

    def mend(self, line: str) -> None:
        """The skill that mends a mess, if any skill of the line makes one."""
        if line in self.messes:
            failure: Effect = "stay" if self.rng.random() < 0.7 else "end"
            self._add(f"mend.{line}", {line: "mess"}, {line: "0"}, failure)

    def deliver(self, product: str, needs: Mapping[str, str]) -> None:
        """The skill that delivers a product."""
        line = list(needs)[int(self.rng.integers(len(needs)))]
        failure = self._failure(line, int(needs[line]), mendable=line in self.messes)
        condition = {**needs, "delivered": "nothing"}
        self._add(f"deliver.{product}", condition, {"delivered": product}, failure)

    def _failure(self, line: str, stage: int, *, mendable: bool) -> Effect | list[PossibleEffect]:
        kind = KINDS[int(self.rng.choice(len(KINDS), p=self.station.failures))]
        if kind == "back" and stage:
            return {line: f"{int(self.rng.integers(stage))}"}
        if kind == "mess" and mendable:
            self.messes.add(line)
            return {line: "mess"}
        if kind == "end" and self.rng.random() < 0.4:
            lost = round(float(self.rng.uniform(0.3, 0.8)), 2)
            return [PossibleEffect(lost, "end"), PossibleEffect(1 - lost, "stay")]
        return "end" if kind == "end" else "stay"

    def _add(
        self,
        name: str,
        needs: Condition,
        effect: Mapping[str, str],
        failure: Effect | list[PossibleEffect],
    ) -> None:
        rng = self.rng
        kind = name.partition(".")[0]
        alike = [skill for skill in self.made if skill.policy.partition(".")[0] == kind]
        if alike and rng.random() < SHARED:
            policy = alike[int(rng.integers(len(alike)))].policy
            self.made.append(Skill(name, needs, effect, failure=failure, policy=policy))
            return
        if rng.random() < WORKING:
            works = round(float(rng.uniform(0.85, 0.98)), 2)
            self.made.append(Skill(name, needs, effect, works, failure=failure))
            return
        logit = float(np.clip(rng.normal(-1.6, 0.8), -3.5, 0.4))
        rate = float(np.exp(rng.normal(np.log(0.04), 0.5)))
        curve = (
            PiecewiseLinear(rate=round(rate, 4), ceiling=0.95)
            if rng.random() < 0.5
            else Exponential(rate=round(1.5 * rate, 4), ceiling=0.95)
        )
        self.made.append(
            Skill(
                name,
                needs,
                effect,
                round(_expit(logit), 3),
                failure=failure,
                curve=curve,
                truth=Table(_truth(rng, logit, rate).tolist()),
                cost=int(rng.choice(list(COSTS), p=list(COSTS.values()))),
            )
        )


def _truth(rng: np.random.Generator, logit: float, rate: float) -> FloatArray:
    """A true curve around the stated competence and rate."""
    b = np.arange(LONGEST + 1.0)
    p = _expit(logit + float(rng.normal(0.0, 0.5)))
    rate *= float(np.exp(rng.normal(0.0, 0.5)))
    ceiling = float(rng.uniform(0.85, 0.99))
    chance = rng.random()
    if chance < IMPOSSIBLE:
        return np.full(len(b), round(min(p, 0.15), 6))
    if chance < IMPOSSIBLE + LOW:
        ceiling = float(rng.uniform(0.45, 0.75))
    ceiling = max(ceiling, p)
    family = rng.choice(["linear", "exponential", "late"], p=[0.4, 0.4, 0.2])
    if family == "linear":
        curve = np.minimum(ceiling, p + rate * b)
    elif family == "exponential":
        curve = p + (ceiling - p) * -np.expm1(-1.5 * rate * b)
    else:
        shape = 1 / (1 + np.exp(-6 * rate * (b - 0.5 / rate)))
        curve = p + (ceiling - p) * (shape - shape[0]) / (1 - shape[0])
    return np.maximum.accumulate(np.round(curve.clip(0.0, 1.0), 6))


def _expit(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))
