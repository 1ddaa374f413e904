"""Several tasks over the same skills as one task.

Each task gets its own copy of the states. A variable that no skill changes tells the copies apart,
so an episode that starts in a task stays in it and can only reach that task's goals. With V_i the
value of task i and w_i its weight, the joint task is worth Σ_i w_i V_i / Σ_i w_i, because the task
of an episode is drawn with the start state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from deliberate_practice.task.model import SEVERAL, Goal, Start, Task

T = TypeVar("T")


def joint_task(task: Task) -> Task:
    """The same task without ``tasks``; a task that has none is returned as it is."""
    if not task.tasks:
        return task
    owners = [served.name for served in task.tasks for _ in served.starts or (None,)]
    return replace(
        task,
        variables={SEVERAL: [served.name for served in task.tasks], **task.variables},
        goals=[
            Goal(
                joint_name(served.name, goal.name), goal.reward, joint_state(served.name, goal.when)
            )
            for served in task.tasks
            for goal in served.goals
        ],
        starts=[
            Start(start.probability, joint_state(owner, start.state))
            for owner, start in zip(owners, task.start_states, strict=True)
        ],
        tasks=(),
    )


def joint_name(task: str, goal: str) -> str:
    """The name of a task's goal among the goals of all tasks."""
    return f"{task}: {goal}"


def joint_state(task: str, state: Mapping[str, T]) -> dict[str, str | T]:
    """A state or condition of one task, which no other task meets."""
    return {SEVERAL: task, **state}
