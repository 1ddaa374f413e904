"""An upper bound that needs no search: every policy practised with the whole budget.

Success is not always worth more than failure, so each action takes the better end of its own
interval [p(0), p(B)]. The value of that interval MDP is at least that of the task after any split
of the budget, because every split is one of the choices of the interval MDP.

Rounding must not lower the bound. Let Q_a(w) be the value of an action if its successors have the
values w, computed so that no rounding error makes it smaller. Any w >= 0 that equals the rewards in
goals and has Q_a(w) <= w_s for every action a of every other state s is at least the value, because
value iteration rises from 0 and never passes such a w. So the interval MDP is solved with slightly
larger gains, and the answer is used only if it passes this test.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from deliberate_practice.allocation.problem import Problem
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.deadline import late
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.foundation.rounding import EPS
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.moves import Moves, moves
from deliberate_practice.mdp.values import best_rule

if TYPE_CHECKING:
    from scipy import sparse

MARGINS = (64 * EPS, 1024 * EPS, 16384 * EPS)
"""Additions to the gains, relative to the terms of a value; the first that passes is used."""

SWEEPS = 200
"""Sweeps of value iteration that raise or lower a bound, or find lower values."""


def corner_bound(problem: Problem, deadline: float | None = None) -> float:
    """An upper bound on the value of every split of the budget.

    Solves v_s = max(0, max_a max_{p in {p_u(0), p_u(B)}} r_a + γ Σ P(p) v), least solution.

    Args:
        problem: Task, budget and competence tables.
        deadline: When to stop with a weaker bound.

    Returns:
        The bound; infinite if the interval MDP has no finite value (only with discount 1).
    """
    upper = upper_values(problem, deadline)
    starts = np.flatnonzero(problem.ground.start)
    return math.fsum(problem.ground.start[starts] * upper[starts]) * (1 + 4 * EPS)


def value_rises(problem: Problem) -> bool:
    """Whether more competence certainly never lowers the value: a sufficient check.

    The value falls with p_u only if an action in use has S < F, with S and F the values after
    success and after failure. There F = σ v_s + O, with σ the probability that failure changes
    nothing and O its other outcomes, and v_s <= max(r, 0) + γ F because the action is in use; so
    F <= (O + σ max(r, 0)) / (1 - γσ). If the least possible S is at least the largest possible F,
    by this limit or directly, that cannot happen. Failures that end or stay have O = 0 and pass.

    Args:
        problem: Task, budget and competence tables.

    Returns:
        True if it is proven for all competences within [p(0), p(B)]; False if it may not hold.
    """
    ground = problem.ground
    low, high = competence_range(problem)
    changes = (high > low)[ground.action_policy]
    failure = ~ground.outcome_success
    stays = ground.outcome_target == ground.action_state[ground.outcome_action]
    moves_on = failure & ~stays
    if not (moves_on & changes[ground.outcome_action]).any() and (ground.step_reward <= 0).all():
        return True  # O = 0 everywhere
    most, least = upper_values(problem), lower_values(problem)
    if not np.isfinite(most).all():
        return False
    weight, gamma = ground.outcome_weight, ground.task.discount
    worth = weight * most[ground.outcome_target]
    success = ground.by_action(weight * ground.outcome_success * least[ground.outcome_target])
    sigma = ground.by_action(weight * (failure & stays))
    left = (1 - gamma) + gamma * (ground.by_action(weight * moves_on) + ground.lost_failure)
    gained = ground.by_action(worth * moves_on) + sigma * np.maximum(ground.step_reward, 0.0)
    limit = np.where(
        gained <= 0, 0.0, np.divide(gained, left, out=np.full_like(left, np.inf), where=left > 0)
    )
    anything = ground.by_action(worth * failure)
    return bool((success >= np.minimum(anything, limit))[changes].all())


def competence_range(problem: Problem) -> tuple[FloatArray, FloatArray]:
    """Competences without practice, and with the whole budget for each policy."""
    whole = problem.budget / problem.costs
    return problem.competence(np.zeros(len(whole))), problem.competence(whole)


def upper_values(problem: Problem, deadline: float | None = None) -> FloatArray:
    """A value that no competences within the range can exceed, for each state, shape (N,)."""
    largest = _largest_sum(problem.ground)
    if late(deadline):
        return largest
    steps = _interval_moves(problem)
    actions = _Actions(steps)
    try:
        values, sizes, _ = best_rule(steps, deadline)
    except TaskError:
        return largest
    terms = np.abs(steps.gain) + steps.onward @ sizes + steps.leak * sizes[steps.state]
    for margin in MARGINS:
        if late(deadline):
            break
        try:
            larger = replace(steps, gain=steps.gain + margin * terms)
            upper = np.maximum(best_rule(larger, deadline)[0], 0.0)
        except TaskError:  # a cycle of cost 0 now earns for ever
            break
        if actions.none_is_better(upper):
            return np.minimum(upper, largest)
    raised, settled = actions.sweeps(np.maximum(values, 0.0), np.maximum, deadline)
    if settled:
        return np.minimum(raised, largest)
    # Upper values stay upper values as they fall, so sweeps may stop at any time.
    return (
        actions.sweeps(largest, np.minimum, deadline)[0] if np.isfinite(largest).all() else largest
    )


def _interval_moves(problem: Problem) -> Moves:
    """Every action twice: with its lowest and with its highest competence."""
    ground = problem.ground
    low, high = (moves(ground, p[ground.action_policy]) for p in competence_range(problem))
    rows = np.arange(2 * len(low.state)).reshape(2, -1).T.reshape(-1)
    if isinstance(low.onward, np.ndarray):
        onward: FloatArray | sparse.csr_array = np.concatenate([low.onward, high.onward])[rows]
    else:
        from scipy import sparse

        onward = sparse.csr_array(sparse.vstack([low.onward, high.onward]))[rows]
    return Moves(
        state=np.repeat(low.state, 2),
        first=2 * low.first,
        onward=onward,
        leak=np.concatenate([low.leak, high.leak])[rows],
        gain=np.repeat(low.gain, 2),
        reward=low.reward,
    )


class _Actions:
    """Q_a(w), never rounded down, and sweeps with it."""

    def __init__(self, steps: Moves) -> None:
        from scipy import sparse

        rates = sparse.csr_array(steps.onward)
        self._steps, self._rate, self._target = steps, rates.data, rates.indices
        self._terms = np.diff(rates.indptr)
        self._action = np.repeat(np.arange(len(steps.state)), self._terms)
        self._leads = np.flatnonzero(self._terms)
        self._first = rates.indptr[self._leads]
        self._states = steps.state[steps.first]

    def none_is_better(self, w: FloatArray) -> bool:
        """Whether Q_a(w) <= w_s for all actions."""
        return bool((self._best(w) <= w[self._states]).all())

    def sweeps(
        self, w: FloatArray, better: np.ufunc, deadline: float | None
    ) -> tuple[FloatArray, bool]:
        """Repeat w_s = better(w_s, max(0, max_a Q_a(w))); also return whether that converged."""
        w = w.copy()
        for _ in range(SWEEPS):
            after = better(w[self._states], np.maximum(self._best(w), 0.0))
            if np.array_equal(after, w[self._states]):
                return w, True
            w[self._states] = after
            if late(deadline):
                break
        return w, False

    def _best(self, w: FloatArray) -> FloatArray:
        """max_a Q_a(w) of each state that has actions."""
        if not len(self._states):
            return np.zeros(0)
        best: FloatArray = np.maximum.reduceat(self._q(w), self._steps.first)
        return best

    def _q(self, w: FloatArray) -> FloatArray:
        """m - (Σ_t N_at (m - w_t) + leak_a m - r_a) / own_a, with m the best of its successors.

        Rates, gains and differences have relative errors of a few EPS, and a sum of k terms adds
        k EPS of the sum of their absolute values. Without gain no action has more value than m.
        """
        steps, most = self._steps, np.zeros(len(self._terms))
        ahead = w[self._target]
        if len(self._leads):
            most[self._leads] = np.maximum.reduceat(ahead, self._first)
        below = self._rate * (most[self._action] - ahead)
        loss = np.bincount(self._action, below, minlength=len(most)) + steps.leak * most
        error = (self._terms + 16) * EPS * (loss + np.abs(steps.gain))
        moves = steps.own > 0
        q = most - (loss - steps.gain - error) / np.where(moves, steps.own, 1.0)
        q += EPS * np.abs(q)
        q = np.where(steps.gain > 0, q, np.minimum(q, most))
        return np.where(moves, q, np.where(steps.gain > 0, np.inf, 0.0))


def _largest_sum(ground: GroundTask) -> FloatArray:
    """The largest reward, plus the largest step reward for ever."""
    reward = float(ground.reward.max(initial=0.0))
    step = float(ground.step_reward.max(initial=0.0))
    if step > 0:
        for_ever = step / (1 - ground.task.discount) if ground.task.discount < 1 else math.inf
        reward += for_ever * (1 + 4 * EPS)
    return np.where(ground.goal >= 0, ground.reward, reward)


def lower_values(problem: Problem) -> FloatArray:
    """A value that no competences within the range can undercut, for each state, shape (N,).

    Value iteration from 0 on v_s = max(0, max_a min_p ...) rises, so it may stop at any time.
    """
    ground = problem.ground
    if not len(ground.action_state):
        return ground.reward.copy()
    ends = [moves(ground, p[ground.action_policy]) for p in competence_range(problem)]
    states = ground.action_state[ground.first_action]
    v = ground.reward.copy()
    for _ in range(SWEEPS):
        q = np.minimum(*(end.q(v, end.gain) for end in ends))
        best = np.maximum.reduceat(q, ground.first_action)
        if not (best > v[states]).any():
            break
        v[states] = np.maximum(v[states], best)
    return v * (1 - SWEEPS * MARGINS[0])
