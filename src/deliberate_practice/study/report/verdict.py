"""The verdict of an experiment: the best strategy at each budget, its lead, and whether it is sure.

The best strategy has the highest mean reward. A pair is settled if one strategy earned more than
the other with the same seed so often that the exact 95 % interval of this rate excludes one half.
Each pair is judged alone.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from deliberate_practice.foundation.estimates import Estimate
from deliberate_practice.study.cell import rewards_by_seed
from deliberate_practice.study.grouping import grouped
from deliberate_practice.study.run_study import Finished
from deliberate_practice.study.statistics import (
    difference_by_seed,
    improvement_by_seed,
    is_settled,
)

ROUNDING = 1e-12
"""Means that differ by no more than this part are equal."""
RESULTS = ("won", "lost", "undecided")
"""Results of a pair of strategies."""


@dataclass(frozen=True)
class Verdict:
    """The best strategy with one belief and learner at one budget.

    Attributes:
        setting: Belief and learner in words.
        budget: The budget.
        best: The strategy with the highest mean reward; of several, the one listed first.
        equal: Other strategies with the same mean, up to rounding.
        reward: This mean.
        fraction: The mean as a part of the best possible for the true curves, where that is known.
        second: The strategy with the next mean; None if there is no other.
        lead: Mean difference to the second over the same seeds, with its interval.
        beaten: Strategies over which its lead is settled.
        undecided: The other strategies.
    """

    setting: str
    budget: int
    best: str
    equal: tuple[str, ...]
    reward: float
    fraction: float | None
    second: str | None
    lead: Estimate | None
    beaten: tuple[str, ...]
    undecided: tuple[str, ...]

    @property
    def settled(self) -> bool:
        """Whether the best is settled to be better than every other strategy."""
        return bool(self.beaten) and not self.undecided


def verdicts(finished: Finished) -> list[Verdict]:
    """The verdict at every budget with every belief and learner, in the order of the table."""
    sessions = grouped(finished.sessions, lambda one: (one.cell.setting, one.cell.budget))
    rows = grouped(finished.rows, lambda row: (row.setting, row.budget))
    found = []
    for (setting, budget), here in rows.items():
        best, *others = sorted(here, key=lambda row: -row.mean)
        rewards = rewards_by_seed(sessions[setting, budget])
        beaten: list[str] = []
        undecided: list[str] = []
        for other in others:
            better = improvement_by_seed(rewards[best.strategy], rewards[other.strategy])
            won = better is not None and better.value > 0.5 and is_settled(better)
            (beaten if won else undecided).append(other.strategy)
        second = others[0].strategy if others else None
        lead = difference_by_seed(rewards[best.strategy], rewards[second]) if second else None
        found.append(
            Verdict(
                setting,
                budget,
                best.strategy,
                tuple(
                    row.strategy
                    for row in others
                    if math.isclose(row.mean, best.mean, rel_tol=ROUNDING)
                ),
                best.mean,
                best.fraction,
                second,
                lead,
                tuple(beaten),
                tuple(undecided),
            )
        )
    return found


@dataclass(frozen=True)
class Standing:
    """How one strategy did in the whole study.

    Attributes:
        strategy: The strategy.
        compared: In how many comparisons it took part: one for each budget and setting.
        highest: In how many of them it has the highest mean.
        best: In how many it is settled to be better than all others.
        won, lost, undecided: Its pairs with another strategy.
    """

    strategy: str
    compared: int
    highest: int
    best: int
    won: int
    lost: int
    undecided: int


def standings(finished: Sequence[Finished]) -> list[Standing]:
    """The strategies of a study, those with the most settled pairs in their favour first."""
    judged = [one for experiment in finished for one in verdicts(experiment)]
    pairs: dict[str, Counter[str]] = {}
    compared: Counter[str] = Counter()
    for experiment in finished:
        cells = grouped(experiment.sessions, lambda one: (one.cell.setting, one.cell.budget))
        for here in cells.values():
            rewards = rewards_by_seed(here)
            compared.update(rewards.keys())
            for ours, theirs in itertools.permutations(rewards, 2):
                better = improvement_by_seed(rewards[ours], rewards[theirs])
                pairs.setdefault(ours, Counter())[_result(better)] += 1
    found = [
        Standing(
            strategy,
            count,
            sum(strategy in (one.best, *one.equal) for one in judged),
            sum(one.best == strategy and one.settled for one in judged),
            *(pairs.get(strategy, Counter())[result] for result in RESULTS),
        )
        for strategy, count in compared.items()
    ]
    return sorted(found, key=lambda one: (one.lost - one.won, -one.highest))


def sentences(judged: Sequence[Verdict]) -> list[str]:
    """The verdicts of an experiment in words, one text for each."""
    several = len({one.setting for one in judged}) > 1
    return [
        f"{f'{one.setting}, budget' if several else 'Budget'} {one.budget}: {_said(one)}."
        for one in judged
    ]


def summary(ranked: Sequence[Standing]) -> str:
    """The first strategy of the standings, in words."""
    first = ranked[0]
    if len(ranked) == 1:
        return f"Only {first.strategy} was run, so there is nothing to compare."
    if not any(one.won for one in ranked):
        return (
            f"Over the whole study no difference is settled. {first.strategy} has the highest mean "
            f"in {first.highest} of {first.compared} comparisons."
        )
    return (
        f"Over the whole study {first.strategy} stands first: it has the highest mean in "
        f"{first.highest} of {first.compared} comparisons and is settled as the best in "
        f"{first.best}. Of its pairs with another strategy it won {first.won}, lost {first.lost}, "
        f"and {first.undecided} are not settled."
    )


def _result(better: Estimate | None) -> str:
    """The result of a pair, as seen by the first of the two."""
    if better is None or not is_settled(better):
        return RESULTS[2]
    return RESULTS[0] if better.value > 0.5 else RESULTS[1]


def _said(one: Verdict) -> str:
    if one.second is None:
        return f"only {one.best} was run, so there is nothing to compare"
    ahead = _ahead(one, one.second)
    if one.settled and not one.equal:
        lead = "its lead over all others" if len(one.beaten) > 1 else "this lead"
        return f"{one.best} is the best: {ahead}, and {lead} is settled"
    return ". ".join(filter(None, [f"{one.best} has the highest mean, {ahead}", _leads(one)]))


def _ahead(one: Verdict, second: str) -> str:
    """How far the best is ahead of the next one; in an unfinished study it may be behind."""
    if one.equal:
        return f"equal to that of {_listed(one.equal)}"
    if one.lead is None:
        return f"with no seed in common with {second}"
    lead = one.lead.value
    return (
        f"{lead:.3f} above {second}" if lead >= 0 else f"{-lead:.3f} below {second}, seed by seed"
    )


def _leads(one: Verdict) -> str:
    """Over whom the lead is settled and over whom not; there is none over an equal mean."""
    settled = [name for name in one.beaten if name not in one.equal]
    undecided = [name for name in one.undecided if name not in one.equal]
    if settled and undecided:
        return f"Its lead over {_listed(settled)} is settled; over {_listed(undecided)} it is not"
    if settled:
        return f"Its lead over {_listed(settled)} is settled"
    return f"Its lead over {_listed(undecided)} is not settled" if undecided else ""


def _listed(names: Sequence[str]) -> str:
    """Names in words: a, b and c."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
