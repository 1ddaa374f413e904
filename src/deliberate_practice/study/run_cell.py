"""One session of a study, from an empty journal to its reward."""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from deliberate_practice.domains.robots import make_robot
from deliberate_practice.practice.evaluation import KnownRobot, exact_reward, intention
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.measuring import EXECUTIONS, PhysicalRobot, measure
from deliberate_practice.practice.session import Session, start_session
from deliberate_practice.practice.trial import Result, Trial
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.study.watchdog import progress
from deliberate_practice.task.model import Task

Approach = Literal["execute", "free"]


@dataclass(frozen=True)
class Evaluation:
    """How rewards are measured in physics; where the truth is known they are exact.

    Every strategy is measured from the same starts.

    Attributes:
        executions: Executions of the robot's own plan after practice.
        point_executions: Executions for each point of the curve measured on the way.
        every: Budget between two points; twice as much above 10 times that, and so on.
    """

    executions: int = EXECUTIONS
    point_executions: int = 20
    every: int = 25


EVALUATION = Evaluation()


def run_cell(
    task: Task,
    robot: str,
    approach: Approach,
    cell: Cell,
    evaluation: Evaluation = EVALUATION,
) -> CellResult:
    """One session in a journal of its own that is thrown away.

    Args:
        task: What is practised for, as the robot practises it.
        robot: A simulated robot.
        approach: Whether approaches are executed, or free.
        cell: Strategy, belief, budget and seed.
        evaluation: How its reward is measured in physics.
    """
    with (
        tempfile.TemporaryDirectory(prefix="deliberate-") as folder,
        start_session(
            Path(folder) / "cell.db",
            "cell",
            task,
            cell.budget,
            cell.strategy,
            cell.belief,
            cell.seed,
            approach=approach,
            robot=robot,
            lasting=False,  # a session that is cut short is run again from its beginning
        ) as session,
    ):
        body = make_robot(robot, task, cell.seed)
        if isinstance(body, PhysicalRobot):
            return _practised_in_physics(session, body, cell, evaluation)
        assert isinstance(body, KnownRobot)  # a simulated robot is one or the other
        return _practised_by_known_curves(session, body, cell, evaluation)


def _practised_by_known_curves(
    session: Session, body: KnownRobot, cell: Cell, evaluation: Evaluation
) -> CellResult:
    """Practise, and compute now and then what the robot's own plan is truly worth."""
    points = {0: exact_reward(session.ground, body, session.state)}

    def look(session: Session, trial: Trial, result: Result) -> None:
        progress()
        if _due(session, max(points), cell, evaluation):
            points[session.state.settled] = exact_reward(session.ground, body, session.state)

    practise(session, body, look)
    state = session.state
    points[state.settled] = reward = exact_reward(session.ground, body, state)
    aim = intention(session.ground, state.competences)
    return CellResult(
        cell,
        reward,
        aim.goal,
        dict(state.attempts),
        tuple(points.items()),
        tuple(aim.plan),
        state.allocation,
    )


def _practised_in_physics(
    session: Session, body: PhysicalRobot, cell: Cell, evaluation: Evaluation
) -> CellResult:
    """Practise, and execute the robot's own plan now and then to see how far it is."""

    def look(session: Session, trial: Trial, result: Result) -> None:
        progress()
        if _due(session, session.state.executions[-1].spent, cell, evaluation):
            measure(session, body, evaluation.point_executions)

    measure(session, body, evaluation.point_executions)
    practise(session, body, look)
    final = measure(session, body, evaluation.executions)
    before = [e for e in session.state.executions if e.spent < final.spent]
    points = tuple((e.spent, e.mean) for e in (*before, final))
    return CellResult(
        cell,
        final.mean,
        final.goal,
        dict(session.state.attempts),
        points,
        tuple(final.plan),
        session.state.allocation,
    )


def _due(session: Session, last: int, cell: Cell, evaluation: Evaluation) -> bool:
    """Whether it is time for the next point of the curve, where the last one was at ``last``.

    Skills that cost more than 1 may step over the budget at which it was due.
    """
    between = max(1, evaluation.every * math.ceil(cell.budget / (10 * evaluation.every)))
    return session.state.settled // between > last // between
