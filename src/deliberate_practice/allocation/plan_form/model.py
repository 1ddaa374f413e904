"""Plans as functions of a split, and separable functions above them.

The value of plan j is exp T_j(b), T_j = log R_j + Σ_k n_jk log F_k(b); with step costs T_j is the
logarithm of R_j Π F - Σ (costs). A kind that depends on one practised policy is a table over its
episodes, an *atom*. Any other log F_k is concave in the logarithms of the competences, so it lies
below its tangent plane at any point, and a plane is a sum of atoms log p_u. So every weighted sum
of T_j lies below a sum of atoms: a constant, and a coefficient >= 0 for each atom.

Competences of 0 have the logarithm FLOOR, whose exponential is 0.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.max_plus import is_concave
from deliberate_practice.allocation.plan_form.kinds import Kind
from deliberate_practice.allocation.plan_form.step_costs import Point, Sequences
from deliberate_practice.allocation.plan_form.terms import Sums
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.foundation.rounding import EPS

FLOOR = -1e4
"""Logarithm of 0: its exponential is 0, and sums with it stay finite."""


ALIKE = 0.5
"""Plans are in one cluster if at least this part of their kinds is common."""


class Weighted(NamedTuple):
    """Weighted sums of T_j, K at a time.

    Attributes:
        reward: Σ_j ω_j log R_j, shape (K,).
        single: Σ_j ω_j n_jk of the kinds that are atoms, shape (K, atoms).
        joint: The same of the kinds with several practised policies, shape (K, M).
        row, plan, weight: The nonzero ω, used only with step costs.
    """

    reward: FloatArray
    single: FloatArray
    joint: FloatArray
    row: IntArray
    plan: IntArray
    weight: FloatArray


class Above(NamedTuple):
    """Functions constant + Σ_a coefficient_a atom_a(b) + extra(b), K at a time.

    Attributes:
        constant: Shape (K,).
        coefficient: Shape (K, A).
        extra: Further tables of each policy, shape (K, Q, L + 1), or None.
    """

    constant: FloatArray
    coefficient: FloatArray
    extra: FloatArray | None = None

    def mean(self, other: Above) -> Above:
        """The mean of two functions above the same sums."""
        extra = self.extra
        if extra is not None and other.extra is not None:
            extra = 0.5 * (extra + other.extra)
        return Above(
            0.5 * (self.constant + other.constant),
            0.5 * (self.coefficient + other.coefficient),
            extra,
        )

    def where(self, chosen: BoolArray, other: Above) -> Above:
        """These functions where they are chosen, the others elsewhere."""
        extra = self.extra
        if extra is not None and other.extra is not None:
            extra = np.where(chosen[:, None, None], extra, other.extra)
        return Above(
            np.where(chosen, self.constant, other.constant),
            np.where(chosen[:, None], self.coefficient, other.coefficient),
            extra,
        )

    @classmethod
    def joined(cls, parts: Sequence[Above]) -> Above:
        """All functions of several parts."""
        extras = [part.extra for part in parts if part.extra is not None]
        return cls(
            np.concatenate([part.constant for part in parts]),
            np.concatenate([part.coefficient for part in parts]),
            np.concatenate(extras) if extras else None,
        )

    def take(self, rows: IntArray | BoolArray) -> Above:
        """Some of the functions."""
        extra = None if self.extra is None else self.extra[rows]
        return Above(self.constant[rows], self.coefficient[rows], extra)


@dataclass(frozen=True, eq=False)
class Model:
    """The plans of a problem; splits are levels (episodes) of the Q policies that matter.

    Attributes:
        policies: Index of each policy among all, shape (Q,).
        most: Largest level of each, shape (Q,).
        cost: Budget units per episode, shape (Q,).
        budget: Budget units.
        log_p: log competence at each level, constant after the end, shape (Q, L + 1).
        atom: Tables of the atoms, sorted by policy; the last of each policy is log p, (A, L + 1).
        atom_policy: The policy of each, shape (A,).
        single: Which atom belongs to each single kind.
        linear: Whether at most one step of the single kind is practised.
        owner, weight, log_reward: Start of each plan, its probability, log R, shape (J,).
        single_count, joint_count: Uses of kinds, shapes (J, singles), (J, M).
        joint: log 1/F of the joint kinds with planes, or None.
        joint_uses: Which policies they use, shape (M, Q).
        bent: The joint kinds without planes; their columns come last in ``joint_count``.
        sequences: The orders of each plan, with step costs; else None.
        tie_loss: The most that a value loses because equally good orders were left out.
    """

    policies: IntArray
    most: IntArray
    cost: IntArray
    budget: int
    log_p: FloatArray
    atom: FloatArray
    atom_policy: IntArray
    single: IntArray
    linear: BoolArray
    owner: IntArray
    weight: FloatArray
    log_reward: FloatArray
    single_count: FloatArray
    joint_count: FloatArray
    joint: Sums | None
    joint_uses: BoolArray
    bent: tuple[Kind, ...]
    competence: FloatArray
    sequences: Sequences | None
    tie_loss: float

    def with_budget(self, budget: int) -> Model:
        """The same plans with a smaller budget; everything else is shared."""
        other = copy.copy(self)
        object.__setattr__(other, "budget", budget)
        return other

    @cached_property
    def planes(self) -> int:
        """Number of joint kinds that have planes."""
        return int(self.joint_count.shape[1]) - len(self.bent)

    @cached_property
    def curved(self) -> bool:
        """Whether some function above plans depends on where it touches."""
        return self.joint is not None or self.sequences is not None

    @cached_property
    def step(self) -> FloatArray:
        """Gains of the atoms from level to level, shape (A, L)."""
        return np.diff(self.atom, axis=1)

    @cached_property
    def first_atom(self) -> IntArray:
        """The first atom of each policy."""
        return np.flatnonzero(np.diff(self.atom_policy, prepend=-1))

    @cached_property
    def concave(self) -> BoolArray:
        """Whether all atoms of a policy are concave, shape (Q,)."""
        fine = [
            is_concave(table[: self.most[q] + 1])
            for table, q in zip(self.atom, self.atom_policy.tolist(), strict=True)
        ]
        concave = np.logical_and.reduceat(np.array(fine), self.first_atom)
        return np.asarray(concave & ~self.joint_uses[self.planes :].any(axis=0))

    @cached_property
    def noise(self) -> float:
        """Relative rounding of a sum over atoms, joint kinds and plans."""
        return EPS * float(64 + 2 * (len(self.atom) + self.joint_count.shape[1] + len(self.owner)))

    def x(self, b: IntArray) -> FloatArray:
        """log competences after splits, shape (K, Q)."""
        return self.log_p[np.arange(len(self.policies)), b]

    def atoms(self, b: IntArray) -> FloatArray:
        """All atoms after splits, shape (K, A)."""
        return self.atom[np.arange(len(self.atom)), b[..., self.atom_policy]]

    def logs(self, b: IntArray) -> tuple[FloatArray, FloatArray]:
        """log F of the single and of the joint kinds, shapes (K, singles), (K, M)."""
        single = self.atoms(b)[:, self.single]
        joint = np.zeros((len(b), self.joint_count.shape[1]))
        if self.joint is not None:
            joint[:, : self.planes] = np.minimum(-self.joint.logs(self.x(b)), 0.0)
        for m, kind in enumerate(self.bent, self.planes):
            joint[:, m] = self._bent_log(kind, b)
        if self.joint_count.shape[1]:
            never = self.x(b) <= FLOOR
            if never.any():
                joint[(never[:, None, :] & self.joint_uses[None]).any(axis=2)] = FLOOR
        return single, joint

    def padded_logs(self, b: IntArray) -> FloatArray:
        """log F of all kinds after splits, and 0 for their padding, shape (K, n + 1)."""
        return _padded(*self.logs(b))

    def values(self, b: IntArray) -> tuple[FloatArray, FloatArray]:
        """T_j after splits, rounded down and rounded up, shapes (K, J)."""
        single, joint = self.logs(b)
        if self.sequences is not None:
            values = self.sequences.values(_padded(single, joint), self.x(b))
            with np.errstate(divide="ignore"):
                low, high = (np.maximum(np.log(value), FLOOR) for value in values)
            return low, high
        t = self.log_reward + single @ self.single_count.T + joint @ self.joint_count.T
        t = np.where(t > FLOOR / 2, t, FLOOR)  # some competence is 0
        rounding = self.noise * (64 + np.abs(self.log_reward) + np.abs(t))
        return t - rounding, t + rounding

    def worth(self, b: IntArray) -> FloatArray:
        """Σ_i w_i max_j exp T_j after splits, shape (K,)."""
        best = np.maximum.reduceat(np.exp(self.values(b)[0]), self.first_plan, axis=1)
        worth: FloatArray = best @ self.weight[self.first_plan]
        return worth

    @cached_property
    def first_plan(self) -> IntArray:
        """The first plan of each start that has any."""
        return np.flatnonzero(np.diff(self.owner, prepend=-1))

    @cached_property
    def cluster(self) -> IntArray:
        """The same number for plans that share most of their kinds, shape (J,)."""
        counts = np.concatenate([self.single_count, self.joint_count], axis=1)
        leaders: list[int] = []
        numbers = np.zeros(len(counts), dtype=np.int64)
        for j, own in enumerate(counts):
            other = counts[leaders]
            common = np.minimum(other, own).sum(axis=1)
            alike = common >= ALIKE * np.maximum(other, own).sum(axis=1)
            alike = np.flatnonzero(alike & (self.log_reward[leaders] == self.log_reward[j]))
            if not len(alike):
                leaders.append(j)
            numbers[j] = alike[0] if len(alike) else len(leaders) - 1
        return numbers

    @cached_property
    def remembered(self) -> dict[bytes, object]:
        """Structures of sets of plans, by set."""
        return {}

    def weigh(self, weight: FloatArray) -> Weighted:
        """Weighted sums of all T_j, for weights of shape (K, J)."""
        row, plan = np.nonzero(weight) if self.sequences is not None else (_NONE, _NONE)
        return Weighted(
            weight @ self.log_reward,
            weight @ self.single_count,
            weight @ self.joint_count,
            row,
            plan,
            weight[row, plan],
        )

    def each(self, plans: IntArray) -> Weighted:
        """The T_j of single plans, as weighted sums."""
        return Weighted(
            self.log_reward[plans],
            self.single_count[plans],
            self.joint_count[plans],
            np.arange(len(plans)),
            plans,
            np.ones(len(plans)),
        )

    def above(self, sums: Weighted, point: IntArray, high: IntArray) -> Above:
        """A separable function above each sum on its box, equal to it at a point if possible.

        Args:
            sums: The weighted sums, K of them.
            point: Splits at which planes touch, shape (K, Q).
            high: Upper corners of the boxes, shape (K, Q).
        """
        count = len(point)
        constant = np.zeros(count) if self.sequences is not None else sums.reward.copy()
        coefficient = np.zeros((count, len(self.atom)))
        coefficient[:, self.single] = sums.single
        last = np.append(self.first_atom[1:], len(self.atom)) - 1
        x = self.x(point)
        if self.joint is not None:
            logs, slope = self.joint.logs_and_slopes(x)
            weight = sums.joint[:, : self.planes]
            plane = np.einsum("km,kmq->kq", weight, slope)
            coefficient[:, last] += plane
            constant -= np.einsum("km,km->k", weight, logs) + np.einsum("kq,kq->k", plane, x)
        extra = self._slices(sums, high)
        if self.sequences is not None:
            offset, plane, extra = self._brackets(sums, point, high)
            coefficient[:, last] += plane
            constant += offset
        return Above(constant, coefficient, extra)

    def _brackets(
        self, sums: Weighted, point: IntArray, high: IntArray
    ) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """Functions above the brackets R - Σ costs of the plans: offsets, slopes, and tables.

        The tables are those of orders whose slopes exceed the least one above the point.
        """
        assert self.sequences is not None
        inverse = self.sequences.inverse
        at = [
            Point(self.x(b), _padded(*self.logs(b)), inverse.logs_and_slopes(self.x(b))[1])
            for b in (point, high)
        ]
        offset, plane = np.zeros(len(point)), np.zeros(point.shape)
        extra = np.zeros((len(point), *self.log_p.shape)) if self.sequences.several else None
        hulls = self.sequences.hulls(sums.row, sums.plan, at)
        for hull, x in zip(hulls, (at[0].x, at[1].x, at[1].x), strict=True):
            if not len(hull.term):
                continue
            row, weight = sums.row[hull.term], sums.weight[hull.term]
            spread = np.zeros((len(point), len(weight)))
            spread[row, np.arange(len(weight))] = weight
            least = spread @ hull.least
            plane += least
            offset += spread @ hull.value - np.einsum("kq,kq->k", least, x)
            if extra is not None:
                further = spread @ (hull.most - hull.least)
                extra += further[:, :, None] * np.maximum(self.log_p - x[:, :, None], 0.0)
        return offset, plane, extra

    def _bent_log(self, kind: Kind, b: IntArray) -> FloatArray:
        p = np.broadcast_to(self.competence, (len(b), len(self.competence))).copy()
        p[:, self.policies] = np.exp(self.x(b))
        with np.errstate(divide="ignore"):
            return np.maximum(np.log(kind.climb(p[:, list(kind.policies)])[0]), FLOOR)

    def _slices(self, sums: Weighted, high: IntArray) -> FloatArray | None:
        """Means of log F over its policies, each with the others at the upper corner.

        F rises with every competence, so each slice is an upper bound, and so is their mean.
        """
        if not self.bent:
            return None
        extra = np.zeros((len(high), *self.log_p.shape))
        levels = np.arange(self.log_p.shape[1])
        for m, kind in enumerate(self.bent, self.planes):
            used = np.flatnonzero(self.joint_uses[m])
            for k in np.flatnonzero(sums.joint[:, m]):
                for q in used:
                    b = np.repeat(high[k : k + 1], len(levels), axis=0)
                    b[:, q] = np.minimum(levels, self.most[q])
                    share = sums.joint[k, m] / len(used)
                    extra[k, q] += share * self._bent_log(kind, b)
        return extra


_NONE = np.zeros(0, dtype=np.int64)


def _padded(single: FloatArray, joint: FloatArray) -> FloatArray:
    """log F of all kinds in the order of the sequences, and 0 for their padding."""
    return np.concatenate([single, joint, np.zeros((len(single), 1))], axis=1)
