"""The decision rule that is most likely to reach a skill within a limit of executions.

A way to a skill may be resumed after a failure: a failed grasp is tried again, spilled milk is
refilled. With t executions left, a state s reaches the skill with probability at most

    P_t(s) = max_a Σ_s' p(s' | s, a) P_{t-1}(s'),      P_t = 1 where the skill may begin.

A robot follows one table, whatever is left of the limit. So the rule is stationary: in each state
the action that is best for some fixed horizon. The choices for three horizons, and those of the
most probable route, are candidates; the best of them is taken. Its probability is not P_t but is
computed for the rule itself, by passing its start through the limit of executions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.most_probable import Way
from deliberate_practice.task.model import allowed_values

TRIES = 3
"""Executions that the limit grants for each step of the route, so that each may fail twice."""

SPARE = 3
"""Executions that it grants beyond these, for recoveries that lie off the route."""

MOST_CHOICES = 200
"""The most states in a table; those that are met most often are kept."""

GAIN = 1e-9
"""Relative gain for which a state changes its action; ties stay with the shorter way."""


@dataclass(frozen=True, eq=False)
class ApproachRule:
    """What to execute in every state that the way to a skill may meet.

    Attributes:
        ground: The abstract MDP.
        states: The states, those met most often first.
        actions: The action in each of them.
        limit: The most executions.
        probability: Probability of arriving within the limit.
    """

    ground: GroundTask
    states: IntArray
    actions: IntArray
    limit: int
    probability: float

    @cached_property
    def choices(self) -> tuple[tuple[Mapping[str, str], str], ...]:
        """Each state as variable -> value, with the name of the skill to execute there."""
        skills = self.ground.task.skills
        return tuple(
            (self.ground.own_state(state), skills[self.ground.action_skill[action]].name)
            for state, action in zip(self.states.tolist(), self.actions.tolist(), strict=True)
        )


def approach_rules(
    ground: GroundTask, competence: FloatArray, ways: Mapping[int, Way]
) -> dict[int, ApproachRule]:
    """The rule that leads to each of some skills.

    Args:
        ground: The abstract MDP.
        competence: Competence of each policy, shape (policies,).
        ways: The most probable way to each skill, by index of the skill.

    Returns:
        The rules by skill. A skill has none if nothing on its way can be resumed: then the route
        says everything.
    """
    if not ground.branching:
        return {}
    skills = [skill for skill, way in ways.items() if way.steps]
    if not skills:
        return {}
    model = _Model(ground, competence, beginnings(ground)[:, skills])
    starts = np.array([ways[skill].start for skill in skills])
    limits = np.array([limit_of(len(ways[skill].steps)) for skill in skills])
    routes = _along(model, [ways[skill] for skill in skills])
    rules = np.concatenate([*_by_horizons(model, limits), routes], axis=0)
    candidates, column = len(rules) // len(skills), np.arange(len(rules)) % len(skills)
    arrived, _ = _pass_through(model, rules, column, starts[column], limits[column])
    table = arrived.reshape(candidates, len(skills))
    best = np.argmax(table >= table.max(axis=0) * (1 - GAIN), axis=0)  # the first of equals
    chosen = rules[best * len(skills) + np.arange(len(skills))]
    chosen, arrived, visits = _kept(model, chosen, starts, limits)
    found = {}
    for number, skill in enumerate(skills):
        met = np.flatnonzero((visits[number] > 0) & (chosen[number] >= 0))
        if len(met) and model.resumes(chosen[number][met]):
            met = met[np.argsort(-visits[number][met], kind="stable")]
            found[skill] = ApproachRule(
                ground, met, chosen[number][met], int(limits[number]), float(arrived[number])
            )
    return found


def limit_of(route: int) -> int:
    """The limit of executions for a route of so many steps."""
    return TRIES * max(1, route) + SPARE


@dataclass(frozen=True, eq=False)
class _Model:
    """The outcomes of all actions for fixed competences, and where each skill may begin."""

    ground: GroundTask
    competence: FloatArray
    begins: BoolArray  # (N, skills)

    @cached_property
    def probability(self) -> FloatArray:
        """Probability of each outcome, shape (K,)."""
        return self.ground.probabilities(self.competence)

    @cached_property
    def first_outcome(self) -> IntArray:
        """Index of the first outcome of each action, and K at the end, shape (A + 1,)."""
        actions = np.arange(len(self.ground.action_state) + 1)
        return np.searchsorted(self.ground.outcome_action, actions)

    def resumes(self, actions: IntArray) -> bool:
        """Whether more can happen in these actions than one way of succeeding, or else the end."""
        mine = np.isin(self.ground.outcome_action, actions) & (self.probability > 0)
        several = np.bincount(self.ground.outcome_action[mine], minlength=1).max(initial=0) > 1
        return bool(several or (~self.ground.outcome_success[mine]).any())


@lru_cache(maxsize=4)
def beginnings(ground: GroundTask) -> BoolArray:
    """Whether each skill may begin in each state, shape (N, skills)."""
    task = ground.task
    begins = np.ones((len(ground.start), len(task.skills)), dtype=np.bool_)
    for column, skill in enumerate(task.skills):
        for v, (name, known) in enumerate(task.variables.items()):
            if name in skill.precondition:
                allowed = allowed_values(skill.precondition[name])
                fits = np.array([value in allowed for value in known])
                begins[:, column] &= fits[ground.states[:, v]]
    return begins


@dataclass(frozen=True, eq=False)
class _Ranks:
    """The actions in another order: the first of every state, then the second ones, and so on.

    States with more actions come first, so that the actions of each rank belong to the first
    states, and maxima over the actions of a state are maxima of slices.
    """

    states: IntArray  # those that have actions, shape (S,)
    actions: IntArray  # shape (A,)
    counts: IntArray  # of the actions of each rank

    def best(self, q: FloatArray) -> tuple[FloatArray, IntArray]:
        """The largest value of each state, and the position of its action, shape (S, skills)."""
        best = q[: len(self.states)].copy()
        place = np.repeat(np.arange(len(best))[:, None], q.shape[1], axis=1)
        begin = len(best)
        for count in self.counts[1:].tolist():
            values = q[begin : begin + count]
            better = values > best[:count]
            np.copyto(best[:count], values, where=better)
            np.copyto(place[:count], np.arange(begin, begin + count)[:, None], where=better)
            begin += count
        return best, place


@lru_cache(maxsize=4)
def _ranks(ground: GroundTask) -> _Ranks:
    first = ground.first_action
    sizes = np.diff(np.append(first, len(ground.action_state)))
    order = np.argsort(-sizes, kind="stable")
    counts = np.array([np.count_nonzero(sizes > rank) for rank in range(sizes.max(initial=0))])
    actions = [first[order[:count]] + rank for rank, count in enumerate(counts.tolist())]
    return _Ranks(ground.action_state[first[order]], np.concatenate(actions), counts)


def _by_horizons(model: _Model, limits: IntArray) -> list[IntArray]:
    """The best actions for the whole limit, two thirds and one third of it.

    Returns:
        Three arrays of shape (skills, N); -1 where nothing leads to the skill.
    """
    from scipy import sparse

    ground, ranks = model.ground, _ranks(model.ground)
    count, skills = model.begins.shape
    matrix = sparse.csr_array(
        (model.probability, ground.outcome_target, model.first_outcome),
        shape=(len(ground.action_state), count),
    )[ranks.actions]
    begins = model.begins.astype(np.float64)
    horizons = [limits, -(-2 * limits // 3), -(-limits // 3)]
    found = [np.full((skills, count), -1) for _ in horizons]
    rule = np.full((len(ranks.states), skills), -1)
    values = begins.copy()
    for t in range(1, int(limits.max()) + 1):
        going = np.flatnonzero(limits >= t)
        q = matrix @ values[:, going]
        best, place = ranks.best(q)
        now = rule[:, going]
        mine = np.where(now >= 0, np.take_along_axis(q, np.maximum(now, 0), axis=0), 0.0)
        rule[:, going] = np.where(best > mine * (1 + GAIN), place, now)
        raised = begins[:, going]
        raised[ranks.states] = np.maximum(raised[ranks.states], best)
        values[:, going] = raised
        for horizon, table in zip(horizons, found, strict=True):
            done = np.flatnonzero(horizon == t)
            if len(done):
                chosen = rule[:, done].T
                actions = np.where(chosen >= 0, ranks.actions[chosen], -1)
                table[np.ix_(done, ranks.states)] = actions
    return found


def _along(model: _Model, ways: Sequence[Way]) -> IntArray:
    """The actions of each most probable route, and no others, shape (skills, N)."""
    ground = model.ground
    rules = np.full((len(ways), len(ground.start)), -1)
    for rule, way in zip(rules, ways, strict=True):
        for state, (skill, _) in zip(way.states, way.steps, strict=False):
            low, high = np.searchsorted(ground.action_state, [state, state + 1])
            rule[state] = low + int(np.argmax(ground.action_skill[low:high] == skill))
    return rules


def _pass_through(
    model: _Model, rules: IntArray, column: IntArray, starts: IntArray, limits: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Pass the start through some rules.

    Args:
        model: The outcomes.
        rules: The action of each state under each rule, -1 for none, shape (rules, N).
        column: The skill that each rule leads to, as a column of ``model.begins``.
        starts: The state in which each begins.
        limits: The limit of each rule.

    Returns:
        The probability that each rule arrives, and its expected visits to each state.
    """
    ground = model.ground
    count, (total, _) = len(ground.start), rules.shape
    rule, state, mass = np.arange(total), starts, np.ones(total)
    arrived, visits = np.zeros(total), np.zeros(total * count)
    for t in range(int(limits.max()) + 1):
        there = model.begins[state, column[rule]]
        arrived += np.bincount(rule[there], mass[there], minlength=total)
        action = rules[rule, state]
        going = ~there & (action >= 0) & (limits[rule] > t)
        rule, state, mass, action = rule[going], state[going], mass[going], action[going]
        if not len(mass):
            break
        visits += np.bincount(rule * count + state, mass, minlength=total * count)
        low = model.first_outcome[action]
        sizes = model.first_outcome[action + 1] - low
        source = np.repeat(np.arange(len(mass)), sizes)
        outcome = np.arange(len(source)) + np.repeat(low - np.cumsum(sizes) + sizes, sizes)
        flow = mass[source] * model.probability[outcome]
        codes = rule[source] * count + ground.outcome_target[outcome]
        masses = np.bincount(codes, flow, minlength=total * count).astype(np.float64)
        codes = np.flatnonzero(masses)
        rule, state, mass = codes // count, codes % count, masses[codes]
    return arrived, visits.reshape(total, count)


def _kept(
    model: _Model, rules: IntArray, starts: IntArray, limits: IntArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """The rules without the states that are too many, with their probabilities and visits."""
    column = np.arange(len(rules))
    arrived, visits = _pass_through(model, rules, column, starts, limits)
    large = np.flatnonzero(np.count_nonzero(visits, axis=1) > MOST_CHOICES)
    if len(large):
        for number in large:
            rules[number][np.argsort(-visits[number], kind="stable")[MOST_CHOICES:]] = -1
        arrived, visits = _pass_through(model, rules, column, starts, limits)
    return rules, arrived, visits
