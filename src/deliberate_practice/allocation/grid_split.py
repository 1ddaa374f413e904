"""Split a budget over the policies of one plan in steps, including the cost of failed approaches.

Without approaches the split on the grid is exact (:mod:`.split`). With approaches policies are
practised one after the other in the plan's order, and each makes the next reachable:

    V_i[b] = max over b', k with b = b' + ceil(k / reach_i(b')) of V_{i-1}[b'] + g_i(k),

which is exact if each policy occurs once and is practised in this order, and a good heuristic
otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from deliberate_practice.allocation.split import Split
from deliberate_practice.allocation.tolerances import ROUNDING, TIE
from deliberate_practice.foundation.arrays import FloatArray, IntArray

FINER = 16
"""Subdivisions of a step if costs are unequal."""

RAREST = 1e-9
"""The smallest assumed probability of an approach."""

WHOLE = 1e-9
"""Smaller parts of a step count as 0."""

Reach = Callable[[str, Mapping[str, int]], float]
"""The probability that an episode of a policy reaches its precondition, given all attempts."""


@dataclass(frozen=True)
class Grid:
    """The choices of a split: for each policy, multiples of a number of attempts.

    Attributes:
        steps: Number of steps of the budget.
        attempts: 0, 1, 2, ... times the attempts of one choice, by policy in order of use.
        lengths: Steps that one choice of each policy takes if it is always reached.
    """

    steps: int
    attempts: dict[str, IntArray]
    lengths: dict[str, float]

    def split(self, gains: Mapping[str, FloatArray]) -> dict[str, int]:
        """The cheapest of the best splits if every episode reaches its precondition.

        Args:
            gains: g(0), g(1), ... of each policy's choices.
        """
        names = list(self.attempts)
        costs = {i: math.ceil(self.lengths[name]) for i, name in enumerate(names)}
        split = Split({i: gains[name] for i, name in enumerate(names)}, costs, self.steps)
        total = float(split.totals(np.array([self.steps]))[0])
        if total == -np.inf:
            return {}
        _, chosen = split.cheapest(total - TIE, self.steps)
        return {names[i]: int(self.attempts[names[i]][int(k)]) for i, k in chosen.items()}

    def split_with_approach(self, gains: Mapping[str, FloatArray], reach: Reach) -> dict[str, int]:
        """The cheapest of the best splits if each policy pays for its approach.

        Attempts that the end of the budget cuts short count in proportion to the part that is paid:
        the last episode is worth practising, though its approach may fail.

        Args:
            gains: g(0), g(1), ... of each policy's choices.
            reach: The probability of reaching each policy.
        """
        names, size = list(self.attempts), self.steps + 1
        best = np.full(size, -np.inf)  # by budget spent so far
        best[0] = 0.0
        chosen = np.zeros((size, len(names)), dtype=np.int64)  # attempts that led there
        for i, name in enumerate(names):
            attempts, length, gain = self.attempts[name], self.lengths[name], gains[name]
            spent = (best > -np.inf).nonzero()[0]
            if not len(spent):  # a policy before this one never succeeds
                return {}
            paths, before = chosen[spent], best[spent]
            known = (dict(zip(names, path, strict=True)) for path in paths.tolist())
            often = np.array([max(reach(name, done), RAREST) for done in known])
            ways = np.arange(len(attempts)) * length / often[:, None]
            places = spent[:, None] + np.ceil(ways - WHOLE).astype(np.int64)
            # Among several numbers of attempts for the same budget, the largest is best.
            last = places < size
            last[:, :-1] &= places[:, 1:] != places[:, :-1]
            row, choice = last.nonzero()
            found = np.full((len(spent), size), -np.inf)
            number = np.zeros(found.shape, dtype=np.int64)
            found[row, places[row, choice]] = before[row] + gain[choice]
            number[row, places[row, choice]] = attempts[choice]
            more, cut_short = _cut_short(attempts, gain, (self.steps - spent) * often / length)
            best, source = np.full(size, -np.inf), np.zeros(size, dtype=np.int64)
            for j in range(len(spent)):
                better = found[j] > best + ROUNDING
                best[better], source[better] = found[j, better], j
                if before[j] + more[j] > best[-1] + ROUNDING:
                    best[-1], source[-1] = before[j] + more[j], j
                    number[j, -1] = cut_short[j]
            chosen = np.where(best[:, None] > -np.inf, paths[source], 0)
            chosen[:, i] = number[source, np.arange(size)]
        cheapest = int(np.argmax(best >= best.max() - TIE))
        split = dict(zip(names, chosen[cheapest].tolist(), strict=True))
        return {name: k for name, k in split.items() if k}


def make_grid(costs: Mapping[str, int], budget: int, resolution: int | None = None) -> Grid:
    """Choices as fine as the resolution requires, and never finer than one episode.

    Args:
        costs: Budget units per episode by policy, in order of use.
        budget: Budget units.
        resolution: Approximate number of steps of the budget; by default each is one episode.
    """
    unit = math.gcd(*costs.values()) or 1
    budget //= unit
    step = max(1, budget // resolution) if resolution else 1
    attempts, lengths = {}, {}
    for name in costs:
        cost = costs[name] // unit
        stride = max(1, step // cost)
        attempts[name] = np.arange(0, budget // cost + 1, stride)
        lengths[name] = stride * cost / step
    if all(length == 1 for length in lengths.values()):
        return Grid(budget // step, attempts, lengths)
    # Unequal costs: finer steps, so that rounding choices up to whole steps costs little.
    finer = {name: FINER * length for name, length in lengths.items()}
    return Grid(FINER * budget // step, attempts, finer)


def _cut_short(
    attempts: IntArray, gains: FloatArray, choices: FloatArray
) -> tuple[FloatArray, IntArray]:
    """Gain and attempts of choices with a partial last one; none if it is whole or too many."""
    whole, part = np.divmod(choices, 1.0)
    k = whole.astype(np.int64) + 1
    some = ((k < len(gains)) & (part > WHOLE)).nonzero()[0]
    k, part = k[some], part[some]
    more, cut_short = np.full(len(choices), -np.inf), np.zeros(len(choices), dtype=np.int64)
    more[some] = np.logaddexp(np.log1p(-part) + gains[k - 1], np.log(part) + gains[k])
    steps = np.ceil(part * (attempts[k] - attempts[k - 1]))
    cut_short[some] = attempts[k - 1] + steps.astype(np.int64)
    return more, cut_short
