"""Better splits by exchanging episodes, judged by the values of the plans."""

from __future__ import annotations

import numpy as np

from deliberate_practice.allocation.plan_form.model import Model
from deliberate_practice.foundation.arrays import IntArray

STEPS = (16, 8, 4, 2, 1)
"""Episodes per exchange."""

TRIED = 12
"""Exchanges tried at a time, the most promising ones."""

ROUNDS = 60
"""The most exchanges of one search."""


def exchange(
    model: Model, split: IntArray, steps: tuple[int, ...] = STEPS
) -> tuple[float, IntArray]:
    """Climb from a split; return the value and the split reached."""
    best = split
    value = float(model.worth(best[None])[0])
    rounds = 0
    for step in steps:
        while rounds < ROUNDS:
            rounds += 1
            tried = _neighbours(model, best, step)
            if not len(tried):
                break
            worth = model.worth(tried)
            k = int(np.argmax(worth))
            if not worth[k] > value * (1 + 1e-12):
                break
            value, best = float(worth[k]), tried[k]
    return value, best


def _neighbours(model: Model, split: IntArray, step: int) -> IntArray:
    """The most promising exchanges of one step, by the sum of their separate effects."""
    policies = np.arange(len(split))
    more = np.minimum(step, np.minimum(model.most, model.budget // model.cost) - split)
    missing = more * model.cost - (model.budget - int(split @ model.cost))
    takers = policies[more > 0]
    up = np.repeat(split[None], len(takers), axis=0)
    up[np.arange(len(takers)), takers] += more[takers]
    free = missing[takers] <= 0
    pairs = [(u, v) for u in takers[~free] for v in policies if u != v]
    given = np.array([-(-missing[u] // model.cost[v]) for u, v in pairs], dtype=np.int64)
    taker, giver = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    enough = split[giver] >= given
    taker, giver, given = taker[enough], giver[enough], given[enough]
    if len(taker) > TRIED:
        down = np.repeat(split[None], len(split), axis=0)
        down[policies, policies] = np.maximum(split - step, 0)
        worth = model.worth(np.concatenate([up, down]))
        gain = dict(zip(takers.tolist(), worth[: len(takers)], strict=True))
        sums = np.array([gain[u] for u in taker.tolist()]) + worth[len(takers) :][giver]
        chosen = np.argsort(-sums, kind="stable")[:TRIED]
        taker, giver, given = taker[chosen], giver[chosen], given[chosen]
    moved = np.repeat(split[None], len(taker), axis=0)
    rows = np.arange(len(taker))
    moved[rows, taker] += more[taker]
    moved[rows, giver] -= given
    return np.concatenate([up[free], moved])
