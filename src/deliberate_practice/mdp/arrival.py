"""The probability that approaches arrive, for many vectors of competences at once.

An approach is a fixed rule with a limit of executions. With t executions left it arrives from
state s with probability

    V_t(s) = Σ_s' p(s' | s, rule(s)) V_{t-1}(s'),      V_t = 1 where the skill may begin,

and 0 where the rule has no action. All approaches are evaluated side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.mdp.approach_rule import ApproachRule, beginnings
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.routes import Route


@dataclass(frozen=True, eq=False)
class Arrivals:
    """Approaches, one after the other as lists of states and of outcomes.

    Attributes:
        products: Number of uses of each policy by each approach without a rule, which arrives if
            all its skills succeed, shape (approaches, policies).
        scales: Probability that such an approach arrives if they do, shape (approaches,).
        limits: Limit of executions of each approach; 0 without a rule, shape (approaches,).
        first: Index of the first outcome of each state.
        target: State to which each outcome leads; the last state stands for arrival, the one
            before it for all others.
        weight: Probability of each outcome given success or given failure.
        success: Whether it belongs to success.
        policy: The policy of each outcome.
        begins: The state in which each approach with a rule starts, after the approach.
    """

    products: IntArray
    scales: FloatArray
    limits: IntArray
    first: IntArray
    target: IntArray
    weight: FloatArray
    success: BoolArray
    policy: IntArray
    begins: tuple[IntArray, IntArray]

    def probabilities(self, competence: FloatArray) -> FloatArray:
        """The probability that each approach arrives, shape (C, approaches).

        Args:
            competence: Vectors of competences, shape (C, policies).
        """
        arrived = self.scales * np.prod(competence[:, None, :] ** self.products, axis=2)
        if not self.limits.any():
            return np.asarray(arrived)
        p = competence[:, self.policy].T
        flow = self.weight[:, None] * np.where(self.success[:, None], p, 1 - p)
        values = np.zeros((len(self.first) + 2, len(competence)))
        values[-1] = 1.0
        approach, state = self.begins
        ends, last = self.limits[approach], 0
        for limit in np.unique(ends).tolist():
            for _ in range(last, limit):
                values[:-2] = np.add.reduceat(flow * values[self.target], self.first, axis=0)
            ending, last = ends == limit, limit
            arrived[:, approach[ending]] = values[state[ending]].T
        return np.asarray(arrived)


def arrivals(
    ground: GroundTask, routes: Sequence[Route], competences: Sequence[FloatArray]
) -> Arrivals:
    """Prepare the approaches of some routes for evaluation.

    Args:
        ground: The task of the policies; routes with a rule bring their own states.
        routes: The routes.
        competences: The competences for which each of them has its probability.
    """
    index = {name: u for u, name in enumerate(ground.policy_names)}
    products = np.zeros((len(routes), len(index)), dtype=np.int64)
    limits, scales = np.zeros(len(routes), dtype=np.int64), np.ones(len(routes))
    parts: list[tuple[IntArray, ...]] = []
    begins: list[tuple[int, int]] = []
    size = 0
    for number, (route, competence) in enumerate(zip(routes, competences, strict=True)):
        if route.rule is None:
            for skill in route.skills:
                products[number, index[ground.task.skill(skill).policy]] += 1
            succeeded = float(np.prod(competence ** products[number]))
            scales[number] = min(route.probability / succeeded, 1.0) if succeeded > 0 else 1.0
            continue
        limits[number] = route.rule.limit
        place, outcomes = _places(route, size)
        parts.append(outcomes)
        begins.append((number, int(place[_start(route, route.rule)])))
        size += len(route.rule.states)
    if not parts:
        nothing = np.zeros(0, dtype=np.int64)
        none = (nothing, nothing)
        flags = np.zeros(0, dtype=np.bool_)
        empty = (nothing, nothing, np.zeros(0), flags, nothing, none)
        return Arrivals(products, scales, limits, *empty)
    source, target, weight, success, policy = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    approach, state = np.array(begins).T
    return Arrivals(
        products,
        scales,
        limits,
        np.flatnonzero(np.diff(source, prepend=-1)),
        target % (size + 2),  # -1 and -2 count from the end
        weight,
        success,
        policy,
        (approach, state % (size + 2)),
    )


def _start(route: Route, rule: ApproachRule) -> int:
    """The state in which the episodes of a route begin."""
    ground = rule.ground
    if not route.start:
        return int(np.argmax(ground.start))
    starts = np.flatnonzero(ground.start).tolist()
    alike = [state for state in starts if ground.own_state(state) == route.start]
    return next((state for state in alike if state in rule.states), alike[0])


def _places(route: Route, before: int) -> tuple[IntArray, tuple[IntArray, ...]]:
    """Where each state of the task is in the list, -1 for arrived and -2 for lost; and outcomes."""
    assert route.rule is not None
    ground = route.rule.ground
    order = np.argsort(route.rule.states)
    states, actions = route.rule.states[order], route.rule.actions[order]
    place = np.full(len(ground.start), -2)
    skills = [skill.name for skill in ground.task.skills]
    place[beginnings(ground)[:, skills.index(route.skill)]] = -1
    place[states] = before + np.arange(len(states))
    first = np.searchsorted(ground.outcome_action, actions)
    last = np.searchsorted(ground.outcome_action, actions, side="right")
    chosen = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)])
    outcome_action = ground.outcome_action[chosen]
    return place, (
        place[ground.action_state[outcome_action]],
        place[ground.outcome_target[chosen]],
        ground.outcome_weight[chosen],
        ground.outcome_success[chosen],
        ground.action_policy[outcome_action],
    )
