"""Kitchen: FrankaKitchen's seven subtasks, for three goals of rising worth."""

from __future__ import annotations

from deliberate_practice.domains.kitchen.task import kitchen
from deliberate_practice.practice.domain import Domain
from deliberate_practice.task.model import Task

__all__ = ["KITCHEN", "kitchen"]


def like(task: Task) -> Task:
    """The task with the kind of failures that another one has."""
    ends = all(skill.failure == "end" for skill in task.skills)
    return kitchen(failures="end" if ends else "physical")


KITCHEN = Domain("kitchen", kitchen, {"mujoco": f"{__name__}.simulated:KITCHEN_IN_MUJOCO"}, like)
