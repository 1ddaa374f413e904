"""Optimal values and decision rule of a grounded task for given competences.

This is the paper's SolveMDP(M_h, b) (its equation "bilevel_obj", Section 4) for the competences
after practice b.
"""

from __future__ import annotations

import itertools
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.deadline import late, with_grace
from deliberate_practice.foundation.errors import ArgumentError, TaskError
from deliberate_practice.foundation.rounding import EPS
from deliberate_practice.mdp.chain import chain_values
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.moves import Moves, moves

if TYPE_CHECKING:
    from scipy import sparse

SWEEPS = 200
"""Sweeps of value iteration, and more while further states begin to act; policy iteration then
finishes exactly."""

NOISE = 16 * EPS
"""An action is better only if it gains more than this part of the compared terms."""

FINER = 1e-9
"""Sum of the relative gains of all values at which a rule that looked no better is accepted."""

ROUNDING = 1e-9
"""The distance from [0, 1] that rounding allows for mean competences."""


@dataclass(frozen=True)
class Solution:
    """Optimal behaviour for fixed competences.

    Attributes:
        value: Expected discounted reward from the start distribution.
        values: The same from each state, shape (N,).
        actions: Best action in each state, -1 for stopping (and in goals), shape (N,).
        scale: The value with every step cost counted as a reward: the sum of the absolute terms
            of ``value``, to which its rounding is relative.
    """

    value: float
    values: FloatArray
    actions: IntArray
    scale: float


def solve(
    ground: GroundTask,
    competence: Sequence[float] | FloatArray,
    *,
    deadline: float | None = None,
    rule: IntArray | None = None,
) -> Solution:
    """Value iteration from 0, then policy iteration: exact, also for discount 1.

    Both start from stopping everywhere and change an action only for a strict gain. So no decision
    rule on the way cycles for ever, and the result is the least nonnegative solution of
    v = max(0, max_a r + γ P v).

    Args:
        ground: The abstract MDP.
        competence: Competence of each policy, shape (policies,).
        deadline: When to stop with the best decision rule so far and its value.
        rule: A decision rule that was best for similar competences, shape (N,). With a discount
            below 1 and without step costs policy iteration begins with it, which is faster; among
            equally good rules another one may then be found.

    Raises:
        TaskError: The value is infinite (a rewarding cycle with discount 1).
        ArgumentError: There is not one probability for each policy.
    """
    p = checked_competence(ground, competence)
    steps = moves(ground, p[ground.action_policy])
    if ground.task.discount == 1 or steps.costs:
        rule = None  # it might cycle for ever, or cost more than it earns
    values, sizes, actions = best_rule(steps, with_grace(deadline), rule)
    return Solution(float(ground.start @ values), values, actions, float(ground.start @ sizes))


def rule_values(
    ground: GroundTask, competence: Sequence[float] | FloatArray, actions: IntArray
) -> FloatArray:
    """Value of each state under a fixed decision rule, shape (N,).

    If the rule enters a cycle that it never leaves, a state has value 0 if the cycle earns nothing,
    and infinite value otherwise.

    Args:
        ground: The abstract MDP.
        competence: Competence of each policy, shape (policies,).
        actions: Action of each state, -1 for stopping, shape (N,).
    """
    p = checked_competence(ground, competence)
    return _evaluate(moves(ground, p[ground.action_policy]), actions)[0]


def checked_competence(ground: GroundTask, competence: object) -> FloatArray:
    """One probability for each policy, as an array; rounding may take them outside [0, 1]."""
    if not isinstance(ground, GroundTask):
        raise ArgumentError(f"{reprlib.repr(ground)} is not grounded; give dp.ground(task).")
    try:
        p = np.asarray(competence, dtype=np.float64)
    except (TypeError, ValueError):
        p = np.full(1, np.nan)
    names = ground.policy_names
    if p.shape != (len(names),) or not (p.min() >= -ROUNDING and p.max() <= 1 + ROUNDING):
        raise ArgumentError(
            f"competence: {reprlib.repr(competence)} is not valid; give one number within [0, 1] "
            f"for each policy, in this order: {', '.join(names)}."
        )
    return p.clip(0.0, 1.0)


def best_rule(
    steps: Moves, deadline: float | None = None, begin: IntArray | None = None
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Optimal values, the sums of their absolute terms, and actions, shape (N,) each.

    In exact arithmetic values only rise during policy iteration, so it ends. Rounding can make it
    alternate between choices of equal value for ever; then the best choices so far are taken.

    Args:
        steps: The actions.
        deadline: When to stop with the best rule so far.
        begin: A rule that surely ends and costs nothing; value iteration finds one by default.

    Raises:
        TaskError: The value is infinite (a rewarding cycle with discount 1).
    """
    values, sizes = steps.reward.copy(), steps.reward.copy()
    rule = np.full(len(values), -1) if begin is None else begin.copy()
    for sweep in itertools.count(1) if begin is None else ():
        before = rule.copy()
        if not _improve(steps, values, sizes, rule) or (rule == before).all():
            break  # from here on policy iteration is faster
        if late(deadline) or (sweep >= SWEEPS and np.array_equal(rule >= 0, before >= 0)):
            break
    best: tuple[FloatArray, FloatArray, IntArray] | None = None
    seen: set[bytes] = set()
    while (key := rule.tobytes()) not in seen:
        seen.add(key)
        values, sizes = _evaluate(steps, rule, values)
        if not np.isfinite(values).all():
            raise _infinite()
        evaluated = (values.copy(), sizes.copy(), rule.copy())
        if late(deadline):
            return evaluated
        if not _improve(steps, values, sizes, rule):
            finer = _finer_rule(steps, values, rule) if steps.endless else None
            if finer is None:
                return evaluated
            rule = finer
        if best is None or _relative_gain(evaluated[0], best[0]) > 0:
            best = evaluated
    assert best is not None  # at least one rule was evaluated
    return best


def _finer_rule(steps: Moves, values: FloatArray, rule: IntArray) -> IntArray | None:
    """A better rule with gains too small to show in values; None if there is none.

    If an episode can cycle for ever, a chance of 1e-18 to reach the goal in each cycle decides, but
    it changes no digit of the value of one cycle. The gain

        r_a + Σ_t N_at (v_t - v_s) - leak_a v_s

    shows it, because states that surely lead to each other have equal values to the last digit.
    Rounding elsewhere can imitate such gains, so a rule is accepted only if its values are higher.
    """
    gain, size = steps.gains(values)
    better = np.flatnonzero(gain > NOISE * size)
    if not len(better):
        return None
    finer = rule.copy()
    for action in better[np.argsort(gain[better] / steps.own[better], kind="stable")]:
        finer[steps.state[action]] = action
    higher = _evaluate(steps, finer)[0]
    worse = higher < values * (1 - NOISE) - NOISE * np.abs(higher)
    if worse.any() or not np.isfinite(higher).all() or _relative_gain(higher, values) < FINER:
        return None
    return finer


def _relative_gain(values: FloatArray, others: FloatArray) -> float:
    """The sum of the relative gains of some values over others."""
    size = np.maximum(np.abs(values), np.abs(others))
    return float(np.sum((values - others) / np.where(size > 0, size, 1.0)))


def _evaluate(
    steps: Moves, rule: IntArray, below: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Values of a decision rule, and the sums of their absolute terms.

    Args:
        steps: The actions.
        rule: Action of each state, shape (N,).
        below: Values that are not above those of the rule, if they are known, shape (N,).
    """
    values, sizes = steps.reward.copy(), steps.reward.copy()
    if (rule < 0).all():
        return values, sizes
    acting, onward, outward, leak = steps.chain(rule)
    gain = steps.gain[rule[acting]]
    earned = np.maximum(gain, 0.0) + outward @ values[rule < 0]
    right = np.stack([earned, np.maximum(-gain, 0.0)] if steps.costs else [earned], axis=1)
    guess = None if below is None or steps.costs else below[acting, None]
    parts = chain_values(onward, leak, right, guess)
    sizes[acting] = parts.sum(axis=1)
    with np.errstate(invalid="ignore"):
        values[acting] = parts[:, 0] - parts[:, 1] if steps.costs else parts[:, 0]
    return values, sizes


def _improve(steps: Moves, values: FloatArray, sizes: FloatArray, rule: IntArray) -> bool:
    """Switch every state with a strictly better action to its best one, the first of equals.

    Args:
        steps: The actions.
        values: Value of each state, shape (N,), raised in place.
        sizes: Sum of the absolute terms of each value, shape (N,), changed in place.
        rule: Action of each state, shape (N,), changed in place.

    Returns:
        Whether anything changed.
    """
    if not len(steps.state):
        return False
    q = steps.q(values, steps.gain)
    size = steps.q(sizes, np.abs(steps.gain)) if steps.costs else q
    states = steps.acting
    best = np.maximum.reduceat(q, steps.first)
    # Take the largest size among equally good actions; it affects only the rounding test.
    reach = (
        best
        if size is q
        else np.maximum.reduceat(np.where(q >= best[steps.place], size, 0.0), steps.first)
    )
    if np.fmax.reduce(best) == np.inf:
        raise _infinite()
    better = best - values[states] > NOISE * (reach + sizes[states])
    if not better.any():
        return False
    changed = states[better]
    winners = (q >= best[steps.place]).nonzero()[0]
    rule[changed] = winners[steps.state[winners].searchsorted(changed)]
    values[changed], sizes[changed] = best[better], reach[better]
    return True


def _infinite() -> TaskError:
    return TaskError(
        "discount",
        "the value is infinite: some cycle of skills earns for ever; use a discount below 1.",
    )


def transitions(ground: GroundTask, competence: FloatArray) -> sparse.csr_array:
    """Discounted transition matrix, shape (A, N), for the given competences of the policies."""
    from scipy import sparse

    shape = (len(ground.action_state), len(ground.start))
    data = ground.task.discount * ground.probabilities(competence)
    return sparse.csr_array((data, (ground.outcome_action, ground.outcome_target)), shape=shape)
