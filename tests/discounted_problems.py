"""Random allocation problems with a discount below 1, for tests of the supersolution."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from extreme_tasks import FAMILIES, extreme_task
from random_tasks import random_task

from deliberate_practice.allocation.problem import Problem, build_problem
from deliberate_practice.task.skill import Skill


def discounted_problem(seed: int, *, most: int = 2000) -> Problem:
    """A task with failures that lead elsewhere, outcome lists, several starts and step rewards.

    One in four has competences, rewards and step costs of any size; one in four has positive step
    rewards, too.
    """
    rng = np.random.default_rng(seed)
    for attempt in itertools.count():
        kind = int(rng.integers(4))
        if kind == 0:
            family = str(rng.choice(sorted(FAMILIES)))
            extreme = extreme_task(family, int(rng.integers(2**31)))
            task, budget = extreme.task, extreme.budget + attempt % 2
        else:
            task, budget = random_task(rng, product_form=False), int(rng.integers(2, 9))
        if kind == 1:
            task = replace(task, skills=[_rewarded(rng, skill) for skill in task.skills])
        if task.discount > 1 - 1e-9:
            task = replace(task, discount=float(rng.choice([0.9, 0.99])))
        problem = build_problem(task, budget)
        splits = np.prod([float(len(table)) for table in problem.tables])
        if 2 <= splits <= most and len(problem.practised) <= 4:
            return problem
    raise AssertionError  # the loop has no other end


def _rewarded(rng: np.random.Generator, skill: Skill) -> Skill:
    return replace(skill, step_reward=float(rng.integers(-2, 4)) / 20)
