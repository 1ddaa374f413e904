"""The search for the smallest budget with which enough worlds reach a target.

A budget is left as soon as the interval of its rate (95 %, Wilson) excludes the level, so that few
rehearsals are spent far from the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from deliberate_practice.foundation.estimates import Estimate, rate
from deliberate_practice.study.rehearsal import Rehearsal

CHUNK = 20
"""Rehearsals between two looks at the interval."""
ENOUGH = 1e-9
"""A target is reached within this relative difference."""

Measure = Literal["value", "success"]
"""What a target is: the reward of the robot's own plan, or its probability of success."""
Progress = Callable[[int, int], None]
"""Called with the number of rehearsals so far, and how many there will be at a guess."""
BUDGETS = 9
"""Budgets that are rehearsed in all worlds, at a guess."""


@dataclass
class Search:
    """The rehearsals so far, and the search for the smallest budget that is enough.

    Attributes:
        work: Rehearses with a budget in the world with a number.
        target, measure: What is enough.
        worlds, seed: How many worlds there are, and the number of the first.
        pool: Processes.
        progress: Called with the number of rehearsals.
        known: Rehearsals of each budget, in the order of worlds.
        count: How many there are.
    """

    work: Callable[[int, int], Rehearsal]
    target: float
    measure: Measure
    worlds: int
    seed: int
    pool: Executor | None
    progress: Progress
    known: dict[int, list[Rehearsal]] = field(default_factory=dict)
    count: int = 0

    def smallest(self, budgets: Sequence[int], level: float, guess: int) -> int | None:
        """The smallest budget with which so many worlds reach the target; None if there is none."""
        low, high = -1, len(budgets)
        step, place = 2, min(max(guess, 0), len(budgets) - 1)
        while high - low > 1:
            if self._enough(budgets[place], level):
                high = place
                place = max(low + 1, high - step) if low < 0 else (low + high) // 2
            else:
                low = place
                place = min(high - 1, low + step) if high == len(budgets) else (low + high) // 2
            step *= 2
        return budgets[high] if high < len(budgets) else None

    def chance(self, budget: int) -> Estimate:
        """How many of the worlds that were rehearsed with a budget reach the target."""
        reached = [self._reaches(one) for one in self.known[budget]]
        return rate(sum(reached), len(reached))

    def _enough(self, budget: int, level: float) -> bool:
        mine = self.known.setdefault(budget, [])
        while len(mine) < self.worlds:
            if mine:
                interval = self.chance(budget).interval
                assert interval is not None
                if not interval[0] <= level <= interval[1]:
                    break
            first = self.seed + len(mine)
            last = min(first + CHUNK, self.seed + self.worlds)
            work = partial(self.work, budget)
            for one in (self.pool.map if self.pool else map)(work, range(first, last)):
                mine.append(one)
                self.count += 1
                self.progress(self.count, max(self.count, BUDGETS * self.worlds))
        return self.chance(budget).value >= level

    def _reaches(self, rehearsal: Rehearsal) -> bool:
        earned = rehearsal.earnings
        reached = earned.reward if self.measure == "value" else earned.undiscounted
        return reached >= self.target * (1 - ENOUGH)
