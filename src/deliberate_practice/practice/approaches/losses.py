"""How many episodes of a budget arrive at the skill they practise, and what would help the others.

Only attempts that reach a precondition are practice. If every approach is executed, most of a
budget may be lost on the way to skills that follow weak ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.choice import quick_solver
from deliberate_practice.allocation.product_form import product_form
from deliberate_practice.foundation.percent import percent
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.practice.curriculum import EVERYWHERE_STATES, Curriculum
from deliberate_practice.practice.replay import State
from deliberate_practice.strategies.strategy import ROUND
from deliberate_practice.task.model import Task

LEAST_SHARE = 0.5
"""Share of the episodes that should arrive."""


@dataclass(frozen=True)
class Arriving:
    """How many episodes of a split arrive.

    Attributes:
        share: Part of the budget units that pay for attempts.
        worst: The policy that loses most of the others.
        reach: Probability of arriving at it.
        weakest: The policy that fails most often on the way to it; None if nothing is practised on
            that way.
    """

    share: float
    worst: str
    reach: float
    weakest: str | None


def arriving(curriculum: Curriculum, split: Mapping[str, int]) -> Arriving | None:
    """Practise a split in the order of the ways, as the stated curves predict.

    A policy is reached with what was practised before it, and only attempts that arrive improve it.

    Returns:
        How many arrive; None if nothing is practised.
    """
    task = curriculum.ground.task
    now = {name: policy.competence for name, policy in task.policies.items()}
    ways = curriculum.by_policy(now)
    order = [name for name in task.policies if split.get(name) and name in ways]
    arrived = spent = 0.0
    lost: dict[str, tuple[float, float, str | None]] = {}
    for name in sorted(order, key=lambda name: len(ways[name].skills)):
        policy, way = task.policies[name], curriculum.by_policy(now)[name]
        units = split[name] * policy.cost
        passed = {task.skill(skill).policy for skill in way.skills} - {name}
        weak = [u for u in task.policies if u in passed and task.policies[u].practisable]
        weakest = min(weak, key=now.__getitem__, default=None)
        lost[name] = (units * (1 - way.probability), way.probability, weakest)
        arrived, spent = arrived + units * way.probability, spent + units
        now[name] = float(policy.predict(np.asarray(split[name] * way.probability)))
    if not lost:
        return None
    worst = max(lost, key=lambda u: lost[u][0])
    return Arriving(arrived / spent, worst, *lost[worst][1:])


def expected_losses(ground: GroundTask, task: Task, budget: int) -> list[str]:
    """A sentence with what would help if most of a budget would be lost on the way; else nothing.

    The split is the one that practice on the stated curves would begin with.

    Args:
        ground: The abstract MDP of the task.
        task: The task.
        budget: Budget units.
    """
    if ground.counts.kept > EVERYWHERE_STATES or not budget:
        return []
    solver = quick_solver(product_form(ground))
    split = allocate(ground, budget, solver=solver).allocation
    curriculum = Curriculum(task, free=False)
    found = arriving(curriculum, {name: int(count) for name, count in split.items()})
    if found is None or found.share >= LEAST_SHARE:
        return []
    return [
        f"about {percent(found.share)} of a budget of {budget} would arrive at the skills to "
        f"practise, and the rest would be lost on the way: '{found.worst}' is reached in "
        f"{percent(found.reach)} of its episodes; {_help(found.weakest)}"
    ]


def seen_losses(state: State) -> list[str]:
    """A sentence with what would help if most episodes were lost on the way; else nothing."""
    told = [
        record.result
        for record in state.records.values()
        if record.kind == "practice" and record.result and not record.void
    ]
    lost = [result for result in told if result.outcome == "unreached"]
    if len(told) < ROUND or len(lost) <= (1 - LEAST_SHARE) * len(told):
        return []
    places = Counter(result.at for result in lost if result.at)
    where = max(places, key=places.__getitem__, default=None)
    policy = state.task.policies[state.task.skill(where).policy] if where else None
    most = f", most often at '{where}'" if where else ""
    weakest = policy.name if policy and policy.practisable else None
    return [
        f"{len(lost)} of {len(told)} episodes did not arrive at the skill to practise{most}; "
        + _help(weakest)
    ]


def _help(weakest: str | None) -> str:
    ways = ["put the robot there by hand (--approach free)"]
    ways += ["let a reset leave the scene nearer to it (a start in the task file)"]
    ways += [f"practise '{weakest}' first"] if weakest else []
    return f"{', '.join(ways[:-1])}, or {ways[-1]}"
