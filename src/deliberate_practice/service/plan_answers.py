"""The answers about plans: allocations and frontiers."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from deliberate_practice.service.answers import StartPath


class StateCounts(BaseModel):
    """Sizes of the state space."""

    total: int | float
    reachable: int
    kept: int


class Allocation(BaseModel):
    """The best split of what is left, under the present belief."""

    task: str
    budget: int
    value: float
    bound: float | None
    gap: float | None
    status: Literal["optimal", "feasible"]
    solver: str
    plan: list[str]
    failing: list[int]
    goal: str | None
    allocation: dict[str, float]
    competence: dict[str, float]
    spent: float
    states: StateCounts
    seconds: float
    grounding_seconds: float
    notes: list[str]
    plans: list[StartPath] = []
    rule: list[dict[str, Any]] = []


class Frontier(BaseModel):
    """The best value, plan and split for every further budget, under the present belief."""

    task: str
    budgets: list[int]
    values: list[float]
    bounds: list[float | None]
    plans: list[list[str]]
    goals: list[str | None]
    allocations: list[dict[str, float]]
    marginal: list[float]
    switches: list[dict[str, Any]]
    solver: str
    seconds: float
    notes: list[str]
    plans_by_start: list[list[StartPath]] = []
