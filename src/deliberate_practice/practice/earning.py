"""The reward of the robot's own plan: exact if the true curves are known, else measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.foundation.blame import blamed
from deliberate_practice.foundation.estimates import rate
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.moves import moves
from deliberate_practice.mdp.values import rule_values
from deliberate_practice.practice.events import Executed
from deliberate_practice.practice.intention import Intention, intention
from deliberate_practice.practice.robot import (
    Approach,
    EarningRobot,
    Earnings,
    Robot,
    Trial,
    run_all,
)
from deliberate_practice.practice.session import Session

EXECUTIONS = 100
"""Default number of executions that measure the reward of a plan."""


def measure(session: Session, robot: EarningRobot, executions: int = EXECUTIONS) -> Executed:
    """Measure the present reward of the robot's own plan, and write it into the journal.

    A resumed session does not measure again what its journal already has.

    Raises:
        PartFailed: The robot raised an exception.
    """
    state = session.state
    for known in state.fresh:
        exact = known.earnings.interval is None
        if known.spent == state.settled and (exact or len(known.earnings.successes) == executions):
            return known
    aim = intention(session.ground, state)
    with blamed(f"robot {type(robot).__name__}"):
        earned = robot.earn(aim, executions)
    executed = Executed(state.settled, aim.goal, aim.skills, earned)
    session.record(executed)
    return executed


def exact_earnings(intention: Intention, competences: Mapping[str, float]) -> Earnings:
    """The expected reward of an intention, for the true competence of every policy.

    Args:
        intention: The intention.
        competences: True competences by policy.
    """
    ground = intention.ground
    undiscounted = replace(ground, task=replace(ground.task, discount=1.0))
    return Earnings(
        reward_of(ground, intention.rule, competences),
        reward_of(undiscounted, intention.rule, competences),
    )


def measured_earnings(robot: Robot, intention: Intention, executions: int) -> Earnings:
    """The mean reward of executing the plan from so many starts, the same for every session."""
    task, plan = intention.ground.task, intention.plan
    reward = next((goal.reward for goal in task.goals if goal.name == intention.goal), 0.0)
    successes = [False] * executions
    if plan:
        trials = [
            Trial(number, Approach(plan[:-1]), plan[-1], "deploy", seed)
            for number, seed in enumerate(start_seeds(executions), 1)
        ]
        successes = [result.outcome == "success" for result in run_all(robot, trials)]
    share = rate(sum(successes), executions)
    assert share.interval
    low, high = (task.discount ** len(plan) * reward * end for end in share.interval)
    undiscounted = reward * share.value
    discounted = task.discount ** len(plan) * undiscounted
    return Earnings(discounted, undiscounted, (low, high), tuple(successes))


def start_seeds(count: int) -> list[int]:
    """Seeds of the starts for executions of plans, which practice never uses."""
    return [int(seed) for seed in np.random.SeedSequence(20261115).generate_state(count)]


def reward_of(ground: GroundTask, rule: IntArray, true: Mapping[str, float]) -> float:
    """Expected discounted reward of a fixed decision rule for given competences.

    A rule that goes round for ever earns nothing. This is possible with discount 1, if the robot
    relies on a skill that never succeeds.

    Args:
        ground: The abstract MDP.
        rule: Action of each state, -1 for stopping, shape (N,).
        true: Competence of each policy.
    """
    competence = np.array([true[name] for name in ground.policy_names])
    ending = np.where(_ending(ground, competence, rule), rule, -1)
    return float(ground.start @ rule_values(ground, competence, ending))


def _ending(ground: GroundTask, competence: FloatArray, actions: IntArray) -> BoolArray:
    """The acting states from which the episode can end, by a goal, by stopping or by loss."""
    acting: BoolArray = actions >= 0
    states = np.flatnonzero(acting)
    steps = moves(ground, competence[ground.action_policy])
    chosen = steps.onward[actions[states]]
    ends: BoolArray = ~acting
    ends[states[steps.leak[actions[states]] > 0]] = True
    reached = -1
    while reached != (reached := int(ends.sum())):
        ends[states[(chosen @ ends.astype(np.float64)) > 0]] = True
    return ends & acting
