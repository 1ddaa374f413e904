"""The unit of a budget: episodes if all of them cost the same, budget units otherwise."""

from __future__ import annotations

from deliberate_practice.study.cell import CellResult
from deliberate_practice.task.model import Task

EPISODES, UNITS = "episodes", "units"


def budget_unit(task: Task) -> str:
    """The word for an axis: ``episodes``, or ``units`` where episodes differ in cost."""
    practised = [policy for policy in task.policies.values() if policy.practisable]
    alike = all(policy.cost == 1 and not policy.rounds for policy in practised)
    return EPISODES if alike else UNITS


def budget_label(task: Task) -> str:
    """The name of an axis with budgets."""
    return f"practice budget [{budget_unit(task)}]"


def units_spent(task: Task, result: CellResult) -> dict[str, float]:
    """The budget units of each policy in a session, training runs and evaluations included.

    The cost of turning from one policy to another is left out.
    """
    spent: dict[str, float] = {}
    for name, episodes in (result.episodes or result.attempts).items():
        policy = task.policies.get(name)
        rounds = policy.rounds if policy else None
        spent[name] = episodes * (policy.cost if policy else 1)
        if rounds:
            trained = result.attempts.get(name, 0) // rounds.demonstrations
            spent[name] += trained * rounds.training_cost
            spent[name] += result.tests.get(name, 0) * rounds.evaluation_cost
    return spent
