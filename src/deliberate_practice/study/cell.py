"""A session of a study, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """One session of a comparison."""

    strategy: str
    belief: str
    budget: int
    seed: int


@dataclass(frozen=True)
class CellFailure:
    """A session that could not be finished, and why."""

    cell: Cell
    message: str


@dataclass(frozen=True)
class CellResult:
    """What a session was worth.

    Attributes:
        cell: Which one.
        reward: J: reward of what the robot would do, with its true competences; in physics the
            mean over executions, undiscounted.
        goal: What it would aim for.
        attempts: Attempts of each policy that reached its precondition.
        curve: Budget spent, and the reward then, as practice went on.
        plan: The skills it would execute.
        episodes: Episodes that were paid for to practise each policy, also those that never
            reached its precondition; policies with none are left out.
    """

    cell: Cell
    reward: float
    goal: str | None
    attempts: dict[str, int]
    curve: tuple[tuple[int, float], ...] = ()
    plan: tuple[str, ...] = ()
    episodes: dict[str, int] = field(default_factory=dict)
