"""Budgets in time: a task whose budget units are seconds."""

from __future__ import annotations

import math
from dataclasses import replace

from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.task.model import Task
from deliberate_practice.task.skill import Skill


def with_seconds(task: Task, **seconds: float | None) -> Task:
    """The same task with times for all skills that can be practised and do not state their own.

    Args:
        task: The task.
        seconds: ``episode``, ``reset`` and ``switch``; None for those that are not given.
    """
    given = {key: span for key, span in seconds.items() if span is not None}
    if not given:
        return task
    skills = [
        replace(skill, seconds={**given, **task.policies[skill.policy].seconds})
        if task.policies[skill.policy].practisable
        else skill
        for skill in task.skills
    ]
    return replace(task, skills=skills)


def in_seconds(task: Task) -> Task:
    """The same task with costs in seconds: an episode with its reset, and a switch, rounded up.

    A demonstration and an evaluation take as long as an episode.

    Raises:
        TaskError: A skill that can be practised does not say how long an episode takes.
    """
    silent = without_times(task)
    if silent:
        raise TaskError(
            "seconds",
            f"a budget in time needs the time of every skill that can be practised; missing for "
            f"{', '.join(silent)}. Write in each, e.g. seconds = {{ episode = 45, reset = 20, "
            "switch = 120 }, or give --hours with --episode-seconds, the same for all.",
        )
    return replace(task, skills=[_in_seconds(task, skill) for skill in task.skills])


def is_in_seconds(task: Task) -> bool:
    """Whether budget units of a task are seconds: its skills cost the times that they state."""
    if without_times(task) or not any(policy.practisable for policy in task.policies.values()):
        return False
    return in_seconds(task).policies == task.policies


def in_units_of(other: Task, task: Task) -> Task:
    """A task with costs in seconds if those of another one are, and if it states its times."""
    if not is_in_seconds(other) or is_in_seconds(task) or without_times(task):
        return task
    return in_seconds(task)


def without_times(task: Task) -> list[str]:
    """The policies that can be practised and do not say how long an episode takes."""
    return [
        name
        for name, policy in task.policies.items()
        if policy.practisable and "episode" not in policy.seconds
    ]


def _in_seconds(task: Task, skill: Skill) -> Skill:
    policy = task.policies[skill.policy]
    stated = policy.seconds
    cost = math.ceil(stated.get("episode", 0.0) + stated.get("reset", 0.0))
    switch = math.ceil(stated.get("switch", 0.0)) or None
    if not skill.learner:
        return replace(skill, cost=cost or None, switch=switch)
    if "episode" not in stated:
        return skill  # it is not practised
    training = math.ceil(stated.get("training", 0.0))
    return replace(
        skill,
        switch=switch,
        demonstration={**skill.demonstration, "cost": cost},
        training={"cost": training},
        evaluation={**skill.evaluation, "cost": cost},
    )
