"""Good splits of every budget at once, for general tasks: each is found from its neighbours'.

The best split changes little from one budget to the next, except where another goal takes over. So
one split grows with the budget for every single goal, and the best of them is improved for the
whole task. On the way back every budget tries the split of the next one, reduced to its own size.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deliberate_practice.allocation.local_search import climb, local_search, single_goals, trim
from deliberate_practice.allocation.problem import build_problem
from deliberate_practice.allocation.tolerances import TIE
from deliberate_practice.foundation.arrays import IntArray
from deliberate_practice.foundation.deadline import late
from deliberate_practice.mdp.ground_task import GroundTask

THOROUGH = 5
"""The number of budgets that are also searched from scratch."""

EVALUATIONS = 120
"""The most splits evaluated at each budget, for each single goal and for the whole task."""

STEPS = (4.0, 2.0, 1.0)
"""Episodes per exchange: few of them move from one budget to the next."""


def neighbouring_splits(
    ground: GroundTask,
    count: int,
    deadline: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[IntArray]:
    """A good split of each budget 0, 1, ..., ``count`` - 1; values never fall with the budget.

    Args:
        ground: The task.
        count: Number of budgets, at least 1.
        deadline: When to stop with the splits so far, on the clock of ``time.monotonic``; larger
            budgets then get the split of the last budget that was searched.
        progress: Called with (budgets done, total number of budgets).
    """
    sweep = _Sweep(ground, count, deadline)
    for budget in range(count):
        sweep.forward(budget)
        if progress:
            progress(budget + 1, count)
    for budget in reversed(range(count - 1)):
        sweep.backward(budget)
    for budget in range(1, count):
        sweep.carry(budget)
    return sweep.trimmed()


class _Sweep:
    """The best split of each budget so far, and the growing splits for single goals."""

    def __init__(self, ground: GroundTask, count: int, deadline: float | None) -> None:
        self.ground = ground
        self.largest = build_problem(ground, count - 1)
        self.every = max(1, count // THOROUGH)
        self.deadline = deadline
        self.goals = single_goals(ground)
        nothing = np.zeros(len(ground.policy_names), dtype=np.int64)
        self.grown = [nothing] * len(self.goals)
        self.splits = [nothing] * count
        self.values = [self.largest.solve(nothing, deadline).value] * count

    def forward(self, budget: int) -> None:
        """Improve the previous budget's split and those for single goals, and search anew."""
        self.carry(budget)
        if late(self.deadline):
            return
        for i, goal in enumerate(self.goals):
            self.grown[i] = self._climb(goal, budget, self.grown[i])
            self._offer(budget, self.grown[i])
        self._offer(budget, self._climb(self.ground, budget, self.splits[budget]))
        if budget % self.every == 0:
            found = local_search(build_problem(self.ground, budget), deadline=self.deadline)
            self._offer(budget, found.astype(np.int64))

    def backward(self, budget: int) -> None:
        """Try the next budget's split, with less for one of its policies."""
        before, costs, more = self.values[budget], self.largest.costs, self.splits[budget + 1]
        missing = max(0, int(costs @ more) - budget)
        for u in np.flatnonzero(more):
            less = more.copy()
            less[u] -= -(-missing // int(costs[u]))
            if less[u] >= 0 and not late(self.deadline):
                self._offer(budget, less)
        if self.values[budget] > before:
            self._offer(budget, self._climb(self.ground, budget, self.splits[budget]))

    def carry(self, budget: int) -> None:
        """Take over the previous budget's split if it is better."""
        if budget and self.values[budget - 1] > self.values[budget]:
            self.splits[budget] = self.splits[budget - 1]
            self.values[budget] = self.values[budget - 1]

    def trimmed(self) -> list[IntArray]:
        """The splits without episodes that add no value."""
        different = {split.tobytes(): split for split in self.splits}
        known = {
            key: split if late(self.deadline) else trim(self.largest, split)
            for key, split in different.items()
        }
        return [known[split.tobytes()] for split in self.splits]

    def _offer(self, budget: int, split: IntArray) -> None:
        value = self.largest.solve(split).value
        if value > self.values[budget] * (1 + TIE):
            self.splits[budget], self.values[budget] = split, value

    def _climb(self, ground: GroundTask, budget: int, split: IntArray) -> IntArray:
        return climb(build_problem(ground, budget), split, STEPS, EVALUATIONS, self.deadline)
