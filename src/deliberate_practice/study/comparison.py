"""Compare strategies over budgets and seeds on a simulated robot.

Cells (strategy, belief, budget, seed) are independent and seeded, so results depend neither on how
many processes work on them nor on the order. The same seeds are used for all strategies.
"""

from __future__ import annotations

import itertools
import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.beliefs.registry import make_belief
from deliberate_practice.domains.robots import make_robot
from deliberate_practice.errors import ArgumentError
from deliberate_practice.practice.evaluation import KnownRobot, exact_reward, intention
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.measuring import PhysicalRobot, measure
from deliberate_practice.practice.session import Session, start_session
from deliberate_practice.practice.trial import Result, Trial
from deliberate_practice.robots.curves import true_curve
from deliberate_practice.strategies.registry import make_strategy
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.study.parallel import Progress, in_processes
from deliberate_practice.study.results import Results, study_key
from deliberate_practice.task.grounding import ground
from deliberate_practice.task.model import Task

POINT_EVERY = 25
"""Budget between two points of a measured learning curve; twice as much above 250, and so on."""
POINT_EXECUTIONS = 20
"""Executions of the robot's plan for each of them."""


@dataclass(frozen=True)
class Row:
    """One strategy with one belief at one budget, over all seeds.

    Attributes:
        strategy, belief, budget: Which.
        seeds: How many sessions.
        mean, std: Of the reward.
        ci95: Interval for the mean (Student's t).
        clairvoyant: Value of the best split for the true curves, approach free; None if unknown.
        fraction: mean / clairvoyant.
        goals: How often each goal was aimed for in the end.
    """

    strategy: str
    belief: str
    budget: int
    seeds: int
    mean: float
    std: float
    ci95: tuple[float, float]
    clairvoyant: float | None
    fraction: float | None
    goals: dict[str, int]


def compare(
    task: Task,
    budgets: Sequence[int],
    strategies: Sequence[str],
    beliefs: Sequence[str] = ("bayes",),
    seeds: int = 5,
    *,
    robot: str = "curves",
    approach: Literal["execute", "free"] = "execute",
    workers: int = 2,
    progress: Progress | None = None,
    results: Results | None = None,
) -> tuple[list[Row], list[CellResult]]:
    """Practise with every strategy and belief at every budget, with the same seeds for all.

    Args:
        task: What is practised for.
        budgets: Budgets to compare at.
        strategies: Registered strategies.
        beliefs: Registered beliefs.
        seeds: Sessions per cell of the table; their seeds are 0, 1, ...
        robot: A simulated robot.
        approach: Whether approaches are executed, or free.
        workers: Processes to use.
        progress: Called with (cells done, cells in all).
        results: Where finished sessions are kept; those that are there are not run again.

    Returns:
        The rows of the table, and every session's result in the order of the cells.
    """
    for name, values in (("budgets", budgets), ("strategies", strategies), ("beliefs", beliefs)):
        if not values:
            raise ArgumentError(f"{name}: give at least one.")
    if seeds < 1:
        raise ArgumentError(f"seeds: {seeds} is not valid; give a whole number of at least 1.")
    for name in strategies:
        make_strategy(name)
    for name in beliefs:
        make_belief(name, task)
    make_robot(robot, task, 0)
    cells = [Cell(*cell) for cell in itertools.product(strategies, beliefs, budgets, range(seeds))]
    study = study_key(task, robot, approach)
    found = results.known(study) if results else {}
    before = sum(cell in found for cell in cells)

    def keep(result: CellResult) -> None:
        found[result.cell] = result
        if results:
            results.add(study, result)

    in_processes(
        partial(run_cell, task, robot, approach),
        [cell for cell in cells if cell not in found],
        workers,
        lambda done, _: progress(before + done, len(cells)) if progress else None,
        keep,
    )
    sessions = [found[cell] for cell in cells]
    clairvoyant = {budget: _clairvoyant(task, budget, robot) for budget in budgets}
    rows = [
        _row(list(group), clairvoyant[budget])
        for (_, _, budget), group in itertools.groupby(
            sessions, key=lambda r: (r.cell.strategy, r.cell.belief, r.cell.budget)
        )
    ]
    return rows, sessions


def run_cell(
    task: Task, robot: str, approach: Literal["execute", "free"], cell: Cell
) -> CellResult:
    """One session in a journal of its own that is thrown away."""
    with tempfile.TemporaryDirectory(prefix="deliberate-") as folder:
        session = start_session(
            Path(folder) / "cell.db",
            "cell",
            task,
            cell.budget,
            cell.strategy,
            cell.belief,
            cell.seed,
            approach=approach,
            robot=robot,
        )
        body = make_robot(robot, task, cell.seed)
        if isinstance(body, PhysicalRobot):
            return _practised_in_physics(session, body, cell)
        assert isinstance(body, KnownRobot)  # a simulated robot is one or the other
        practise(session, body)
        aim = intention(session.ground, session.state.competences)
        reward = exact_reward(session.ground, body, session.state)
        return CellResult(cell, reward, aim.goal, dict(session.state.attempts))


def _practised_in_physics(session: Session, body: PhysicalRobot, cell: Cell) -> CellResult:
    """Practise, and execute the robot's own plan now and then to see how far it is."""

    every = POINT_EVERY * math.ceil(cell.budget / (10 * POINT_EVERY))

    def look(session: Session, trial: Trial, result: Result) -> None:
        if session.state.settled % every == 0:
            measure(session, body, POINT_EXECUTIONS)

    measure(session, body, POINT_EXECUTIONS)
    practise(session, body, look)
    final = measure(session, body)
    before = [e for e in session.state.executions if e.spent < final.spent]
    points = tuple((e.spent, e.mean) for e in (*before, final))
    return CellResult(cell, final.mean, final.goal, dict(session.state.attempts), points)


def _clairvoyant(task: Task, budget: int, robot: str) -> float | None:
    if robot != "curves":
        return None
    curves = {
        name: true_curve(policy, budget // policy.cost).tolist()
        for name, policy in task.policies.items()
    }
    return allocate(ground(task), budget, curves=curves).value


def _row(group: list[CellResult], clairvoyant: float | None) -> Row:
    rewards = np.array([result.reward for result in group])
    mean, n = float(rewards.mean()), len(rewards)
    std = float(rewards.std(ddof=1)) if n > 1 else 0.0
    half = _t_quantile(n - 1) * std / math.sqrt(n) if n > 1 else 0.0
    goals: dict[str, int] = {}
    for result in group:
        goals[result.goal or "none"] = goals.get(result.goal or "none", 0) + 1
    first = group[0].cell
    return Row(
        first.strategy,
        first.belief,
        first.budget,
        n,
        mean,
        std,
        (mean - half, mean + half),
        clairvoyant,
        mean / clairvoyant if clairvoyant else None,
        dict(sorted(goals.items(), key=lambda item: -item[1])),
    )


def _t_quantile(freedom: int) -> float:
    from scipy.stats import t  # slow to import

    return float(t.ppf(0.975, freedom))
