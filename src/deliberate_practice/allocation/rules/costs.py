"""What practice costs: episodes, and those that never arrive.

Policies are practised one after the other, the easiest to reach first. k attempts of u cost
k cost_u / reach_u, with reach_u the probability that its approach arrives once the policies before
it have had their attempts. Its logarithm is taken as a sum over these policies: exact for a route
on which every skill has to succeed once, and corrected at the split that is being improved.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.mdp.arrival import Arrivals

RAREST = 1e-3
"""The smallest assumed probability of arriving."""

KNOTS = 8
"""Numbers of attempts of one policy for which others' probabilities are computed."""

HALVINGS = 5
"""Steps in which the affordable part of a split is found."""

WHOLE = 1e-9
"""Part of the budget by which rounding may exceed it."""


@dataclass(frozen=True, eq=False)
class PracticeCosts:
    """What the choices of a split cost.

    Attributes:
        prices: Budget units that one step of attempts of each policy costs if it always arrives.
        most: The most steps of each policy; 0 for those that are not practised.
        budget: Budget units.
        approaches: How each policy can be reached; None if it is free.
        correction: What is added to the logarithm of each probability of arriving.
    """

    prices: FloatArray
    most: IntArray
    budget: int
    approaches: Approaches | None = None
    correction: FloatArray | float = 0.0

    def units(self, splits: IntArray) -> FloatArray:
        """Expected budget units of each split, shape (splits,)."""
        if self.approaches is None:
            return np.asarray(splits @ self.prices)
        reach = np.exp(np.minimum(self.approaches.log_reach(splits) + self.correction, 0.0))
        return np.asarray((splits * self.prices / np.maximum(reach, RAREST)).sum(axis=1))

    def each(self, split: IntArray) -> FloatArray:
        """Budget units of one step of each policy, if it is practised at its turn."""
        if self.approaches is None:
            return self.prices
        log = self.approaches.log_reach(split[None])[0] + self.correction
        return np.asarray(self.prices / np.maximum(np.exp(np.minimum(log, 0.0)), RAREST))

    def around(self, split: IntArray) -> PracticeCosts:
        """The same, exact for one split."""
        if self.approaches is None:
            return self
        exact = np.log(np.maximum(self.approaches.reach(split), RAREST))
        return replace(self, correction=exact - self.approaches.log_reach(split[None])[0])

    def affordable(self, split: IntArray) -> bool:
        """Whether the budget pays for a split, with exact probabilities of arriving."""
        units = float(self.around(split).units(split[None])[0])
        return units <= self.budget * (1 + WHOLE)

    def affordable_part(self, split: IntArray) -> IntArray:
        """The split if the budget pays for it, otherwise about the largest part of it that it does.

        With fewer attempts policies are also harder to reach, so no formula gives the part.
        """
        if self.affordable(split):
            return split
        low, high = 0.0, 1.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            paid = self.affordable((split * middle).astype(np.int64))
            low, high = (middle, high) if paid else (low, middle)
        return (split * low).astype(np.int64)

    @property
    def helpful(self) -> BoolArray:
        """Whether practice of each policy makes another one easier to reach."""
        if self.approaches is None:
            return np.zeros(len(self.most), dtype=np.bool_)
        return self.approaches.helpful


@dataclass(frozen=True, eq=False)
class Approaches:
    """The approaches to each policy, which improve with practice.

    Attributes:
        ways: The approaches; way i leads to policy i modulo the number of policies.
        means: Mean competence of each policy after 0, 1, ... steps, shape (policies, choices).
        present: Probability of arriving now, at least, shape (policies,).
    """

    ways: Arrivals
    means: FloatArray
    present: FloatArray
    _known: dict[bytes, FloatArray] = field(default_factory=dict)

    @cached_property
    def turns(self) -> IntArray:
        """When each policy has its turn: the easiest to reach is first."""
        turns = np.empty(len(self.means), dtype=np.int64)
        turns[np.argsort(-self._base.max(axis=0), kind="stable")] = np.arange(len(turns))
        return turns

    def log_reach(self, splits: IntArray) -> FloatArray:
        """Logarithm of the probability of reaching each policy, shape (splits, policies)."""
        by = self._helping
        gains = self._gains[:, :, by, splits[:, by]].sum(axis=3)  # (ways, policies, splits)
        return np.asarray(np.minimum((self._base[:, :, None] + gains).max(axis=0), 0.0).T)

    def reach(self, split: IntArray) -> FloatArray:
        """Probability of reaching each policy at its turn, shape (policies,)."""
        key = split.tobytes()
        if key not in self._known:
            self._known[key] = self._reach(split)
        return self._known[key]

    def _reach(self, split: IntArray) -> FloatArray:
        count = len(split)
        earlier = self.turns[None, :] < self.turns[:, None]
        levels = np.where(earlier, split[None, :], 0)
        competence = self.means[np.arange(count)[None, :], levels]
        table = self.ways.probabilities(competence).reshape(count, -1, count)
        mine = table[np.arange(count), :, np.arange(count)].max(axis=1)
        return np.asarray(np.maximum(mine, self.present))

    @cached_property
    def helpful(self) -> BoolArray:
        """Whether practice of each policy makes another one easier to reach."""
        return np.asarray(np.abs(self._gains).max(axis=(0, 1, 3)) > RAREST)

    @cached_property
    def _helping(self) -> IntArray:
        """Indices of the policies that are helpful."""
        return np.flatnonzero(self.helpful)

    @cached_property
    def _base(self) -> FloatArray:
        """Logarithm of the probability of arriving now, by way, shape (ways, policies)."""
        return np.asarray(self._logs(self.means[None, :, 0])[0])

    @cached_property
    def _gains(self) -> FloatArray:
        """Gain in the logarithm by policies with an earlier turn, (ways, policies, by, choices)."""
        count, choices = self.means.shape
        knots = np.unique((np.linspace(0, 1, KNOTS) ** 2 * (choices - 1)).round().astype(np.int64))
        competence = np.repeat(self.means[None, :, 0], count * len(knots), axis=0)
        by = np.repeat(np.arange(count), len(knots))
        competence[np.arange(len(by)), by] = self.means[by, np.tile(knots, count)]
        logs = (self._logs(competence) - self._base).reshape(count, len(knots), -1, count)
        earlier = self.turns[None, :] < self.turns[:, None]  # (policy, by)
        gains = logs.transpose(2, 3, 0, 1) * earlier[None, :, :, None]
        place = np.interp(np.arange(choices), knots, np.arange(len(knots)))
        left = place.astype(np.int64)
        right, part = np.minimum(left + 1, len(knots) - 1), place - left
        return np.asarray(gains[..., left] * (1 - part) + gains[..., right] * part)

    def _logs(self, competence: FloatArray) -> FloatArray:
        """Logarithm of the probability of arriving by each way, shape (C, ways, policies)."""
        table = self.ways.probabilities(competence)
        table = table.reshape(len(competence), -1, len(self.means))
        return np.asarray(np.log(np.maximum(np.maximum(table, self.present), RAREST)))
