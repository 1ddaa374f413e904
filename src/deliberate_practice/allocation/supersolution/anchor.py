"""Values at one split, and how they respond to competences: what a good shape follows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deliberate_practice.allocation.supersolution.actions import Actions
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray

DENSE = 400
"""The most states that are solved as a full matrix."""

ROUNDS, INNER = 60, 60
"""Improvements of the decision rule, and sweeps with each rule."""


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
    own = p[actions.policy]
    rates, gain = actions.rates(own)
    values = np.where(actions.terminal, actions.reward, np.maximum(guess, 0.0))
    rule = np.full(len(values), -1)
    states, first = actions.acting, actions.first
    counts = np.diff(np.append(first, len(actions.state)))
    for _ in range(ROUNDS if len(states) else 0):
        q = np.einsum("ak,ak->a", rates, values[actions.target]) + gain
        top = np.maximum.reduceat(q, first)
        winners = np.flatnonzero(q >= np.repeat(top, counts))
        best = winners[np.searchsorted(actions.state[winners], states)]
        after = np.where(top > 0, best, -1)
        if np.array_equal(rule[states], after):
            break
        rule[states] = after
        acts = states[after >= 0]
        chosen = rule[acts]
        for _ in range(INNER):
            flow = np.einsum("nk,nk->n", rates[chosen], values[actions.target[chosen]])
            values[acts] = np.maximum(values[acts], flow + gain[chosen])
    return _responses(actions, p, values, rule)


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
    solved = _solve(part, rates, acts, right, len(values))
    offsets, elasticity = np.zeros(len(values)), np.zeros((len(values), len(p)))
    offsets[acts] = np.maximum(solved[:, -1], 0.0)
    size = values[acts] + offsets[acts]
    elasticity[acts] = np.where(size > 0, 1.0, 0.0)[:, None] * (
        solved[:, :-1] * p / np.where(size > 0, size, 1.0)[:, None]
    )
    return Anchor(p, values, offsets, elasticity, rule)


def _solve(
    part: Actions, rates: FloatArray, acts: IntArray, right: FloatArray, states: int
) -> FloatArray:
    """x = right + ρ x over the states in which the rule acts."""
    place = np.full(states, -1)
    place[acts] = np.arange(len(acts))
    row = np.repeat(np.arange(len(acts)), rates.shape[1])
    column = place[part.target].reshape(-1)
    inner: BoolArray = (column >= 0) & (rates.reshape(-1) > 0)
    data = rates.reshape(-1)[inner]
    if len(acts) <= DENSE:
        matrix = np.eye(len(acts))
        np.subtract.at(matrix, (row[inner], column[inner]), data)
        try:
            return np.linalg.solve(matrix, right)
        except np.linalg.LinAlgError:
            return np.zeros_like(right)
    from scipy import sparse
    from scipy.sparse.linalg import splu

    flow = sparse.csc_array((data, (row[inner], column[inner])), shape=(len(acts),) * 2)
    try:
        solved: FloatArray = splu(sparse.csc_array(sparse.eye_array(len(acts)) - flow)).solve(right)
    except RuntimeError:  # singular up to rounding
        return np.zeros_like(right)
    return solved
