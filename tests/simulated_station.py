"""The simulated domains with their robots, and trials of single skills from free starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from deliberate_practice.domains.breakfast import skills as breakfast_skills
from deliberate_practice.domains.breakfast.workcell import BreakfastWorkcell
from deliberate_practice.domains.cleanup import skills as cleanup_skills
from deliberate_practice.domains.cleanup.task import cleanup
from deliberate_practice.domains.cleanup.workcell import CleanupWorkcell
from deliberate_practice.domains.kitchen import skills as kitchen_skills
from deliberate_practice.domains.kitchen.workcell import KitchenWorkcell
from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.robot import Approach, Result, Step, Trial
from deliberate_practice.robots.mujoco.robot import MujocoRobot
from deliberate_practice.study.prior_samples import draw
from deliberate_practice.task.model import Task

BATCH = 50
"""Trials at once; more would need much memory."""

OBJECTS = {"cleanup": 1, "cleanup-multi": 4}

CLEANUP_SKILLS = [
    (name, skill.name) for name, objects in OBJECTS.items() for skill in cleanup(objects).skills
]
"""Every skill of both variants of Cleanup, with its domain."""

KITCHEN_SKILLS = [("kitchen", skill.name) for skill in load_task("kitchen").skills]
"""Every skill of Kitchen, with its domain."""

EVERY_SKILL = [
    *CLEANUP_SKILLS,
    *(("breakfast", skill.name) for skill in load_task("breakfast").skills),
    *KITCHEN_SKILLS,
]
"""Every skill of all simulated domains, with its domain."""


@dataclass(frozen=True)
class Station:
    """A simulated domain.

    Attributes:
        task: The task.
        robot: Its robot, which is told where the door of the microwave is.
        good: Good parameters of a skill.
    """

    task: Task
    robot: MujocoRobot
    good: Callable[[str], Mapping[str, float]]

    def run(
        self, skill: str, values: Sequence[Mapping[str, float]], first: int = 0
    ) -> list[Result]:
        """The result of each attempt from a free start; the first has the seed ``first``."""
        trials = [
            Trial(number, Approach(), Step(skill, one), "explore", first + number)
            for number, one in enumerate(values)
        ]
        batches = [trials[begin : begin + BATCH] for begin in range(0, len(trials), BATCH)]
        return [result for batch in batches for result in self.robot.run(batch)]

    def draws(self, skill: str, count: int, seed: int = 0) -> list[dict[str, float]]:
        """Draws from the search prior of a skill."""
        rng = np.random.default_rng([seed, *skill.encode()])
        parameters = self.robot.workcell.primitives[skill].parameters
        return [draw(parameters, rng) for _ in range(count)]


@cache
def station(name: str) -> Station:
    """A simulated domain, made once."""
    if name == "breakfast":
        task = load_task(name)
        return Station(task, MujocoRobot(task, BreakfastWorkcell()), breakfast_skills.good)
    if name == "kitchen":
        task = load_task(name)
        return Station(task, MujocoRobot(task, KitchenWorkcell()), kitchen_skills.good)
    task = cleanup(OBJECTS[name])
    robot = MujocoRobot(task, CleanupWorkcell(OBJECTS[name]))
    return Station(task, robot, cleanup_skills.good)


def succeeded(results: Sequence[Result]) -> int:
    """How many attempts succeeded."""
    return sum(result.outcome == "success" for result in results)


def stopped(results: Sequence[Result]) -> int:
    """How many attempts ended at a limit of the robot."""
    return sum(bool(result.measurements.get("stopped")) for result in results)
