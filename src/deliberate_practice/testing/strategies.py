"""The promises of every strategy."""

from __future__ import annotations

import tempfile
from itertools import product
from pathlib import Path
from typing import Literal

from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.strategies.strategy import Strategy
from deliberate_practice.task.model import Task
from deliberate_practice.testing.promise import promise
from deliberate_practice.testing.tasks import small_tasks

BUDGET = 18


def check_strategy(strategy: str | Strategy) -> None:
    """Check that a strategy completes sessions within the budget and decides reproducibly.

    Args:
        strategy: A registered name, or the strategy itself.

    Raises:
        AssertionError: A promise is broken.
        DeliberatePracticeError: A decision cannot be carried out; the message says why.
    """
    beliefs = ("bayes", "running-average")
    approaches: tuple[Literal["execute", "free"], ...] = ("execute", "free")
    for task, belief, approach in product(small_tasks(), beliefs, approaches):
        _check_sessions(strategy, task, belief, approach)


def _check_sessions(
    strategy: str | Strategy, task: Task, belief: str, approach: Literal["execute", "free"]
) -> None:
    with tempfile.TemporaryDirectory(prefix="deliberate-") as folder:
        runs = []
        for name in ("once", "again"):
            journal = Path(folder) / f"{name}.db"
            session = start_session(
                journal, name, task, BUDGET, strategy, belief, approach=approach, lasting=False
            )
            with session:
                _practise(session, CurveRobot(task), 7 if name == "again" else BUDGET)
            given = None if isinstance(strategy, str) else strategy
            with open_session(journal, name, strategy=given) as session:  # as after a power failure
                _practise(session, CurveRobot(task), BUDGET)
                spent = session.state.spent
                promise(spent <= BUDGET, f"{spent} units are spent of a budget of {BUDGET}.")
                promise(spent > 0, f"nothing is practised in the task '{task.name}'.")
                runs.append([(record.trial, record.result) for record in session.trials()])
        promise(
            runs[0] == runs[1],
            "an interrupted session continues differently; decide by the situation alone, "
            "and draw random numbers from its rng.",
        )


def _practise(session: Session, robot: CurveRobot, trials: int) -> None:
    """Run that many more trials, or all that are left."""
    if trials >= BUDGET:
        practise(session, robot)
        return
    for _ in range(trials):
        trial = session.ask()
        if trial is None:
            return
        (result,) = robot.run([trial])
        session.tell(trial.id, result.outcome, result.at, result.score, executed=result.executed)
