"""The search for the smallest budget with which enough worlds reach a target.

A budget is left as soon as the interval of its rate (95 %, Wilson) excludes the level, so that few
rehearsals are spent far from the answer. Worlds in which no practice reaches the target need none.
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
BUDGETS = 14
"""Budgets that are rehearsed in all worlds, at a guess."""


@dataclass
class Search:
    """The rehearsals so far, and the search for the smallest budget that is enough.

    Attributes:
        work: Rehearses with a budget in the world with a number.
        target, measure: What is enough.
        within: Whether enough practice reaches the target at all, for each world.
        seed: The number of the first world.
        pool: Processes.
        progress: Called with the number of rehearsals.
        known: Rehearsals with each budget, in the order of worlds; None where the target is not
            within reach.
        count: How many there are.
    """

    work: Callable[[int, int], Rehearsal]
    target: float
    measure: Measure
    within: Sequence[bool]
    seed: int
    pool: Executor | None
    progress: Progress
    known: dict[int, list[Rehearsal | None]] = field(default_factory=dict)
    count: int = 0

    def smallest(
        self, budgets: Sequence[int], level: float, guess: int, *, given: bool = False
    ) -> int | None:
        """The smallest budget with which so many worlds reach the target; None if there is none.

        Args:
            budgets: The budgets to choose from, in order.
            level: The part of the worlds.
            guess: The place of a likely answer.
            given: Count only worlds in which the target is within reach.
        """
        if given and not any(self.within):
            return None
        low, high = -1, len(budgets)
        step, place = 2, min(max(guess, 0), len(budgets) - 1)
        while high - low > 1:
            if self._enough(budgets[place], level, given):
                high = place
                place = max(low + 1, high - step) if low < 0 else (low + high) // 2
            else:
                low = place
                place = min(high - 1, low + step) if high == len(budgets) else (low + high) // 2
            step *= 2
        return budgets[high] if high < len(budgets) else None

    def chance(self, budget: int, *, given: bool = False) -> Estimate:
        """How many of the worlds that were rehearsed with a budget reach the target."""
        mine = self.rehearsals(budget) if given else self.known[budget]
        reached = [one is not None and self._reaches(one) for one in mine]
        return rate(sum(reached), len(reached))

    def rehearsals(self, budget: int) -> list[Rehearsal]:
        """The rehearsals with a budget."""
        return [one for one in self.known[budget] if one is not None]

    def try_worlds(self, budget: int) -> None:
        """Rehearse with a budget in a few more worlds."""
        mine = self.known.setdefault(budget, [])
        places = range(len(mine), min(len(mine) + CHUNK, len(self.within)))
        numbers = [self.seed + place for place in places if self.within[place]]
        found = iter((self.pool.map if self.pool else map)(partial(self.work, budget), numbers))
        for place in places:
            if self.within[place]:
                mine.append(next(found))
                self.count += 1
                further = max(CHUNK, self.count // 4)  # beyond the guess, a fixed part of the way
                self.progress(self.count, max(self.count + further, BUDGETS * sum(self.within)))
            else:
                mine.append(None)

    def _enough(self, budget: int, level: float, given: bool) -> bool:
        mine = self.known.setdefault(budget, [])
        while len(mine) < len(self.within):
            if self.rehearsals(budget) if given else mine:
                interval = self.chance(budget, given=given).interval
                assert interval is not None
                if not interval[0] <= level <= interval[1]:
                    break
            self.try_worlds(budget)
        return self.chance(budget, given=given).value >= level

    def _reaches(self, rehearsal: Rehearsal) -> bool:
        earned = rehearsal.earnings
        reached = earned.reward if self.measure == "value" else earned.undiscounted
        return reached >= self.target * (1 - ENOUGH)
