"""The value of every budget and of another hour, and the effect of wrong priors on both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from deliberate_practice.allocation.frontier import Frontier, frontier
from deliberate_practice.allocation.problem import build_problem
from deliberate_practice.foundation.checks import number
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.study.wrong_priors import STATED, VARIANTS, Factors, supposed
from deliberate_practice.task.model import Task

POINTS = 40
"""Budgets at which the split for the stated priors is tried where they are wrong."""
LEAST = 0.02
"""Losses are not computed at budgets worth less than this part of the largest one."""


@dataclass(frozen=True)
class FrontierStudy:
    """Frontiers of one task, as stated and with wrong priors.

    Attributes:
        task: Its name.
        frontiers: By variant; the first is the stated one.
        kept: By variant: pairs (budget, true value of the split that the stated priors suggest).
    """

    task: str
    frontiers: Mapping[str, Frontier]
    kept: Mapping[str, tuple[tuple[int, float], ...]]

    @property
    def stated(self) -> Frontier:
        """The frontier of the stated priors."""
        return self.frontiers[STATED]

    @property
    def proven(self) -> bool:
        """Whether every plan of every variant is known to be the best."""
        return all(found.proven for found in self.frontiers.values())


@dataclass(frozen=True)
class Hour:
    """What another hour buys at a budget."""

    budget: int
    value: float
    goal: str | None
    value_after: float
    goal_after: str | None

    @property
    def gain(self) -> float:
        """Expected reward that the hour adds."""
        return self.value_after - self.value


def frontier_study(
    task: Task,
    max_budget: int,
    variants: Mapping[str, Factors] = VARIANTS,
    *,
    solver: str = "auto",
    time_limit: float | None = None,
    finished: Callable[[], None] | None = None,
) -> FrontierStudy:
    """Compute the frontier of a task as stated, and as it would be if the priors were wrong.

    Args:
        task: The task.
        max_budget: The largest budget of interest.
        variants: Ways of being wrong, by name.
        solver: As for ``frontier``.
        time_limit: Seconds for each frontier; its bounds may then be open.
        finished: Called after every frontier: as stated, and for each variant.
    """
    found = dict[str, Frontier]()
    for name, factors in {STATED: Factors(), **variants}.items():
        found[name] = frontier(
            supposed(task, factors), max_budget, solver=solver, time_limit=time_limit
        )
        if finished:
            finished()
    budgets = range(0, max_budget + 1, max(1, max_budget // POINTS))
    kept = {
        name: _kept(supposed(task, factors), found[STATED], budgets)
        for name, factors in variants.items()
        if name != STATED
    }
    return FrontierStudy(task.name, found, kept)


def parts_left(study: FrontierStudy, variant: str) -> dict[int, float]:
    """By budget: true value of the split for the stated priors, as a part of the best one's.

    Budgets that earn next to nothing are left out (:data:`LEAST`).

    Args:
        study: The frontiers.
        variant: The variant that is true; the result is empty if its optimum is not proven.
    """
    best = study.frontiers[variant]
    if not best.proven:
        return {}
    return {
        budget: value / best.values[budget]
        for budget, value in study.kept.get(variant, ())
        if best.values[budget] > LEAST * best.values[-1]
    }


def another_hour(
    found: Frontier, budgets: Sequence[int], episode_seconds: float
) -> tuple[Hour, ...]:
    """What one more hour of practice buys at each budget.

    Args:
        found: A frontier that reaches an hour beyond the largest of the budgets.
        budgets: The budgets to start from.
        episode_seconds: How long an episode takes, with its reset [s].
    """
    number("episode-seconds", episode_seconds, 0, 3600, open_low=True, error=ArgumentError)
    more = episodes_per_hour(episode_seconds)
    return tuple(
        Hour(b, found.values[b], found.goals[b], found.values[b + more], found.goals[b + more])
        for b in budgets
    )


def episodes_per_hour(episode_seconds: float) -> int:
    """Whole episodes in an hour."""
    return int(3600 / episode_seconds + 1e-9)


def _kept(truth: Task, stated: Frontier, budgets: Sequence[int]) -> tuple[tuple[int, float], ...]:
    """The true values of the splits for the stated priors, under a variant."""
    grounded = ground(truth)
    problems = {budget: build_problem(grounded, budget) for budget in budgets}
    return tuple(
        (budget, problem.solve(problem.with_leads(stated.allocations[budget])).value)
        for budget, problem in problems.items()
    )
