"""Cleanup and Cleanup-Multi: clear a table into one of three drawers."""

from __future__ import annotations

from deliberate_practice.domains.cleanup.task import DRAWERS, MOST_OBJECTS, cleanup
from deliberate_practice.practice.domain import Domain
from deliberate_practice.task.model import Task

__all__ = ["CLEANUP", "CLEANUP_MULTI", "cleanup"]

SCENES = {
    "mujoco": f"{__name__}.simulated:CLEANUP_IN_MUJOCO",
    "regions": f"{__name__}.regions:CLEANUP_IN_REGIONS",
}


def one_object(
    *,
    competence: float = 0.1,
    rate: float = 0.018,
    discount: float = 0.99,
    failures: str = "end",
) -> Task:
    """The paper's Cleanup."""
    return cleanup(1, competence, rate, discount, failures)


def several_objects(
    *,
    objects: int = 4,
    competence: float = 0.1,
    rate: float = 0.018,
    discount: float = 0.99,
    failures: str = "end",
) -> Task:
    """The paper's Cleanup-Multi, with four objects by default."""
    return cleanup(objects, competence, rate, discount, failures)


def like(task: Task) -> Task:
    """Cleanup with as many objects and the kind of failures that a task has."""
    objects = min(MOST_OBJECTS, max(1, len(task.variables) - len(DRAWERS)))
    ends = all(skill.failure == "end" for skill in task.skills)
    return cleanup(objects, failures="end" if ends else "physical")


CLEANUP = Domain("cleanup", one_object, SCENES, like)
CLEANUP_MULTI = Domain("cleanup-multi", several_objects, SCENES, like)
