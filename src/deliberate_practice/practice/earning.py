"""What the robot's own plan earns: exact where the truth is known, else by executing it."""

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
from deliberate_practice.practice.robot import Approach, EarningRobot, Earnings, Robot, Trial
from deliberate_practice.practice.session import Session

EXECUTIONS = 100
"""How often a plan is executed before and after practice."""


def measure(session: Session, robot: EarningRobot, executions: int = EXECUTIONS) -> Executed:
    """What the robot's own plan earns now; it is in the journal once for each amount of practice.

    A session that is resumed does not execute its plan again.

    Raises:
        PartFailed: The robot raised an exception.
    """
    state = session.state
    for known in state.executions:
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
    """The expected reward of what is intended, for the true competence of every policy.

    Args:
        intention: What the robot would do.
        competences: By policy.
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
        most = getattr(robot, "parallel", 1)
        groups = (trials[first : first + most] for first in range(0, executions, most))
        results = (result for group in groups for result in robot.run(group))
        successes = [result.outcome == "success" for result in results]
    share = rate(sum(successes), executions)
    assert share.interval
    low, high = (task.discount ** len(plan) * reward * end for end in share.interval)
    undiscounted = reward * share.value
    discounted = task.discount ** len(plan) * undiscounted
    return Earnings(discounted, undiscounted, (low, high), tuple(successes))


def start_seeds(count: int) -> list[int]:
    """Seeds of the starts from which plans are executed: apart from those of practice."""
    return [int(seed) for seed in np.random.SeedSequence(20261115).generate_state(count)]


def reward_of(ground: GroundTask, rule: IntArray, true: Mapping[str, float]) -> float:
    """Expected discounted reward of a fixed decision rule for given competences.

    Going round for ever without a chance to leave (possible with discount 1, where the robot counts
    on a skill that never succeeds) earns nothing.

    Args:
        ground: The abstract MDP.
        rule: Action of each state, -1 for stopping, shape (N,).
        true: Competence of each policy.
    """
    competence = np.array([true[name] for name in ground.policy_names])
    ending = np.where(_ending(ground, competence, rule), rule, -1)
    return float(ground.start @ rule_values(ground, competence, ending))


def _ending(ground: GroundTask, competence: FloatArray, actions: IntArray) -> BoolArray:
    """Which acting states have a chance to come to an end, by a goal, by stopping or by loss."""
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
