"""A rehearsal: a session in memory on the synthetic robot, and worlds to rehearse in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from deliberate_practice.beliefs.bayes import BayesBelief
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.practice.arguments import checked_settings
from deliberate_practice.practice.asking import practice
from deliberate_practice.practice.curriculum import Curriculum
from deliberate_practice.practice.intention import intention
from deliberate_practice.practice.journal.events import Asked, Event, Told
from deliberate_practice.practice.journal.rows import Entry
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.robot import Earnings
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.task.curves import Table
from deliberate_practice.task.model import Task

LEARNER = "cma-es"
EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""Rehearsals take no time."""


@dataclass(frozen=True)
class Rehearsal:
    """What a rehearsed session came to.

    Attributes:
        earnings: The true reward of the robot's own plan in the end.
        spent: Budget units spent.
        units: The same by policy.
        episodes: Episodes of each policy, tests included; a training run is none.
        switches: How often the robot turned to each policy from another one.
    """

    earnings: Earnings
    spent: int
    units: Mapping[str, int]
    episodes: Mapping[str, int]
    switches: Mapping[str, int]


def rehearse(
    task: Task,
    budget: int,
    *,
    strategy: str = "deliberate",
    belief: str = "bayes",
    approach: str = "execute",
    seed: int = 0,
    look: Callable[[State, Curriculum], None] | None = None,
) -> Rehearsal:
    """Practise a task on the synthetic robot until the budget is spent, without a journal.

    Args:
        task: The task, with its true curves.
        budget: Budget units.
        strategy, belief, approach: As in a session.
        seed: Seed of everything random.
        look: Called with the state before each trial.
    """
    settings = checked_settings(budget, strategy, belief, LEARNER, seed, approach, "curves", "")
    state = State(task, settings, belief, LEARNER, EPOCH)
    curriculum = Curriculum(task, free=approach == "free")
    robot = CurveRobot(task, seed)

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
    policies = [r.policy for r in state.records.values() if r.kind != "training"]
    practised = [r.policy for r in state.records.values() if r.kind in ("practice", "test")]
    turned = [new for old, new in zip([None, *practised], practised, strict=False) if new != old]
    return Rehearsal(
        robot.earn(intention(curriculum.ground, state), 1),
        state.spent,
        {
            name: sum(record.cost for record in state.records.values() if record.policy == name)
            for name in task.policies
        },
        {name: policies.count(name) for name in task.policies if name in policies},
        {name: turned.count(name) for name in task.policies if name in turned},
    )


def without_parameters(task: Task) -> Task:
    """The task as the synthetic robot practises it: along curves, with nothing to search."""
    return replace(task, skills=[replace(skill, parameters=()) for skill in task.skills])


def possible_world(task: Task, attempts: int, seed: int, belief: BayesBelief) -> Task:
    """The task in a world that the belief holds possible: with true curves drawn from it.

    Args:
        task: The task, without parameters.
        attempts: Curves are constant after this many.
        seed: The number of the world.
        belief: What is believed about the task.
    """
    return with_truth(task, possible_curves(attempts, seed, belief))


def possible_curves(attempts: int, seed: int, belief: BayesBelief) -> dict[str, FloatArray]:
    """The true curves of the world with a number, up to so many attempts."""
    return belief.draw(attempts, np.random.default_rng([seed, 2]))


def with_truth(task: Task, curves: Mapping[str, FloatArray]) -> Task:
    """The task with these true curves, which the synthetic robot alone reads."""
    skills = [
        replace(skill, truth=Table(curves[skill.policy].tolist()))
        if skill.policy in curves
        else skill
        for skill in task.skills
    ]
    return replace(task, skills=skills)
