"""With step costs: in which order two parts of a plan are better.

Let A and B be parts of two plans X A B Y and X B A Y from the same start. With C the expected
discounted cost of a part, a value V behind both gives

    (A first) F_A (F_B V - C_B) - C_A,      (B first) F_B (F_A V - C_A) - C_B,

so A first is at least as good if and only if C_A (1 - F_B) <= C_B (1 - F_A), that is, if the index
C / (1 - F) of A is not larger than that of B, whatever X, Y and V are. So for every split one of
the two orders can be left out, for all starts at once. An index is a quotient of functions that are
linear in each competence, so it is monotone in each, and its extremes on a box are at corners.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deliberate_practice.allocation.plan_form.kinds import Climb, Kind
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.foundation.deadline import check

MOST_CORNERS = 64
"""Indices are bounded by their corners only if there are not more than this."""

TIE = 1e-12
"""Indices within this relative distance are equal; the order then changes a value by at most this
part of the reward."""

Part = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Orders:
    """Pairs of plans that differ in the order of two neighbouring parts.

    Attributes:
        parts: The parts A and B of each pair of parts.
        first: Plans with A before B, for each pair of parts.
        second: The same plans with B before A.
    """

    parts: tuple[tuple[Part, Part], ...]
    first: tuple[IntArray, ...]
    second: tuple[IntArray, ...]

    def left(self, alive: BoolArray, decided: IntArray) -> BoolArray:
        """The plans that are left after decisions.

        A plan is left out if improvements by decided orders lead from it to a plan of the set that
        cannot be improved any more: that one is at least as good.

        Args:
            alive: The set of plans, shape (J,).
            decided: 1 if A is not worse before B, -1 if it is not better, 0 if that is open, for
                each pair of parts.
        """
        improved = np.arange(len(alive))
        for pair in np.flatnonzero(decided):
            first, second = self.first[pair], self.second[pair]
            if decided[pair] > 0:
                improved[second] = first
            else:
                improved[first] = second
        return alive & ~(_leads_elsewhere(improved, alive))


def _leads_elsewhere(improved: IntArray, alive: BoolArray) -> BoolArray:
    """Plans from which improvements end at another plan of a set, without a circle of ties."""
    final = improved
    for _ in range(len(improved).bit_length()):
        final = final[final]
    ends = improved[final] == final
    return np.asarray(ends & alive[final] & (final != np.arange(len(final))))


def find_orders(plans: Sequence[tuple[int, Part]], deadline: float | None = None) -> Orders:
    """All pairs among plans.

    Args:
        plans: The start and reward of each plan (as one number), and its kinds.
        deadline: When to give up.

    Raises:
        Late: The deadline passed.
    """
    groups: dict[tuple[int, Part], list[int]] = defaultdict(list)
    for j, (group, kinds) in enumerate(plans):
        groups[group, tuple(sorted(kinds))].append(j)
    found: dict[tuple[Part, Part], list[tuple[int, int]]] = defaultdict(list)
    for members in groups.values():
        for place, i in enumerate(members):
            check(deadline)
            for j in members[place + 1 :]:
                swap = _swapped(plans[i][1], plans[j][1])
                if swap is not None:
                    a, b = swap
                    found[min(a, b), max(a, b)].append((i, j) if a < b else (j, i))
    return Orders(
        tuple(found),
        tuple(np.array([i for i, _ in pairs]) for pairs in found.values()),
        tuple(np.array([j for _, j in pairs]) for pairs in found.values()),
    )


def _swapped(one: Part, other: Part) -> tuple[Part, Part] | None:
    """Parts A and B with one = X A B Y and other = X B A Y, or None."""
    differs = [i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if not differs:
        return None
    one, other = one[differs[0] : differs[-1] + 1], other[differs[0] : differs[-1] + 1]
    cut = one.index(other[0]) if other[0] in one else 0
    return (one[:cut], one[cut:]) if one[cut:] + one[:cut] == other else None


def settled(
    orders: Orders,
    kinds: Sequence[Kind],
    low: FloatArray,
    high: FloatArray,
    plans: int,
    deadline: float | None = None,
) -> BoolArray:
    """The plans that are left if orders are settled by the indices at all competences.

    Every other plan leads by improvements to one of these, which is at least as good.

    Args:
        orders: The pairs.
        kinds: The kinds to which parts refer.
        low: Least competence of every policy.
        high: Largest competence of every policy.
        plans: Number of plans.
        deadline: When to give up.

    Raises:
        Late: The deadline passed.
    """
    decided = np.zeros(len(orders.parts), dtype=np.int64)
    ranges: dict[Part, tuple[float, float]] = {}
    for pair, parts in enumerate(orders.parts):
        check(deadline)
        for part in parts:
            if part not in ranges:
                ranges[part] = _index_range([kinds[k] for k in part], low, high)
        (a_low, a_high), (b_low, b_high) = (ranges[part] for part in parts)
        if a_high <= b_low * (1 + TIE):
            decided[pair] = 1
        elif b_high <= a_low * (1 + TIE):
            decided[pair] = -1
    return orders.left(np.ones(plans, dtype=np.bool_), decided)


def _index_range(part: Sequence[Kind], low: FloatArray, high: FloatArray) -> tuple[float, float]:
    """The least and the largest index of a part over all competences."""
    policies = [u for kind in part for u in kind.policies]
    free = [u for u in policies if high[u] > low[u]]
    repeated = len(set(free)) < len(free)
    if repeated or 2 ** len(free) > MOST_CORNERS or not low[policies].all():
        return 0.0, np.inf
    corners = np.array(list(itertools.product((0, 1), repeat=len(free))), dtype=np.bool_)
    p = np.repeat(low[None], len(corners), axis=0)
    p[:, free] = np.where(corners, high[free], low[free])
    one = np.ones(len(corners))
    whole = Climb(one, 0 * one, 0 * one)
    for kind in part:
        whole = whole.then(kind.climb(p[:, list(kind.policies)]))
    with np.errstate(divide="ignore", invalid="ignore"):
        index = whole.cost / whole.missing
    if np.isnan(index).any():
        return 0.0, np.inf
    return float(index.min()), float(index.max())
