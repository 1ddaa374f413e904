"""What practice was worth where no truth is known: execute the robot's own plan and count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from deliberate_practice.practice.evaluation import intention
from deliberate_practice.practice.events import Executed
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.trial import Robot

EXECUTIONS = 100
"""How often the plan is executed before and after practice."""


@runtime_checkable
class PhysicalRobot(Robot, Protocol):
    """A robot that can execute a plan."""

    def execute(
        self,
        plan: Sequence[str],
        deployed: Mapping[str, Mapping[str, float]],
        seeds: Sequence[int],
    ) -> list[int]:
        """How many skills of the plan succeed in a row from each start."""
        ...


def measure(session: Session, robot: PhysicalRobot, executions: int = EXECUTIONS) -> Executed:
    """Execute what the robot would do now, from starts that are the same for every session.

    The result is in the journal, once for each amount of practice: a session that is resumed does
    not execute its plan again.
    """
    state = session.state
    for known in state.executions:
        if known.spent == state.settled and len(known.rewards) == executions:
            return known
    aim = intention(session.ground, state.competences)
    seeds = start_seeds(executions)
    done = robot.execute(aim.plan, state.all_deployed, seeds) if aim.plan else []
    reward = next((g.reward for g in session.task.goals if g.name == aim.goal), 0.0)
    rewards = tuple(reward if steps == len(aim.plan) else 0.0 for steps in done)
    found = Executed(state.settled, aim.goal, aim.plan, rewards or (0.0,) * executions)
    session.record(found)
    return found


def start_seeds(count: int) -> list[int]:
    """Seeds of the starts from which plans are executed: apart from those of practice."""
    return [int(seed) for seed in np.random.SeedSequence(20261115).generate_state(count)]
