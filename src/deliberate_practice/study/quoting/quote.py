"""A quote: the practice budget after which a robot will probably be good enough.

The belief holds many worlds possible: in each of them every skill has a true curve. A quote
rehearses the whole session in such worlds, with one budget after the other, and counts in how many
of them the robot's own plan reaches the target in the end. The answer at 90 % is the smallest
budget with which 90 % of the worlds do. It is as good as the belief: if the stated curves are not
what the robot has, the belief's doubts about them are all that protects the answer.

In some worlds no practice reaches the target, because a skill improves too little there. If they
are too many for an answer at 90 %, there is a second answer: the smallest budget that is enough in
90 % of the others.

Budgets are tried on a grid whose steps are 6 %.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.corner_bound import corner_bound
from deliberate_practice.allocation.problem import build_problem
from deliberate_practice.beliefs.bayes import BayesBelief
from deliberate_practice.beliefs.hypotheses import LAST
from deliberate_practice.foundation.checks import LARGEST_SEED, number, one_of, whole_number
from deliberate_practice.foundation.errors import ArgumentError, EngineError
from deliberate_practice.foundation.estimates import rate
from deliberate_practice.foundation.worker_pool import worker_pool
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import solve
from deliberate_practice.practice.arguments import APPROACHES
from deliberate_practice.practice.earning import reward_of
from deliberate_practice.strategies.strategy import STRATEGIES
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
    possible_curves,
    possible_world,
    rehearse,
    without_parameters,
)
from deliberate_practice.task.curves import NEVER, Table
from deliberate_practice.task.model import Task
from deliberate_practice.task.rounds import EXAMPLES
from deliberate_practice.task.seconds import in_seconds
from deliberate_practice.task.skill import Skill

WORLDS = 100
MOST_WORLDS = 100_000
STEP = 1.06
"""Ratio of neighbouring budgets."""
FURTHEST = 12.0
"""The largest budget, as a multiple of the one that the stated curves need."""
EACH = 50
"""About so many episodes of every skill the largest budget pays for at least.

Where the stated curves need little or nothing, worlds in which they are wrong need more.
"""
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
            Its experience counts, see :meth:`.Task.with_experience`.
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
    STRATEGIES.resolve(strategy)
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
    least = EACH * sum(_costs(timed))
    budgets = _grid(first, least) if first else [0, *_grid(min(_costs(timed)), least)]
    with _pool(workers or os.cpu_count() or 1) as pool:
        settings = {"strategy": strategy, "approach": approach}
        within = _within_reach(timed, target, measure, budgets[-1], range(seed, seed + worlds))
        search = Search(
            partial(_rehearsed, timed, settings, False), target, measure, within, seed, pool,
            progress or (lambda done, count: None),
        )  # fmt: skip
        reachable = rate(sum(within), worlds)
        middle = int(np.searchsorted(budgets, first))
        half = sure = given = informed = None
        if reachable.value >= 0.5:
            half = search.smallest(budgets, 0.5, middle)
        guess = min(middle + 4, len(budgets) - 1)
        if reachable.value >= confidence:
            sure = search.smallest(budgets, confidence, guess)
        if sure is None:
            given = search.smallest(budgets, confidence, guess, given=True)
        answer = given if sure is None else sure
        if answer:
            told = partial(_rehearsed, timed, settings, True)
            other = replace(search, work=told, known={}, within=within[: max(CHUNK, worlds // 2)])
            place = int(np.searchsorted(budgets, answer)) - 3
            informed = other.smallest(budgets, confidence, place, given=sure is None)
            search = replace(search, count=other.count)
        if not search.known:
            search.try_worlds(budgets[middle])
    shown = search.rehearsals(max(search.known) if answer is None else answer)
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
        reachable=reachable,
        if_reachable=None if given is None else amount(given, given=True),
        largest=budgets[-1] * (unit or 1),
        chances=tuple(amount(budget) for budget in sorted(search.known)),
        policies=_shares(timed, shown, unit),
        savings=tuple(_savings(timed, shown, answer, informed, unit)) if answer else (),
    )


@contextmanager
def _pool(workers: int) -> Iterator[Executor | None]:
    """Processes that rehearse; None if there is only this one."""
    if workers == 1:
        yield None
        return
    try:
        with worker_pool(workers) as pool:
            yield pool
    except BrokenProcessPool:
        raise EngineError(
            "workers: a process ended in the middle of a rehearsal: it ran out of memory, was "
            "killed, or a strategy called os._exit. Take fewer workers, or mend the strategy."
        ) from None


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
    runs = [timed.policies[policy.name].training_cost for policy in policies]
    unit = math.gcd(*costs, *switches, *runs)
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
    return reward_of(_undiscounted(grounded), solution.actions, known)


def _undiscounted(grounded: GroundTask) -> GroundTask:
    return replace(grounded, task=replace(grounded.task, discount=1.0))


def _costs(task: Task) -> list[int]:
    """Budget units of an episode of each policy that can be practised."""
    return [policy.cost for policy in task.policies.values() if policy.practisable]


def _grid(first: int, least: int) -> list[int]:
    """Budgets around a first guess, about as far as the least that the largest must be."""
    steps = math.log(max(FURTHEST, least / first)) / math.log(STEP)
    below = math.log(8.0) / math.log(STEP)
    exponents = np.arange(-int(below), int(steps) + 1)
    return sorted({max(1, round(first * STEP**k)) for k in exponents.tolist()})


def _rehearsed(
    task: Task, settings: Mapping[str, str], informed: bool, budget: int, seed: int
) -> Rehearsal:
    """One rehearsal, in the world with a number."""
    attempts = min(budget // min(_costs(task)), LAST)
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
    return replace(world, skills=skills, priors="accurate", experience=None)


def _within_reach(
    task: Task, target: float, measure: Measure, budget: int, worlds: Sequence[int]
) -> list[bool]:
    """Whether the target is within reach in each world: every skill may take the whole budget."""
    grounded = ground(task)
    if measure == "success":
        grounded = _undiscounted(grounded)
    belief = BayesBelief.prior(task)
    attempts = min(budget // min(_costs(task)), LAST)
    enough = target * (1 - ENOUGH)

    def most(world: int) -> float:
        drawn = possible_curves(attempts, world, belief)
        curves = {policy: curve.tolist() for policy, curve in drawn.items()}
        return corner_bound(build_problem(grounded, budget, curves=curves))

    return [most(world) >= enough for world in worlds]


def _amount(search: Search, unit: int | None, budget: int, *, given: bool = False) -> Amount:
    chance = search.chance(budget, given=given)
    return Amount(budget * (unit or 1), _hours(budget, unit), chance)


def _hours(budget: float, unit: int | None) -> float | None:
    return None if unit is None else budget * unit / 3600


def _shares(task: Task, rehearsals: Sequence[Rehearsal], unit: int | None) -> dict[str, Share]:
    """The share of each policy, as means."""
    if not rehearsals:
        return {}
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
    answer: int,
    informed: int | None,
    unit: int | None,
) -> Iterator[Saving]:
    """What improvements would save."""
    if informed is not None:
        budget = min(answer, informed)
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
        seconds = answer * unit - saved / len(rehearsals)
        if saved:
            yield Saving(what, math.ceil(seconds), seconds / 3600)
