"""The aims among which the sessions and frontiers of a task choose."""

from __future__ import annotations

from collections.abc import Iterable

from deliberate_practice.task.model import Task


def aims(task: Task, chosen: Iterable[str | None]) -> list[str]:
    """The goals of a task in its order.

    If there are several tasks, an aim is a goal for each of them. Then the result has the aims that
    were chosen, in their order.

    Args:
        task: The task.
        chosen: What sessions or frontiers aim for; None for nothing.
    """
    if task.tasks:
        return list(dict.fromkeys(filter(None, chosen)))
    return [goal.name for goal in task.goals]
