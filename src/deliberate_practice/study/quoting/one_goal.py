"""A task for a success rate: with one goal alone."""

from __future__ import annotations

from dataclasses import replace

from deliberate_practice.foundation.errors import ArgumentError, choose_from
from deliberate_practice.task.model import Task


def for_one_goal(task: Task, goal: str | None) -> Task:
    """The task with one goal alone, whose reward is 1.

    Raises:
        ArgumentError: There is no such goal, or there are several tasks.
    """
    if task.tasks:
        raise ArgumentError("success: the file has several tasks; give a target value instead.")
    names = [one.name for one in task.goals]
    if goal is not None and goal not in names:
        raise ArgumentError("goal: " + choose_from(goal, names))
    best = max(task.goals, key=lambda one: one.reward)
    chosen = next((one for one in task.goals if one.name == goal), best)
    skills = [replace(skill, step_reward=0.0) for skill in task.skills]
    return replace(task, goals=[replace(chosen, reward=1.0)], skills=skills)
