"""Let a robot practise: ask, run, tell, until there is nothing more to do."""

from __future__ import annotations

import time
from collections.abc import Callable

from deliberate_practice.foundation.blame import blamed
from deliberate_practice.foundation.checks import LARGEST_BUDGET, whole_number
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.robot import Result, Robot, Trial
from deliberate_practice.practice.session import Session

Progress = Callable[[Session, Trial, Result], None]

WAIT_SECONDS = 0.05
"""How often to look whether others have told the trials that everything waits for."""


def practise(
    session: Session, robot: Robot, progress: Progress | None = None, *, patience: float = 5.0
) -> None:
    """Practise until the budget is spent or nothing is worth practising.

    Args:
        session: What to go on with.
        robot: What runs the episodes: one at a time, or as many as its ``parallel`` says.
        progress: Called after every trial that was told.
        patience: Seconds to wait for the trials of other askers if nothing else can be practised.

    Raises:
        PartFailed: The robot raised an exception; what was told before is kept.
        ArgumentError: The robot returned something else than a result for each trial, or its
            ``parallel`` makes no sense.
    """
    place = f"robot {type(robot).__name__}"
    most = whole_number(f"{place}: parallel", getattr(robot, "parallel", 1), 1, LARGEST_BUDGET)
    waited = 0.0
    while waited <= patience:
        trials = session.ask_together(most)
        if not trials:
            if session.done or not session.state.left:
                return
            time.sleep(WAIT_SECONDS)
            waited += WAIT_SECONDS
            continue
        waited = 0.0
        with blamed(place):
            results = list(robot.run(trials))
        if len(results) != len(trials) or not all(isinstance(one, Result) for one in results):
            raise ArgumentError(
                f"{place}: it returned {results!r} for {len(trials)} trials; return one Result for "
                "each trial, in order."
            )
        for trial, result in zip(trials, results, strict=True):
            session.tell(trial.id, result.outcome, result.at, result.score, result.measurements)
            if progress:
                progress(session, trial, result)
