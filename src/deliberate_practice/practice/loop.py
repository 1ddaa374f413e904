"""The practice loop: ask, run, tell, until there is nothing more to do."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from deliberate_practice.foundation.blame import blamed
from deliberate_practice.foundation.checks import LARGEST_BUDGET, whole_number
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.operating.idle import Idle
from deliberate_practice.practice.robot import Result, Robot, Trial


class Practised(Protocol):
    """A session that trials come from: here, or behind a service."""

    @property
    def idle(self) -> Idle | None:
        """Why the last ask found no trial."""
        ...

    @property
    def open(self) -> int:
        """How many trials of all askers were asked and not told."""
        ...

    def ask_together(self, most: int) -> list[Trial]:
        """The next trials that can be run side by side."""
        ...

    def tell(
        self,
        trial_id: int,
        outcome: str,
        at: str | None = None,
        score: float | None = None,
        measurements: Mapping[str, float] | None = None,
        executed: Sequence[tuple[str, bool]] | None = None,
    ) -> None:
        """Record what happened in a trial."""
        ...


Here = TypeVar("Here", bound=Practised)
Progress = Callable[[Here, Trial, Result], None]

WAIT_SECONDS = 0.05
"""Time between two checks whether other askers have told their trials [s]."""


def practise(
    session: Here, robot: Robot, progress: Progress[Here] | None = None, *, patience: float = 5.0
) -> Idle:
    """Practise until the budget is spent or nothing is worth practising.

    While the session is paused, what is left needs a blocked skill, or a trial waits until somebody
    says Ready, the robot waits.

    Args:
        session: The session, here or behind a service.
        robot: The robot that runs the episodes, as many at a time as its ``parallel`` allows.
        progress: Called after every trial that was told.
        patience: Seconds to wait for the trials of other askers if nothing else can be practised.

    Returns:
        Why there is nothing more to do.

    Raises:
        PartFailed: The robot raised an exception, or refused too many candidates in a row; what
            was told before is kept.
        ArgumentError: The robot did not return one result for each trial, or its ``parallel``
            makes no sense.
    """
    place = f"robot {type(robot).__name__}"
    most = whole_number(f"{place}: parallel", getattr(robot, "parallel", 1), 1, LARGEST_BUDGET)
    waited = 0.0
    while True:
        begun = time.monotonic()
        trials = session.ask_together(most)
        if not trials:
            idle = session.idle
            if idle and (idle.state == "done" or waited > patience):
                return idle
            time.sleep(WAIT_SECONDS)
            if idle and session.open and idle.trial is None:
                waited += time.monotonic() - begun
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
            session.tell(
                trial.id,
                result.outcome,
                result.at,
                result.score,
                result.measurements,
                result.executed,
            )
            if progress:
                progress(session, trial, result)
