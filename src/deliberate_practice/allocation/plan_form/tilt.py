"""A bound on sums of plans that differ in a few kinds.

Let W_j = w_j R_j, and let every plan use kind k at least c_k times. Let u_1 ... u_K be kinds that
some plans use exactly once more, and X_j the product of the factors that plan j has among them. No
factor exceeds 1, so Σ_j w_j exp T_j <= Π_k F_k^c_k Σ_j W_j X_j. One kind after the other, with
m_a = Σ_{j uses u_a} W_j Π_{e<a} F_e / Σ_j W_j Π_{e<a} F_e (over the factors e that j uses),

    Σ_j W_j X_j = Σ_j W_j Π_a (1 - m_a (1 - F_{u_a})).

m_a is a quotient of multilinear functions and monotone in each factor, so its least value on a box
is at a corner; with it the product is an upper bound whose logarithm is separable.
"""

from __future__ import annotations

import numpy as np

from deliberate_practice.allocation.plan_form.model import FLOOR, Above, Model, Weighted
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray

MOST_KINDS = 10
"""Corners are tried for at most this many kinds."""


def tilted(
    model: Model, alive: BoolArray, low: IntArray, high: IntArray, point: IntArray
) -> tuple[BoolArray, Above]:
    """Separable functions above the logarithm of Σ_j w_j exp T_j, for K boxes.

    Args:
        model: The plans.
        alive: The plans of each sum, shape (K, J).
        low: Lower corners of the boxes, shape (K, Q).
        high: Upper corners.
        point: Splits at which planes touch.

    Returns:
        Which boxes have such a function, and the functions.
    """
    count = len(low)
    corners = [model.logs(b) for b in (low, high)]
    weights = np.log(model.weight) + model.log_reward
    if model.sequences is not None:
        # The bracket R - Σ costs is largest at the upper corner.
        single, joint = corners[1]
        logs = model.values(high)[1]
        bracket = logs - single @ model.single_count.T - joint @ model.joint_count.T
        weights = np.log(model.weight) + np.where(logs > FLOOR, bracket, FLOOR)
    weights = np.broadcast_to(weights, alive.shape)
    possible: BoolArray = np.asarray(alive.any(axis=1))
    reward = np.zeros(count)
    common = np.zeros((count, model.single_count.shape[1]))
    shared = np.zeros((count, model.joint_count.shape[1]))
    extra = np.zeros((count, *model.log_p.shape))
    alone: list[tuple[int, int]] = []
    structures: dict[bytes, tuple[IntArray, FloatArray, FloatArray, IntArray, BoolArray]] = {}
    for k in np.flatnonzero(possible).tolist():
        key = alive[k].tobytes()
        if key not in structures:
            structures[key] = _structure(model, alive[k])
        plans, common[k], shared[k], kinds, used = structures[key]
        if len(kinds) > MOST_KINDS:
            possible[k] = False
            continue
        if len(plans) == 1 and model.sequences is not None:
            alone.append((k, int(plans[0])))
        most = weights[k, plans].max()
        shares = np.exp(weights[k, plans] - most)[None]
        reward[k] = most + np.log(shares.sum())
        ends = np.exp(np.stack([corner[0][k, kinds] for corner in corners]))
        for a, kind in enumerate(kinds):
            whole, part = shares.sum(axis=1), shares[:, used[a]].sum(axis=1)
            least = (part / np.where(whole > 0, whole, 1.0)).min()  # 0 where no plan works
            atom = model.single[kind]
            factor = np.exp(model.atom[atom])
            least = max(least * (1 - model.noise) - model.noise, 0.0)
            extra[k, model.atom_policy[atom]] += np.log1p(-least * (1.0 - factor))
            shares = np.concatenate([np.where(used[a], shares * end, shares) for end in ends[:, a]])
    rows, plans_alone = np.array(alone, dtype=np.int64).reshape(-1, 2).T
    if len(rows):
        reward[rows] = np.log(model.weight[plans_alone])
    sums = Weighted(reward, common, shared, rows, plans_alone, np.ones(len(rows)))
    above = model.above(sums, point, high)
    if model.sequences is not None:
        above = above._replace(constant=above.constant + reward)
    return possible, above._replace(extra=extra if above.extra is None else extra + above.extra)


def _structure(
    model: Model, alive: BoolArray
) -> tuple[IntArray, FloatArray, FloatArray, IntArray, BoolArray]:
    """Plans, common uses of the kinds, kinds that some use once more, and which do."""
    plans = np.flatnonzero(alive)
    single, joint = model.single_count[plans], model.joint_count[plans]
    common = single.min(axis=0)
    excess = single - common
    kinds = np.flatnonzero(excess.max(axis=0) == 1)
    return plans, common, joint.min(axis=0), kinds, (excess[:, kinds] == 1).T
