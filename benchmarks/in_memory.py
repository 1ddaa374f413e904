"""Practise on the synthetic robot in a session without a journal."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from deliberate_practice.practice.arguments import checked_settings
from deliberate_practice.practice.asking import practice
from deliberate_practice.practice.curriculum import Curriculum
from deliberate_practice.practice.intention import intention
from deliberate_practice.practice.journal.events import Asked, Event, Told
from deliberate_practice.practice.journal.rows import Entry
from deliberate_practice.practice.replay import State
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.task.model import Task

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)

Look = Callable[[State, Curriculum], None]


def play(
    task: Task,
    strategy: str,
    belief: str,
    approach: str,
    budget: int,
    seed: int,
    look: Look | None = None,
) -> float:
    """Practise until the budget is spent; the true value of the robot's own plan afterwards.

    Args:
        task: The task, with its truths.
        strategy, belief, approach: What is practised.
        budget: Budget units.
        seed: Seed of the session.
        look: Called with the state before each trial.
    """
    settings = checked_settings(
        budget, strategy, belief, "cma-es", seed, approach, "curves", scene=""
    )
    state = State(task, settings, belief, "cma-es", EPOCH)
    curriculum = Curriculum(task, free=approach == "free")
    robot = CurveRobot(task)

    def happened(event: Event) -> None:
        state.apply(Entry(state.length + 1, event, EPOCH, ""))

    while True:
        if look:
            look(state, curriculum)
        events = practice(state, curriculum, strategy)
        if not events:
            break
        for event in events:
            happened(event)
        asked = events[-1]
        assert isinstance(asked, Asked)
        happened(Told(asked.trial.id, robot.run([asked.trial])[0]))
    return robot.earn(intention(curriculum.ground, state), 1).reward
