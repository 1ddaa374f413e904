"""Product-form tasks, in which a decision rule is a plan and its value a product.

A product-form task has one start, and rewards only at goals. Every skill leads to one next state,
ends the episode, or leaves the state as it is. Then only one trajectory survives, and the value of
a plan u_1 ... u_k is R * Π φ_{u_i}. With w the probability that a success leads on, and l and m the
probabilities that a success and a failure are lost,

    φ(f) = γ w f / ((1 - γ) + γ ((w + l) f + m (1 - f))),

which is γ f for failure "end" (m = 1) and γ f / (1 - γ (1 - f)) for failure "stay" (m = 0). The
denominator is the chance that the skill is not tried again, as a sum without cancellation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.mdp.ground_task import GroundTask

_Number = TypeVar("_Number", float, FloatArray)


@dataclass(frozen=True)
class Kind:
    """One way of using a policy; all executions of a kind multiply the value by the same φ."""

    policy: int
    onward: float
    lost_success: float
    lost_failure: float

    def factor(self, f: FloatArray, gamma: float) -> FloatArray:
        """φ(f), in [0, 1]."""
        f = np.asarray(f, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):  # 0/0: endless retries
            factor = gamma * self.onward * f / self.leaving(f, gamma)
            return np.where(f > 0, np.minimum(factor, 1.0), 0.0)

    def factor_at(self, f: float, gamma: float) -> float:
        """φ at one competence."""
        return min(gamma * self.onward * f / self.leaving(f, gamma), 1.0) if f > 0 else 0.0

    def leaving(self, f: _Number, gamma: float) -> _Number:
        """The denominator of φ: the chance that one execution does not lead to the next try."""
        ends = (self.onward + self.lost_success) * f + self.lost_failure * (1.0 - f)
        return (1.0 - gamma) + gamma * ends

    def stuck(self, gamma: float) -> float:
        """The same for f = 0: the derivative of log φ is stuck / (f leaving(f))."""
        return (1.0 - gamma) + gamma * self.lost_failure

    def log_factor(self, f: FloatArray, gamma: float) -> FloatArray:
        """log φ(f), -inf where the competence is 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.factor(f, gamma))


@dataclass(frozen=True)
class ProductForm:
    """A product-form task as a graph of plans.

    Attributes:
        start: The start state.
        start_log: log of the probability of starting there.
        goal_log: log reward of each state, -inf where there is no goal, shape (N,).
        source, target, skill, kind: One entry per edge, sorted by source, then skill, shape (E,).
        kinds: The kinds, to which edges refer by index.
        gamma: The discount.
    """

    start: int
    start_log: float
    goal_log: FloatArray
    source: IntArray
    target: IntArray
    skill: IntArray
    kind: IntArray
    kinds: tuple[Kind, ...]
    gamma: float


def product_form(ground: GroundTask) -> ProductForm | str:
    """The graph of plans, or the reason why the task is not of product form."""
    starts = np.flatnonzero(ground.start)
    if len(starts) > 1:
        return f"it has {len(starts)} start states"
    if ground.step_reward.any():
        skill = int(ground.action_skill[np.flatnonzero(ground.step_reward)[0]])
        return f"skill '{ground.task.skills[skill].name}' has a step reward"
    source = ground.action_state[ground.outcome_action]
    elsewhere = ground.outcome_target != source
    fails_elsewhere = np.flatnonzero(elsewhere & ~ground.outcome_success)
    if len(fails_elsewhere):
        name = _skill_name(ground, fails_elsewhere[0])
        return f"when skill '{name}' fails, the task may go on in another state"
    onward = np.flatnonzero(elsewhere)
    action = ground.outcome_action[onward]
    same_action = np.flatnonzero(np.diff(action) == 0)
    apart = same_action[np.diff(ground.outcome_target[onward])[same_action] != 0]
    if len(apart):
        return f"skill '{_skill_name(ground, onward[apart[0]])}' may lead to several states"

    led_on = np.bincount(action, ground.outcome_weight[onward], minlength=len(ground.action_state))
    weights = np.stack(
        [ground.action_policy.astype(np.float64), led_on, ground.lost_success, ground.lost_failure],
        axis=1,
    )
    target = np.full(len(ground.action_state), -1)
    target[action] = ground.outcome_target[onward]
    useful = target >= 0
    rows, kind = _distinct(weights[useful])
    with np.errstate(divide="ignore"):
        goal_log = np.where(ground.goal >= 0, np.log(ground.reward), -np.inf)
    return ProductForm(
        start=int(starts[0]),
        start_log=float(np.log(ground.start[starts[0]])),
        goal_log=goal_log,
        source=ground.action_state[useful],
        target=target[useful],
        skill=ground.action_skill[useful],
        kind=kind,
        kinds=tuple(Kind(int(row[0]), *map(float, row[1:])) for row in rows),
        gamma=ground.task.discount,
    )


def _distinct(rows: FloatArray) -> tuple[FloatArray, IntArray]:
    """The distinct rows in ascending order, and the index of each row among them."""
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    new = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))[: len(rows)]
    which = np.empty(len(rows), dtype=np.int64)
    which[order] = np.cumsum(new) - 1
    return ordered[new], which


def _skill_name(ground: GroundTask, outcome: int) -> str:
    action = ground.outcome_action[outcome]
    return ground.task.skills[int(ground.action_skill[action])].name
