"""Values at one split, and how they respond to competences: what a good shape follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from deliberate_practice.allocation.supersolution.actions import Actions
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from scipy import sparse

ROUNDS = 60
"""Improvements of the decision rule, each with its exact values."""

FIRST = 40
"""Sweeps of value iteration before them."""

FACTORISED = 300
"""The most states whose equations are factorised; larger systems are iterated from below."""

SWEEPS = 150
"""Sweeps of that iteration."""

ACCURATE = 1e-8
"""Relative change at which it ends."""

BETTER = 1e-12
"""Relative gain below which an action counts as equal."""


@dataclass(frozen=True, eq=False)
class Anchor:
    """The best decision rule at fixed competences.

    Attributes:
        p: Competences, shape (policies,).
        values: Value of each state, shape (N,).
        offsets: Discounted step cost to go, shape (N,); 0 if some step reward is positive.
        elasticity: d log(V_s + k_s) / d log p_v, shape (N, policies).
        rule: Action of each state, -1 for stopping, shape (N,).
    """

    p: FloatArray
    values: FloatArray
    offsets: FloatArray
    elasticity: FloatArray
    rule: IntArray


def anchor_at(actions: Actions, p: FloatArray, guess: FloatArray) -> Anchor:
    """The anchor at the competences p.

    Args:
        actions: The actions that may be used.
        p: Competence of each policy, shape (policies,).
        guess: Values from which improvement begins: at most the values at p, shape (N,).
    """
    return _responses(actions, p, *best_values(actions, p, guess))


def best_values(actions: Actions, p: FloatArray, guess: FloatArray) -> tuple[FloatArray, IntArray]:
    """Values and the best decision rule at the competences p: sweeps, then policy iteration."""
    rates, gain = actions.rates(p[actions.policy])
    resting = np.where(actions.terminal, actions.reward, 0.0)
    values = np.where(actions.terminal, actions.reward, np.maximum(guess, 0.0))
    rule = np.full(len(values), -1)
    states, first = actions.acting, actions.first
    if not len(states):
        return values, rule
    for _ in range(FIRST):
        q = np.einsum("ak,ak->a", rates, values[actions.target]) + gain
        values[states] = np.maximum(values[states], np.maximum.reduceat(q, first))
    counts = np.diff(np.append(first, len(actions.state)))
    for _ in range(ROUNDS):
        q = np.einsum("ak,ak->a", rates, values[actions.target]) + gain
        top = np.maximum.reduceat(q, first)
        winners = np.flatnonzero(q >= np.repeat(top, counts))
        best = winners[np.searchsorted(actions.state[winners], states)]
        present = rule[states]
        old = np.where(present >= 0, q[present], 0.0)
        better = top > old + BETTER * np.abs(top)
        if not better.any():
            break
        rule[states] = np.where(better, best, present)
        acts = np.flatnonzero(rule >= 0)
        chosen = rule[acts]
        leaving = np.where(rule[actions.target[chosen]] >= 0, 0.0, rates[chosen])
        earned = np.einsum("nk,nk->n", leaving, resting[actions.target[chosen]]) + gain[chosen]
        part = actions.only(chosen)
        solved = _solve(part, rates[chosen], acts, earned[:, None], values[:, None])[:, 0]
        values = resting.copy()
        values[acts] = np.maximum(solved, 0.0)
    return values, rule


def _responses(actions: Actions, p: FloatArray, values: FloatArray, rule: IntArray) -> Anchor:
    acts = np.flatnonzero(rule >= 0)
    part = actions.only(rule[acts])
    own = p[part.policy]
    rates, gain = part.rates(own)
    moving = part.win * own[:, None] + part.fail * (1.0 - own)[:, None]
    leaves = part.ends + part.lost_win * own + part.lost_fail * (1.0 - own) + moving.sum(axis=1)
    steeper = part.win - part.fail
    more = part.lost_win - part.lost_fail + steeper.sum(axis=1)
    slope = steeper / leaves[:, None] - rates * (more / leaves)[:, None]
    push = np.einsum("nk,nk->n", slope, values[part.target]) - gain * more / leaves
    right = np.zeros((len(acts), len(p) + 1))
    right[np.arange(len(acts)), part.policy] = push
    costs = not (actions.gain > 0).any()
    right[:, -1] = np.maximum(-gain, 0.0) if costs else 0.0
    solved = _solve(part, rates, acts, right, np.zeros((len(values), right.shape[1])))
    offsets, elasticity = np.zeros(len(values)), np.zeros((len(values), len(p)))
    offsets[acts] = np.maximum(solved[:, -1], 0.0)
    size = values[acts] + offsets[acts]
    elasticity[acts] = np.where(size > 0, 1.0, 0.0)[:, None] * (
        solved[:, :-1] * p / np.where(size > 0, size, 1.0)[:, None]
    )
    return Anchor(p, values, offsets, elasticity, rule)


def _solve(
    part: Actions, rates: FloatArray, acts: IntArray, right: FloatArray, guess: FloatArray
) -> FloatArray:
    """x = right + ρ x over the states in which the rule acts; a large system nearly."""
    from scipy import sparse
    from scipy.sparse.linalg import splu

    count = len(acts)
    place = np.full(len(guess), -1)
    place[acts] = np.arange(count)
    row = np.repeat(np.arange(count), rates.shape[1])
    column = place[part.target].reshape(-1)
    inner: BoolArray = (column >= 0) & (rates.reshape(-1) > 0)
    row, column, data = row[inner], column[inner], rates.reshape(-1)[inner]
    if count > FACTORISED:
        flow = sparse.csr_array((data, (row, column)), shape=(count, count))
        return _iterated(flow, right, guess[acts])
    diagonal = np.arange(count)
    entries = np.concatenate([np.ones(count), -data])
    places = (np.concatenate([diagonal, row]), np.concatenate([diagonal, column]))
    try:
        factors = splu(sparse.csc_array((entries, places), shape=(count, count)))
    except RuntimeError:  # singular up to rounding
        return np.zeros_like(right)
    solved: FloatArray = factors.solve(right)
    return solved


def _iterated(flow: sparse.csr_array, right: FloatArray, guess: FloatArray) -> FloatArray:
    x = guess
    for _ in range(SWEEPS):
        before = x
        x = right + flow @ x
        if np.abs(x - before).max() <= ACCURATE * np.abs(x).max():
            break
    return x
