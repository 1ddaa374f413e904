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

from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.plan_form.model import Above, Model, Weighted
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
    possible: BoolArray = np.asarray(alive.any(axis=1))
    reward = np.zeros(count)
    common = np.zeros((count, model.single_count.shape[1]))
    shared = np.zeros((count, model.joint_count.shape[1]))
    extra = np.zeros((count, *model.log_p.shape))
    structures: dict[bytes, Heads] = {}
    for k in np.flatnonzero(possible).tolist():
        key = alive[k].tobytes()
        if key not in structures:
            structures[key] = heads(model, np.flatnonzero(alive[k]))
        parts = structures[key]
        if len(parts.kinds) > MOST_KINDS:
            possible[k] = False
            continue
        common[k], shared[k] = parts.common, parts.shared
        ends = [corner[0][k] for corner in corners]
        reward[k], extra[k], _ = tilt(model, parts, weights[parts.plans], *ends)
    none = np.zeros(0, dtype=np.int64)
    above = model.above(Weighted(reward, common, shared, none, none, np.zeros(0)), point, high)
    return possible, above._replace(extra=extra if above.extra is None else extra + above.extra)


class Heads(NamedTuple):
    """Kinds of some plans.

    Attributes:
        plans: The plans, shape (n,).
        common: Least uses of the single kinds.
        shared: Least uses of the joint kinds.
        kinds: Single kinds that some plans use once more than others, and none twice more.
        used: Which plans use them once more, shape (kinds, n).
    """

    plans: IntArray
    common: FloatArray
    shared: FloatArray
    kinds: IntArray
    used: BoolArray


def heads(model: Model, plans: IntArray) -> Heads:
    """Common uses of the kinds, and the kinds that only some plans use."""
    single, joint = model.single_count[plans], model.joint_count[plans]
    common = single.min(axis=0)
    excess = single - common
    kinds = np.flatnonzero(excess.max(axis=0) == 1)
    return Heads(plans, common, joint.min(axis=0), kinds, (excess[:, kinds] == 1).T)


def tilt(
    model: Model, parts: Heads, weights: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """A separable function above log Σ_j exp(weight_j) X_j in a box.

    Args:
        model: The plans.
        parts: The kinds of the plans.
        weights: log W_j, shape (n,).
        low: log F of the single kinds at the lower corner.
        high: The same at the upper corner.

    Returns:
        Its constant, its tables of shape (Q, L + 1), and the shares of the plans in the sum at all
        corners, shape (2^kinds, n); bit a of a corner tells whether kind a is at its upper end.
    """
    table = np.zeros(model.log_p.shape)
    most = weights.max()
    shares = np.exp(weights - most)[None]
    constant = float(most + np.log(shares.sum()))
    for kind, used in zip(parts.kinds, parts.used, strict=True):
        whole, part = shares.sum(axis=1), shares[:, used].sum(axis=1)
        least = (part / np.where(whole > 0, whole, 1.0)).min()  # 0 where no plan works
        atom = model.single[kind]
        least = max(least * (1 - model.noise) - model.noise, 0.0)
        table[model.atom_policy[atom]] += np.log1p(-least * (1.0 - np.exp(model.atom[atom])))
        ends = np.exp([low[kind], high[kind]])
        shares = np.concatenate([np.where(used, shares * end, shares) for end in ends])
    whole = shares.sum(axis=1, keepdims=True)
    return constant, table, shares / np.where(whole > 0, whole, 1.0)
