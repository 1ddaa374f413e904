"""How often Kitchen's plans succeed by our rule, and by FrankaKitchen's own.

    python benchmarks/kitchen_published.py                   4 minutes on two cores
    python benchmarks/kitchen_published.py --out FILE.jsonl  keep finished sessions, and go on

The sessions are those of ``studies/kitchen.toml`` with free approaches. In the end each robot
executes its own plan from the same starts as there, up to the last skill unless the reflex stops
the arm. By our rule all skills must succeed, one after the other. By FrankaKitchen's a subtask
counts as done if its joints are within 0.3 of the goal after its skill, whatever the unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import click
import numpy as np
from commands import COUNT, Benchmark, workers_option
from intervals import said
from kept import practised
from rich.console import Console

from deliberate_practice.cli.output import table
from deliberate_practice.domains.kitchen.abstraction import published
from deliberate_practice.domains.kitchen.task import SKILLS
from deliberate_practice.domains.kitchen.workcell import KitchenWorkcell
from deliberate_practice.practice.earning import start_seeds
from deliberate_practice.practice.intention import Intention, intention
from deliberate_practice.practice.run import run
from deliberate_practice.practice.session import Session
from deliberate_practice.robots.mujoco.attempt import Attempt
from deliberate_practice.robots.mujoco.robot import succeeded
from deliberate_practice.study.statistics import mean

BUDGETS = (40, 90, 150)
SEEDS = range(100, 120)
"""Those of the study."""


@dataclass(frozen=True)
class Outcome:
    """How the plan of a session was executed.

    Attributes:
        strategy, budget, seed: The session.
        goal: The goal of its plan.
        strict, published: Mean reward by our rule and by FrankaKitchen's.
    """

    strategy: str
    budget: int
    seed: int
    goal: str | None
    strict: float
    published: float

    @property
    def key(self) -> tuple[str, int, int]:
        """The session."""
        return self.strategy, self.budget, self.seed


@click.command(cls=Benchmark)
@click.option("--strategies", default="deliberate", help="Separated by commas.")
@click.option("--executions", default=20, type=COUNT, help="Of each plan (20, as in the study).")
@workers_option
@click.option("--out", type=Path, help="Keep finished sessions here; a stopped run goes on.")
def main(strategies: str, executions: int, workers: int, out: Path | None) -> None:
    """Print the mean rewards by both rules."""
    wanted = list(product(strategies.split(","), BUDGETS, SEEDS))
    found = practised(Outcome, partial(outcome, executions), wanted, "sessions", workers, out)
    columns = ["strategy", "budget", "our rule", "FrankaKitchen's rule"]
    Console(width=100).print(table(columns, list(rows(found)), numeric=range(1, len(columns))))


def rows(found: Sequence[Outcome]) -> Iterator[list[str]]:
    """A row for each strategy and budget."""
    ordered = sorted(found, key=lambda one: one.budget)
    for strategy, budget in dict.fromkeys((one.strategy, one.budget) for one in ordered):
        mine = [one for one in found if (one.strategy, one.budget) == (strategy, budget)]
        mine.sort(key=lambda one: one.seed)
        rewards = ([one.strict for one in mine], [one.published for one in mine])
        yield [strategy, str(budget), *(said(mean(kind)) for kind in rewards)]


def outcome(executions: int, piece: tuple[str, int, int]) -> Outcome:
    """Practise as in the study, and execute the plan."""
    strategy, budget, seed = piece
    aims: list[Intention] = []

    def told(session: Session, stage: str) -> AbstractContextManager[None]:
        if stage == "after":
            aims.append(intention(session.ground, session.state))
        return nullcontext()

    run(
        "kitchen",
        "mujoco",
        budget,
        strategy=strategy,
        approach="free",
        seed=seed,
        journal=None,
        stages=told,
        executions=1,
    )
    (aim,) = aims
    cell = KitchenWorkcell()
    ends = [executed(cell, aim, start) for start in start_seeds(executions)]
    task = aim.ground.task
    reward = sum(goal.reward for goal in task.goals if goal.name == aim.goal)
    worth = reward * task.discount ** len(aim.plan)
    strict, theirs = (worth * float(np.mean([end[i] for end in ends])) for i in range(2))
    return Outcome(strategy, budget, seed, aim.goal, strict, theirs)


def executed(cell: KitchenWorkcell, aim: Intention, seed: int) -> tuple[bool, bool]:
    """Whether the plan succeeds by our rule, and by FrankaKitchen's."""
    state, strict, done = cell.reset(seed), bool(aim.plan), bool(aim.plan)
    for number, step in enumerate(aim.plan, 1):
        noise = int(np.random.SeedSequence([seed, number]).generate_state(1)[0])
        execution = cell.execute_all([Attempt(state, step.skill, step.parameters, noise)])[0]
        before, after = cell.abstract(state), cell.abstract(execution.state)
        skill = aim.ground.task.skill(step.skill)
        strict &= not execution.stopped and succeeded(skill, before, after)
        state = execution.state
        positions = np.array(cell.world.view(state).qpos)
        done &= published(positions, cell.model)[SKILLS[step.skill]]
        if execution.stopped and number < len(aim.plan):
            return False, False
    return strict, done


if __name__ == "__main__":
    main()
