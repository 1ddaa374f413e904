"""The most probable way to a skill, against trying all ways."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from counts import count
from random_tasks import random_competence, random_task

from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.routes import routes
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.model import Task


def test_cleanup_is_reached_through_the_skills_that_lead_there() -> None:
    grounded = ground(load_task("cleanup"), everything=True)
    ways = routes(grounded, grounded.competence)
    assert len(ways) == 10
    assert ways["Close(top)"].skills == ()
    assert ways["Place(object,top)"].skills == ("Pick(object)",)
    assert ways["Place(object,bottom)"].probability == pytest.approx(0.001)


def test_no_way_is_more_probable() -> None:
    rng = np.random.default_rng(1)
    for _ in range(count(300)):
        task = random_task(rng, product_form=True)
        task = replace(task, skills=[replace(skill, failure="end") for skill in task.skills])
        grounded = ground(task, everything=True)
        p = random_competence(rng, task)
        named = dict(zip(task.policies, p.tolist(), strict=True))
        expected = _by_relaxation(task, named)
        found = {name: way.probability for name, way in routes(grounded, p).items()}
        assert found == pytest.approx(expected)


def _by_relaxation(task: Task, competence: dict[str, float]) -> dict[str, float]:
    """Largest product of competences on any way, by repeating until nothing changes."""
    (start,) = task.start_states
    names = list(task.variables)
    best = {tuple(start.state[n] for n in names): 1.0}
    changed = True
    while changed:
        changed = False
        for key, probability in list(best.items()):
            state = dict(zip(names, key, strict=True))
            if any(_holds(goal.when, state) for goal in task.goals):
                continue
            for skill in task.skills:
                if not _holds(skill.precondition, state) or isinstance(skill.effect, str):
                    continue
                after = {**state, **dict(skill.effect)}  # type: ignore[arg-type]  # sure effects only
                reached = probability * competence[skill.policy]
                target = tuple(after[n] for n in names)
                if reached > best.get(target, 0.0) + 1e-15:
                    best[target] = reached
                    changed = True
    ways: dict[str, float] = {}
    for key, probability in best.items():
        state = dict(zip(names, key, strict=True))
        if any(_holds(goal.when, state) for goal in task.goals):
            continue
        for skill in task.skills:
            if _holds(skill.precondition, state):
                ways[skill.name] = max(ways.get(skill.name, 0.0), probability)
    return ways


def _holds(condition: object, state: dict[str, str]) -> bool:
    assert isinstance(condition, dict)
    return all(
        state[name] == values if isinstance(values, str) else state[name] in values
        for name, values in condition.items()
    )
