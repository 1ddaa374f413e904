"""Let a robot practise: ask, run, tell, until there is nothing more to do."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from deliberate_practice.practice.session import Session
from deliberate_practice.practice.trial import BatchRobot, Result, Robot, Trial

Progress = Callable[[Session, Trial, Result], None]

WAIT_SECONDS = 0.05
"""How often to look whether others have told the trials that everything waits for."""


def practise(
    session: Session, robot: Robot, progress: Progress | None = None, *, patience: float = 5.0
) -> None:
    """Practise until the budget is spent or nothing is worth practising.

    A robot that runs episodes side by side gets a generation at a time.

    Args:
        session: What to go on with.
        robot: What runs the episodes.
        progress: Called after every trial that was told.
        patience: Seconds to wait for the trials of other askers if nothing else can be practised.
    """
    waited = 0.0
    while waited <= patience:
        trials, run = _ask(session, robot)
        if not trials:
            if session.done or not session.state.left:
                return
            time.sleep(WAIT_SECONDS)
            waited += WAIT_SECONDS
            continue
        waited = 0.0
        for trial, result in zip(trials, run(trials), strict=True):
            session.tell(trial.id, result.outcome, result.at, result.score, result.measurements)
            if progress:
                progress(session, trial, result)


def _ask(
    session: Session, robot: Robot
) -> tuple[list[Trial], Callable[[Sequence[Trial]], list[Result]]]:
    """The next trials, and how the robot runs them."""
    if isinstance(robot, BatchRobot):
        return session.ask_together(), robot.run_all
    trial = session.ask()
    return [trial] if trial else [], lambda trials: [robot.run(trial) for trial in trials]
