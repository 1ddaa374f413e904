"""A session of a study, and its result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from deliberate_practice.learners.registry import LEARNER


@dataclass(frozen=True)
class Cell:
    """One session of a comparison."""

    strategy: str
    belief: str
    learner: str
    budget: int
    seed: int

    @property
    def setting(self) -> str:
        """Belief and learner in words; the usual learner is not named."""
        return self.belief if self.learner == LEARNER else f"{self.belief}, {self.learner}"


@dataclass(frozen=True)
class CellFailure:
    """A session that could not be finished, and why."""

    cell: Cell
    message: str


@dataclass(frozen=True)
class CellResult:
    """The result of a session.

    Attributes:
        cell: The session.
        reward: J: the reward of the robot's own plan, discounted as the task says: exact, or the
            mean over executions.
        undiscounted: The same without discount.
        goal: The goal that the robot would aim for.
        attempts: Attempts of each policy that reached its precondition.
        curve: Pairs of budget spent and reward, in the course of practice.
        plan: The skills that the robot would execute.
        executions: How often the plan was executed to measure the reward; None if it is exact.
        episodes: Episodes of practice of each policy, including those that never reached its
            precondition; policies without episodes are left out.
        tests: Tests of each policy, likewise.
        skill_executions: Skills that the robot executed in all of them, approaches included.
    """

    cell: Cell
    reward: float
    undiscounted: float
    goal: str | None
    attempts: dict[str, int]
    curve: tuple[tuple[int, float], ...] = ()
    plan: tuple[str, ...] = ()
    executions: int | None = None
    episodes: dict[str, int] = field(default_factory=dict)
    tests: dict[str, int] = field(default_factory=dict)
    skill_executions: int = 0

    @property
    def practice_episodes(self) -> int:
        """Episodes of practice of all policies."""
        return sum(self.episodes.values())

    @property
    def test_episodes(self) -> int:
        """Tests of all policies."""
        return sum(self.tests.values())


def rewards_by_seed(results: Iterable[CellResult]) -> dict[str, dict[int, float]]:
    """The rewards of each strategy by seed, of sessions that share everything else."""
    rewards: dict[str, dict[int, float]] = {}
    for result in results:
        rewards.setdefault(result.cell.strategy, {})[result.cell.seed] = result.reward
    return rewards
