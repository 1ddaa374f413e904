"""The table of an experiment: one row for each strategy, belief, learner and budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.foundation.estimates import Estimate, rate
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.robots.curves import true_curve
from deliberate_practice.study import statistics
from deliberate_practice.study.cell import Cell, CellFailure, CellResult
from deliberate_practice.study.grouping import grouped
from deliberate_practice.task.model import Task

DRAWN = f"with 95 % bootstrap intervals (from {statistics.FEWEST} seeds on)"
"""How charts describe :attr:`Row.drawn`."""
CLAIRVOYANT_SECONDS = 10.0
"""Time limit of the clairvoyant's proof on general tasks [s]."""


@dataclass(frozen=True)
class Row:
    """One strategy with one belief and learner at one budget, over all seeds.

    Attributes:
        strategy, belief, learner, budget: Which.
        seeds: How many sessions.
        mean, std: Of the reward; one seed has no deviation.
        undiscounted: Mean of the reward without discount.
        ci95: Interval for the mean, over seeds; one seed has none.
        clairvoyant: Value of the best split for the true curves, approach free; None if these are
            unknown, or if no split could be proven to be the best.
        fraction: mean / clairvoyant.
        goals: How often each goal was aimed for in the end.
        practice_episodes, test_episodes, skill_executions: What a session took, as means: episodes
            of practice, tests, and skills executed in both, approaches included.
        iqm: Interquartile mean of the reward.
        improvement: Probability of being better than the strategy ``against``, at the same belief,
            learner, budget and seed; None for that strategy itself, and if none was named.
    """

    strategy: str
    belief: str
    learner: str
    budget: int
    seeds: int
    mean: float
    std: float | None
    undiscounted: float
    ci95: tuple[float, float] | None
    clairvoyant: float | None
    fraction: float | None
    goals: dict[str, int]
    practice_episodes: float
    test_episodes: float
    skill_executions: float
    iqm: Estimate
    improvement: Estimate | None = None

    @property
    def setting(self) -> str:
        """Belief and learner in words."""
        return Cell(self.strategy, self.belief, self.learner, self.budget, 0).setting

    @property
    def drawn(self) -> tuple[float, float] | None:
        """The interval for charts; None for few seeds, where it is wider than all rewards."""
        return self.ci95 if self.seeds >= statistics.FEWEST else None

    @property
    def goal_rates(self) -> dict[str, Estimate]:
        """How often each goal was aimed for, as rates with Wilson's intervals."""
        return {goal: rate(n, self.seeds) for goal, n in self.goals.items()}


def summarise(
    task: Task, robot: str, sessions: Iterable[CellResult], against: str | None = None
) -> list[Row]:
    """The rows of the table, in the order of the sessions.

    Args:
        task: The task, with its true curves.
        robot: Name of the robot.
        sessions: Finished sessions of one experiment.
        against: The strategy to compare the others with.
    """
    groups = grouped(sessions, _place)
    clairvoyant = {group[-1]: _clairvoyant(task, group[-1], robot) for group in groups}
    rows = []
    for (strategy, belief, learner, budget), mine in groups.items():
        other = str(against), belief, learner, budget
        theirs = [] if against in (None, strategy) else groups.get(other, [])
        better = statistics.improvement_by_seed(_rewards(mine), _rewards(theirs))
        rows.append(_row(mine, clairvoyant[budget], better))
    return rows


def unproven_budgets(robot: str, rows: Iterable[Row]) -> list[int]:
    """The budgets at which the best split for the true curves could not be proven in time."""
    if not _knows_curves(robot):
        return []
    return sorted({row.budget for row in rows if row.clairvoyant is None})


def number_of_seeds(counts: Collection[int]) -> str:
    """How many seeds, in words; a study that is not finished has more of some than of others."""
    least, most = min(counts), max(counts)
    return (
        ("1 seed" if most == 1 else f"{most} seeds")
        if least == most
        else f"{least} to {most} seeds"
    )


def failed_sessions(failures: Sequence[CellFailure]) -> str:
    """How many sessions failed and why, in one line; statistics leave them out."""
    reasons = Counter(failure.message for failure in failures)
    listed = [text if n == 1 else f"{text} ({n} times)" for text, n in reasons.most_common(3)]
    if len(reasons) > len(listed):
        listed.append(f"and {len(reasons) - len(listed)} other reasons")
    number = len(failures)
    failed = "1 session failed and is" if number == 1 else f"{number} sessions failed and are"
    return f"{failed} left out of all statistics: {'; '.join(listed)}"


def _row(
    group: Sequence[CellResult], clairvoyant: float | None, improvement: Estimate | None
) -> Row:
    rewards = [result.reward for result in group]
    mean = statistics.mean(rewards)
    return Row(
        *_place(group[0]),
        len(rewards),
        mean.value,
        float(np.std(rewards, ddof=1)) if len(rewards) > 1 else None,
        float(np.mean([result.undiscounted for result in group])),
        mean.interval,
        clairvoyant,
        mean.value / clairvoyant if clairvoyant else None,
        dict(Counter(result.goal or "none" for result in group).most_common()),
        float(np.mean([result.practice_episodes for result in group])),
        float(np.mean([result.test_episodes for result in group])),
        float(np.mean([result.skill_executions for result in group])),
        statistics.interquartile_mean(rewards),
        improvement,
    )


def _place(session: CellResult) -> tuple[str, str, str, int]:
    """Everything that decides on a row."""
    cell = session.cell
    return cell.strategy, cell.belief, cell.learner, cell.budget


def _rewards(sessions: Sequence[CellResult]) -> dict[int, float]:
    return {session.cell.seed: session.reward for session in sessions}


def _clairvoyant(task: Task, budget: int, robot: str) -> float | None:
    if not _knows_curves(robot):
        return None
    curves = {
        name: true_curve(policy, budget // policy.cost).tolist()
        for name, policy in task.policies.items()
    }
    best = allocate(ground(task), budget, curves=curves, time_limit=CLAIRVOYANT_SECONDS)
    return best.value if best.status == "optimal" else None  # else it is no upper bound


def _knows_curves(robot: str) -> bool:
    """Whether the true learning curves of the robot are known."""
    return robot == "curves"
