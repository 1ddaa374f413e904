"""The probability that approaches arrive, against passing a robot's state through them by hand."""

from __future__ import annotations

import numpy as np
from counts import count
from random_tasks import random_competence, random_task

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.mdp.arrival import arrivals
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.routes import Route, routes


def test_approaches_arrive_as_often_for_other_competences_as_by_hand() -> None:
    rules = 0
    for seed in range(count(600)):
        rng = np.random.default_rng(seed)
        task = random_task(rng, product_form=bool(rng.random() < 0.3))
        grounded = ground(task, everything=True)
        believed = random_competence(rng, task)
        found = list(routes(grounded, believed).values())
        others = np.stack([believed, *(random_competence(rng, task) for _ in range(3))])
        prepared = arrivals(grounded, found, [believed] * len(found))
        table = prepared.probabilities(others)
        for number, route in enumerate(found):
            rules += route.rule is not None
            assert np.isclose(table[0, number], route.probability, rtol=1e-9, atol=1e-12), seed
            for row, competence in zip(table, others, strict=True):
                expected = _by_hand(grounded, route, competence, believed)
                assert np.isclose(row[number], expected, rtol=1e-9, atol=1e-12), seed
    assert rules > 20


def test_no_approaches_at_all() -> None:
    task = random_task(np.random.default_rng(0), product_form=True)
    prepared = arrivals(ground(task), [], [])
    assert prepared.probabilities(np.ones((2, len(task.policies)))).shape == (2, 0)


def _by_hand(
    grounded: GroundTask, route: Route, competence: FloatArray, believed: FloatArray
) -> float:
    """Follow every outcome of an approach up to its limit."""
    if route.rule is None:
        policies = [grounded.task.skill(skill).policy for skill in route.skills]
        places = [grounded.policy_names.index(policy) for policy in policies]
        before = float(np.prod(believed[places]))
        scale = route.probability / before if before else 1.0
        return scale * float(np.prod(competence[places]))
    chosen = route.rule
    action_of = dict(zip(chosen.states.tolist(), chosen.actions.tolist(), strict=True))
    needed = {
        name: [values] if isinstance(values, str) else values
        for name, values in grounded.task.skill(route.skill).precondition.items()
    }
    probability = grounded.probabilities(competence)
    starts = [int(state) for state in np.flatnonzero(grounded.start)]
    if route.start:
        starts = [state for state in starts if grounded.describe(state) == route.start]
    assert len(starts) == 1
    mass = {starts[0]: 1.0}
    arrived = 0.0
    for left in range(chosen.limit, -1, -1):
        after: dict[int, float] = {}
        for state, amount in mass.items():
            here = grounded.describe(state)
            if all(here[name] in values for name, values in needed.items()):
                arrived += amount
            elif state in action_of and left:
                for k in np.flatnonzero(grounded.outcome_action == action_of[state]):
                    target = int(grounded.outcome_target[k])
                    after[target] = after.get(target, 0.0) + amount * float(probability[k])
        mass = after
    return arrived
