"""What practice was worth: the exact reward of what the robot would do, where truth is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.moves import moves
from deliberate_practice.mdp.rule import most_likely_path
from deliberate_practice.mdp.values import rule_values, solve
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.trial import Robot

if TYPE_CHECKING:
    pass


@runtime_checkable
class KnownRobot(Robot, Protocol):
    """A robot whose true competences can be looked up."""

    def competences(
        self, attempts: Mapping[str, int], deployed: Mapping[str, Mapping[str, float]]
    ) -> Mapping[str, float]:
        """True competence of every policy after so many attempts, with these parameters."""
        ...


@dataclass(frozen=True)
class Intention:
    """What the robot would do now, by its own belief.

    Attributes:
        goal: The goal it aims for; None if it would do nothing.
        plan: The most likely successful path.
        value: What it expects to earn.
        actions: Its action in each state, -1 for stopping, shape (N,).
    """

    goal: str | None
    plan: tuple[str, ...]
    value: float
    actions: IntArray


def intention(ground: GroundTask, believed: Mapping[str, float]) -> Intention:
    """The optimal decision rule for the believed competences."""
    competence = _array(ground, believed)
    solution = solve(ground, competence)
    path = most_likely_path(ground, solution, competence)
    return Intention(path.goal, path.skills, solution.value, solution.actions)


def exact_reward(ground: GroundTask, robot: KnownRobot, state: State) -> float:
    """J: what the robot's own decision, made on its belief, earns with its true competences."""
    true = robot.competences(state.attempts, state.all_deployed)
    return reward_of(ground, intention(ground, state.competences).actions, true)


def reward_of(ground: GroundTask, actions: IntArray, true: Mapping[str, float]) -> float:
    """Expected discounted reward of a fixed decision for given competences.

    Going round for ever without a chance to leave (possible with discount 1, where the robot counts
    on a skill that never succeeds) earns nothing.

    Args:
        ground: The abstract MDP.
        actions: Action of each state, -1 for stopping, shape (N,).
        true: Competence of each policy.
    """
    competence = _array(ground, true)
    ending = np.where(_ending(ground, competence, actions), actions, -1)
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


def _array(ground: GroundTask, competences: Mapping[str, float]) -> FloatArray:
    return np.array([competences[name] for name in ground.policy_names])
