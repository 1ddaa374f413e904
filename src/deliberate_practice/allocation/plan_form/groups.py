"""With step costs: plans that share most of their steps.

A plan with the factors F_k and the expected costs C_k = F_k e_k of its steps is worth
V_j = R Π F - Σ_k C_k P_k, where P_k is the product of the factors before step k. Let c be the kinds
that all plans of a group use, and H_j the other steps of plan j, its *head*. For a step k of c, P_k
is at least its product within c times G_j = Π_{h in H_j} F_h. So, with V_c the value of c alone in
the order that plan j has,

    V_j <= G_j (V_c - E_j),     E_j = Σ_{h in H_j} C_h P_h / G_j.

With F_h e_h for C_h, a term of E_j is e_h times the factors before h that are not of the head, over
those of the head after h. Steps that neither c nor the head contains may be left out: their factors
are at most 1, and their costs at least 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.plan_form.model import Model
from deliberate_practice.allocation.plan_form.tilt import MOST_KINDS, Heads, heads
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray

Way = tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...]
"""Steps of a head: kind, kinds of the head after it, kinds outside the head before it."""


class Front(NamedTuple):
    """Sums of terms e_h Π_{before} F / Π_{after} F.

    Attributes:
        owner: The sum to which each term belongs, shape (t,).
        kind: Its kind h, shape (t,).
        after: Kinds of the head after h, shape (t, n + 1).
        before: Uses of kinds outside the head before h, shape (t, n + 1).
    """

    owner: IntArray
    kind: IntArray
    after: FloatArray
    before: FloatArray


@dataclass(frozen=True, eq=False)
class Group:
    """Plans that are bounded together.

    Attributes:
        heads: Their common kinds, and those that only some plans use.
        tails: Orders of the common kinds, padded with n, shape (O, L).
        reward: The largest reward.
        always: Terms whose sum is not above E_j in any order of plan j, by plan.
        ways: Terms of E_j in each order of its head, by order.
        plan: The plan of each order of a head, as an index of the group.
        whole: The plan without a head, if any, as an index of the group.
        corners: Ends of the head's kinds at all corners of a box, shape (2^kinds, kinds); None if
            C need not be linear in F for them.
    """

    heads: Heads
    tails: IntArray
    reward: float
    always: Front
    ways: Front
    plan: IntArray
    whole: int | None
    corners: BoolArray | None

    @property
    def leader(self) -> int:
        """The plan with the shortest head, as an index of the group."""
        return self.whole if self.whole is not None else int(self.heads.used.sum(axis=0).argmin())


def group(model: Model, plans: IntArray) -> Group:
    """The structure of some plans."""
    assert model.sequences is not None
    sequences, parts = model.sequences, heads(model, plans)
    kinds = slice(MOST_KINDS)
    parts = parts._replace(kinds=parts.kinds[kinds], used=parts.used[kinds])
    n = model.single_count.shape[1] + model.joint_count.shape[1]
    common = np.concatenate([parts.common, parts.shared])
    ends = np.append(sequences.first[1:], len(sequences.order))
    tails: dict[tuple[int, ...], None] = {}
    ways: dict[tuple[int, Way], None] = {}
    for i, j in enumerate(plans.tolist()):
        head = parts.kinds[parts.used[:, i]].tolist()
        for order in sequences.order[sequences.first[j] : ends[j]].tolist():
            tail, way = _cut([k for k in order if k < n], common, head)
            tails[tail] = None
            ways[i, way] = None
    padded = np.full((len(tails), max(1, *map(len, tails))), n)
    for row, tail in zip(padded, tails, strict=True):
        row[: len(tail)] = tail
    return Group(
        heads=parts,
        tails=padded,
        reward=float(sequences.reward[sequences.first[plans]].max()),
        always=_in_every_order(ways, n),
        ways=_front([(number, way) for number, (_, way) in enumerate(ways)], n),
        plan=np.array([i for i, _ in ways], dtype=np.int64),
        whole=_whole(model, parts, len(tails)),
        corners=_corners(model, parts.kinds),
    )


def _cut(steps: list[int], common: FloatArray, head: list[int]) -> tuple[tuple[int, ...], Way]:
    """The common kinds of an order, and the steps of its head.

    Of a kind that is used more often than in common, the first uses are not common.
    """
    spare = {k: int(steps.count(k) - common[k]) for k in set(steps)}
    tail: list[int] = []
    outside: list[int] = []
    inside: list[tuple[int, tuple[int, ...]]] = []
    for k in steps:
        if spare[k] > 0 and k in head:
            inside.append((k, tuple(sorted(outside))))
        else:
            outside.append(k)
            if spare[k] <= 0:
                tail.append(k)
        spare[k] -= 1
    way = [
        (k, tuple(sorted(m for m, _ in inside[place + 1 :])), before)
        for place, (k, before) in enumerate(inside)
    ]
    return tuple(tail), tuple(sorted(way))


def _in_every_order(ways: Iterable[tuple[int, Way]], n: int) -> Front:
    """Terms with the kinds that follow in every order, and the most uses before, by plan."""
    least: dict[tuple[int, int], tuple[set[int], dict[int, int]]] = {}
    for i, way in ways:
        for k, after, before in way:
            follow, lead = least.setdefault((i, k), (set(after), {}))
            follow &= set(after)
            for m in before:
                lead[m] = max(lead.get(m, 0), before.count(m))
    return _front(
        [
            (i, ((k, tuple(follow), tuple(m for m in lead for _ in range(lead[m]))),))
            for (i, k), (follow, lead) in least.items()
        ],
        n,
    )


def _front(ways: Sequence[tuple[int, Way]], n: int) -> Front:
    steps = [(i, *step) for i, way in ways for step in way]
    after, before = np.zeros((len(steps), n + 1)), np.zeros((len(steps), n + 1))
    for t, (_, _, follow, lead) in enumerate(steps):
        np.add.at(after[t], list(follow), 1.0)
        np.add.at(before[t], list(lead), 1.0)
    return Front(
        np.array([i for i, *_ in steps], dtype=np.int64),
        np.array([k for _, k, *_ in steps], dtype=np.int64),
        after,
        before,
    )


def _whole(model: Model, parts: Heads, tails: int) -> int | None:
    """The plan that has no other kinds than those of all plans, and all orders of these."""
    assert model.sequences is not None
    excess = model.single_count[parts.plans].sum(axis=1) - parts.common.sum()
    excess += model.joint_count[parts.plans].sum(axis=1) - parts.shared.sum()
    sizes = np.diff(np.append(model.sequences.first, len(model.sequences.order)))
    found = np.flatnonzero((excess == 0) & (sizes[parts.plans] == tails))
    return int(found[0]) if len(found) else None


def _corners(model: Model, kinds: IntArray) -> BoolArray | None:
    """The corners of a box of kinds; None if C need not be linear in F."""
    policies = model.atom_policy[model.single[kinds]]
    if len(set(policies.tolist())) < len(kinds) or not model.linear[kinds].all():
        return None
    return (np.arange(2 ** len(kinds))[:, None] >> np.arange(len(kinds)) & 1).astype(np.bool_)
