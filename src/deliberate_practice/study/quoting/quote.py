"""A quote: the practice budget after which a robot will probably be good enough.

The belief holds many worlds possible: in each of them every skill has a true curve. A quote
rehearses the whole session in such worlds, with one budget after the other, and counts in how many
of them the robot's own plan reaches the target in the end. The answer at 90 % is the smallest
budget with which 90 % of the worlds do. It is as good as the belief: if the stated curves are not
what the robot has, the belief's doubts about them are all that protects the answer.

Budgets are tried on a grid whose steps are 6 %.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.beliefs.bayes import BayesBelief
from deliberate_practice.beliefs.hypotheses import LAST
from deliberate_practice.foundation.checks import LARGEST_SEED, number, one_of, whole_number
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.worker_pool import worker_pool
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import solve
from deliberate_practice.practice.arguments import APPROACHES
from deliberate_practice.practice.earning import reward_of
from deliberate_practice.study.parallel import MOST_WORKERS
from deliberate_practice.study.quoting.one_goal import for_one_goal
from deliberate_practice.study.quoting.result import Amount, Quote, Saving, Share
from deliberate_practice.study.quoting.search import (
    CHUNK,
    ENOUGH,
    Measure,
    Progress,
    Search,
)
from deliberate_practice.study.rehearsal import (
    Rehearsal,
    possible_world,
    rehearse,
    without_parameters,
)
from deliberate_practice.task.curves import NEVER, Table
from deliberate_practice.task.model import Task
from deliberate_practice.task.rounds import EXAMPLES
from deliberate_practice.task.seconds import in_seconds
from deliberate_practice.task.skill import Skill

WORLDS = 200
MOST_WORLDS = 100_000
STEP = 1.06
"""Ratio of neighbouring budgets."""
FURTHEST = 12.0
"""The largest budget, as a multiple of the one that the stated curves need."""
LARGEST = 1_000_000
"""Budget units that no quote goes beyond."""
FINE = 20
"""Budget units that the cheapest episode costs at most; coarser costs are rounded up."""


def quote(
    task: Task,
    target: float,
    *,
    measure: Measure = "value",
    goal: str | None = None,
    confidence: float = 0.9,
    strategy: str = "deliberate",
    approach: str = "execute",
    worlds: int = WORLDS,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Quote:
    """The practice that a target takes, at 50 % and at a confidence.

    Args:
        task: The task; if all skills that can be practised state their seconds, budgets are time.
        target: The reward that the robot's own plan must be worth; or, for ``success``, the
            probability that it reaches the goal.
        measure: What the target is.
        goal: The goal to reach, for ``success``; by default the one with the largest reward.
        confidence: Probability that the budget is enough.
        strategy, approach: As in a session.
        worlds: Rehearsals of each budget, at most.
        seed: The first world's number.
        workers: Processes; one per core by default.
        progress: Called after each rehearsal.

    Raises:
        ArgumentError: A value makes no sense, or no practice reaches the target.
    """
    one_of("measure", measure, ("value", "success"), ArgumentError)
    one_of("approach", approach, APPROACHES, ArgumentError)
    number("confidence", confidence, 0.5, 0.99, error=ArgumentError)
    whole_number("worlds", worlds, CHUNK, MOST_WORLDS)
    whole_number("seed", seed, 0, LARGEST_SEED - worlds)
    if workers is not None:
        whole_number("workers", workers, 1, MOST_WORKERS)
    if not any(policy.practisable for policy in task.policies.values()):
        raise ArgumentError(
            f"task: no skill of '{task.name}' can be practised; state the curve of one in the task."
        )
    stated = without_parameters(task)
    if measure == "success":
        number("target", target, 0, 1, open_low=True, error=ArgumentError)
        stated = for_one_goal(stated, goal)
    else:
        number("target", target, 0, open_low=True, error=ArgumentError)
    timed, unit = _in_coarse_units(stated)
    first = _needed(timed, target, measure)
    budgets = _grid(first) if first else [0, *_grid(_cheapest(timed))]
    with _pool(workers or os.cpu_count() or 1) as pool:
        settings = {"strategy": strategy, "approach": approach}
        search = Search(
            partial(_rehearsed, timed, settings, False), target, measure, worlds, seed, pool,
            progress or (lambda done, count: None),
        )  # fmt: skip
        middle = int(np.searchsorted(budgets, first))
        half = search.smallest(budgets, 0.5, middle)
        sure = search.smallest(budgets, confidence, min(middle + 4, len(budgets) - 1))
        shown = max(search.known) if sure is None else sure
        informed = None
        if sure:
            told = partial(_rehearsed, timed, settings, True)
            other = replace(search, work=told, known={})
            informed = other.smallest(budgets, confidence, int(np.searchsorted(budgets, sure)) - 3)
            search = replace(search, count=other.count)
    amount = partial(_amount, search, unit)
    return Quote(
        task=task.name,
        target=float(target),
        measure=measure,
        goal=stated.goals[0].name if measure == "success" else None,
        confidence=confidence,
        worlds=worlds,
        half=None if half is None else amount(half),
        sure=None if sure is None else amount(sure),
        largest=budgets[-1] * (unit or 1),
        chances=tuple(amount(budget) for budget in sorted(search.known)),
        policies=_shares(timed, search.known[shown], unit),
        savings=tuple(_savings(timed, search.known[shown], sure, informed, unit)) if sure else (),
    )


def _pool(workers: int) -> AbstractContextManager[Executor | None]:
    """Processes that rehearse; None if there is only this one."""
    return worker_pool(workers) if workers > 1 else nullcontext()


def _in_coarse_units(task: Task) -> tuple[Task, int | None]:
    """The task with costs in units of some seconds, if its skills state times; and that unit [s].

    Costs are rounded up, by at most one part in ``FINE``.
    """
    policies = [policy for policy in task.policies.values() if policy.practisable]
    if not all("episode" in policy.seconds for policy in policies):
        return task, None
    timed = in_seconds(task)
    costs = [timed.policies[policy.name].cost for policy in policies]
    switches = [timed.policies[policy.name].switch for policy in policies]
    unit = math.gcd(*costs, *switches)
    unit = max(unit, min(costs) // FINE)
    return replace(timed, skills=[_in_units(skill, unit) for skill in timed.skills]), unit


def _in_units(skill: Skill, unit: int) -> Skill:
    """A skill with costs in units of so many seconds."""
    rounds: dict[str, Any] = {
        key: {**stated, "cost": -(-stated["cost"] // unit)}
        for key in EXAMPLES
        if "cost" in (stated := getattr(skill, key))
    }
    return replace(
        skill,
        cost=None if skill.cost is None else -(-skill.cost // unit),
        switch=None if skill.switch is None else -(-skill.switch // unit),
        **rounds,
    )


def _needed(task: Task, target: float, measure: Measure) -> int:
    """The smallest budget with which the stated curves reach the target, approaches free.

    It is 0 if they reach it without practice.
    """
    grounded = ground(task)

    @cache
    def value(budget: int) -> float:
        found = allocate(grounded, budget, gap=0.01)
        return found.value if measure == "value" else _worth(grounded, found.competence, measure)

    enough = target * (1 - ENOUGH)
    if value(0) >= enough:
        return 0
    endless = {
        name: float(policy.predict(np.array(NEVER))) for name, policy in task.policies.items()
    }
    most = _worth(grounded, endless, measure)
    low, high = 0, 64
    while value(high) < enough:
        low, high = high, min(4 * high, LARGEST)
        if most < enough and value(high) <= value(low) * (1 + 1e-6):
            raise ArgumentError(
                f"target: {target:g} is more than the stated curves reach with any practice "
                f"({most:.4g}); give a lower target, or raise the ceilings in the task."
            )
        if low == LARGEST:
            raise ArgumentError(
                f"target: {target:g} takes more than {LARGEST:,} budget units by the stated "
                f"curves ({value(low):.4g} with so many); give a lower target, or count costs in "
                "larger units."
            )
    while high - low > max(1, low // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if value(middle) >= enough else (middle, high)
    return high


def _worth(grounded: GroundTask, practised: Mapping[str, float], measure: Measure) -> float:
    """The value of the robot's own plan with these competences, or how often it succeeds."""
    stated = {name: policy.competence for name, policy in grounded.task.policies.items()}
    known = {**stated, **practised}
    solution = solve(grounded, [known[name] for name in grounded.policy_names])
    if measure == "value":
        return solution.value
    undiscounted = replace(grounded, task=replace(grounded.task, discount=1.0))
    return reward_of(undiscounted, solution.actions, known)


def _cheapest(task: Task) -> int:
    """Budget units of the cheapest episode."""
    return min(policy.cost for policy in task.policies.values() if policy.practisable)


def _grid(first: int) -> list[int]:
    """Budgets around a first guess."""
    steps = math.log(FURTHEST) / math.log(STEP)
    below = math.log(8.0) / math.log(STEP)
    exponents = np.arange(-int(below), int(steps) + 1)
    return sorted({max(1, round(first * STEP**k)) for k in exponents.tolist()})


def _rehearsed(
    task: Task, settings: Mapping[str, str], informed: bool, budget: int, seed: int
) -> Rehearsal:
    """One rehearsal, in the world with a number."""
    attempts = min(budget // _cheapest(task), LAST)
    world = possible_world(task, attempts, seed, BayesBelief.prior(task))
    if informed:
        world = _told(world)
    return rehearse(world, budget, seed=seed, look=None, **settings)


def _told(world: Task) -> Task:
    """The same world with its true curves stated."""
    skills = [
        replace(skill, competence=skill.truth.values[0], curve=skill.truth)
        if isinstance(skill.truth, Table)
        else skill
        for skill in world.skills
    ]
    return replace(world, skills=skills, priors="accurate")


def _amount(search: Search, unit: int | None, budget: int) -> Amount:
    return Amount(budget * (unit or 1), _hours(budget, unit), search.chance(budget))


def _hours(budget: float, unit: int | None) -> float | None:
    return None if unit is None else budget * unit / 3600


def _shares(task: Task, rehearsals: Sequence[Rehearsal], unit: int | None) -> dict[str, Share]:
    """The share of each policy, as means."""
    count, shares = len(rehearsals), {}
    whole = sum(one.spent for one in rehearsals) / count
    for name in task.policies:
        episodes = sum(one.episodes.get(name, 0) for one in rehearsals) / count
        spent = sum(one.units[name] for one in rehearsals) / count
        if episodes:
            shares[name] = Share(episodes, spent * (unit or 1), spent / whole if whole else 0.0)
    return dict(sorted(shares.items(), key=lambda pair: -pair[1].budget))


def _savings(
    task: Task,
    rehearsals: Sequence[Rehearsal],
    sure: int,
    informed: int | None,
    unit: int | None,
) -> Iterator[Saving]:
    """What improvements would save."""
    if informed is not None:
        budget = min(sure, informed)
        yield Saving("curves known exactly", budget * (unit or 1), _hours(budget, unit))
    if unit is None:
        return
    for what, key in (("resets in half the time", "reset"), ("no time to switch", "switch")):
        saved = 0.0
        for one in rehearsals:
            counts = one.episodes if key == "reset" else one.switches
            factor = 0.5 if key == "reset" else 1.0
            for name, count in counts.items():
                saved += factor * count * task.policies[name].seconds.get(key, 0.0)
        seconds = sure * unit - saved / len(rehearsals)
        if saved:
            yield Saving(what, math.ceil(seconds), seconds / 3600)
