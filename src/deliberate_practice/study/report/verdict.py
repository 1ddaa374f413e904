"""The verdict of an experiment: the best strategy at each budget, its lead, and whether it is sure.

The best strategy has the highest mean reward. A pair is settled if one strategy earned more than
the other with the same seed so often that the 95 % interval of this rate excludes one half. Each
pair is judged alone.
"""

from __future__ import annotations

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


@dataclass(frozen=True)
class Verdict:
    """The best strategy with one belief and learner at one budget.

    Attributes:
        setting: Belief and learner in words.
        budget: The budget.
        best: The strategy with the highest mean reward.
        reward: This mean.
        fraction: The mean as a part of the best possible for the true curves, where that is known.
        second: The strategy with the next mean; None if there is no other.
        lead: Mean difference to the second over the same seeds, with its interval.
        beaten: Strategies against which the best is settled to be better.
        undecided: The other strategies.
    """

    setting: str
    budget: int
    best: str
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
                best.mean,
                best.fraction,
                second,
                lead,
                tuple(beaten),
                tuple(undecided),
            )
        )
    return found


def headline(judged: Sequence[Verdict]) -> str:
    """The verdicts of an experiment in a few sentences.

    Args:
        judged: All of them, at least one.
    """
    settings = grouped(judged, lambda one: one.setting)
    parts = [
        (f"Belief {setting}: " if len(settings) > 1 else "") + _of_setting(here)
        for setting, here in settings.items()
    ]
    return " ".join(parts)


def _of_setting(judged: Sequence[Verdict]) -> str:
    alone = {one.best for one in judged if one.second is None}
    if len(alone) == 1 and all(one.second is None for one in judged):
        return f"Only {alone.pop()} was run, so there is nothing to compare."
    sentences = []
    for best, won in grouped([one for one in judged if one.settled], _best).items():
        where = _listed([f"{one.budget} ({_lead(one)})" for one in won])
        budgets = "budget" if len(won) == 1 else "budgets"
        sentences.append(f"{best} is the best strategy at {budgets} {where}. This is settled.")
    sentences += [_unsettled(one) for one in judged if one.second and not one.settled]
    return " ".join(sentences)


def _best(one: Verdict) -> str:
    return one.best


def _lead(one: Verdict) -> str:
    return f"{one.lead.value:.3f} more than {one.second}" if one.lead else f"before {one.second}"


def _unsettled(one: Verdict) -> str:
    settled = f"; its lead over {_listed(one.beaten)} is settled" if one.beaten else ""
    return (
        f"At budget {one.budget} no strategy is settled as the best: {one.best} has the highest "
        f"mean ({_lead(one)}), but its lead over {_listed(one.undecided)} may be chance{settled}."
    )


def _listed(names: Sequence[str]) -> str:
    """Names in words: a, b and c."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
