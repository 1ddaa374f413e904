"""What each plan would be worth if the rest of the budget were spent on it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from deliberate_practice.allocation.split import Split
from deliberate_practice.beliefs.belief import Mixture
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.strategies.plan_book import Plan
from deliberate_practice.strategies.strategy import Situation

RESOLUTION = 60
"""A budget is split in steps of this fraction of it, and never finer than one episode."""
FINER = 16
"""Parts of a step where costs are unequal."""
HORIZON = 20_000
"""Who has more episodes left than that splits these first."""


@dataclass(frozen=True)
class Prospect:
    """A plan with the split of the remaining budget that is best for it.

    Attributes:
        plan: The plan.
        shares: Attempts of each policy that the split aims at, those without any left out.
        value: Its value then: the mean over the belief's explanations of the product of means.
    """

    plan: Plan
    shares: dict[str, int]
    value: float


def prospects(situation: Situation, plans: Sequence[Plan]) -> list[Prospect]:
    """Every plan with its best split, best plan first.

    The split is made on the mean curves. If approaches are executed, episodes that never reach the
    precondition are paid for too: practising u for k attempts takes k / reach episodes, with reach
    the probability of the approach once the policies before it are as good as planned.
    """
    cheapest = min(policy.cost for policy in situation.ground.task.policies.values())
    situation = replace(situation, budget=min(situation.budget, HORIZON * cheapest))
    mixture = situation.belief.mixture(situation.budget // cheapest)
    means = {name: mixture.weights @ curves for name, curves in mixture.curves.items()}
    found = []
    for plan in plans:
        if situation.free:
            shares = _split_freely(situation, plan, means)
        else:
            shares = _split_with_approach(situation, plan, means)
        found.append(Prospect(plan, shares, plan_value(situation, plan, shares, mixture)))
    return sorted(found, key=lambda prospect: -prospect.value)


def plan_value(
    situation: Situation, plan: Plan, shares: Mapping[str, int], mixture: Mixture
) -> float:
    """Σ_c w_c R Π_u φ_u(mean of u under explanation c): products of overall means are too low."""
    product: FloatArray = np.full(len(mixture.weights), plan.reward)
    for name in plan.kinds:
        f = mixture.curves[name][:, min(shares.get(name, 0), mixture.curves[name].shape[1] - 1)]
        product = product * plan.factor(name, f, situation.ground.task.discount)
    return float(mixture.weights @ product)


@dataclass(frozen=True)
class _Grid:
    """What a split chooses from: for each policy multiples of so many episodes.

    Attributes:
        names: The plan's policies that can be practised, in order of use.
        steps: How many steps the budget has.
        episodes: 0, 1, 2, ... times what one choice is, by policy.
        lengths: Steps that one choice of each policy takes, if it is always reached.
    """

    names: list[str]
    steps: int
    episodes: dict[str, IntArray]
    lengths: dict[str, float]


def _grid(situation: Situation, plan: Plan) -> _Grid:
    policies = situation.ground.task.policies
    names = [name for name in plan.kinds if name in situation.routes]
    unit = math.gcd(*(policies[name].cost for name in names)) or 1
    budget = situation.budget // unit
    step = max(1, budget // RESOLUTION)
    episodes, lengths = {}, {}
    for name in names:
        cost = policies[name].cost // unit
        stride = max(1, step // cost)
        episodes[name] = np.arange(0, budget // cost + 1, stride)
        lengths[name] = stride * cost / step
    if all(length == 1 for length in lengths.values()):
        return _Grid(names, budget // step, episodes, lengths)
    # Unequal costs: finer steps, lest each choice is rounded up to whole ones.
    finer = {name: FINER * length for name, length in lengths.items()}
    return _Grid(names, FINER * budget // step, episodes, finer)


def _split_freely(
    situation: Situation, plan: Plan, means: Mapping[str, FloatArray]
) -> dict[str, int]:
    """The exact split on mean curves, in steps."""
    grid = _grid(situation, plan)
    tables, costs = {}, {}
    for i, name in enumerate(grid.names):
        tables[i] = _logs(situation, plan, name, means[name][grid.episodes[name]])
        costs[i] = math.ceil(grid.lengths[name])
    split = Split(tables, costs, grid.steps)
    total = float(split.totals(np.array([grid.steps]))[0])
    if total == -np.inf:
        return {}
    _, chosen = split.cheapest(total - 1e-9, grid.steps)
    shares = {grid.names[i]: int(k) for i, k in chosen.items()}
    return {name: int(grid.episodes[name][k]) for name, k in shares.items()}


def _split_with_approach(
    situation: Situation, plan: Plan, means: Mapping[str, FloatArray]
) -> dict[str, int]:
    """Policies one after the other in the plan's order, each paying for its approach.

    V_i[b] = max over b', k with b = b' + ceil(k / reach_i(b')) of V_{i-1}[b'] + g_i(k): exact if
    each policy occurs once and is practised in this order, a good heuristic otherwise. An attempt
    that the end of the budget cuts short counts by the part of it that is paid for: the last
    episode is worth practising, though its approach may fail.
    """
    grid = _grid(situation, plan)
    names, size = grid.names, grid.steps + 1
    best = np.full(size, -np.inf)  # by budget spent so far
    best[0] = 0.0
    chosen = np.zeros((size, len(names)), dtype=np.int64)  # attempts that got there
    for i, name in enumerate(names):
        attempts, length = grid.episodes[name], grid.lengths[name]
        gains = _logs(situation, plan, name, means[name][attempts])
        routes = _routes(situation, plan, name)
        after, following = np.full(size, -np.inf), np.zeros_like(chosen)
        for spent in np.flatnonzero(best > -np.inf):
            shares = dict(zip(names, chosen[spent].tolist(), strict=True))
            reach = max(
                float(np.prod([means[u][shares.get(u, 0)] for u in route])) for route in routes
            )
            reach = max(reach, 1e-9)
            ways = np.arange(len(attempts)) * length / reach
            places = spent + np.ceil(ways - 1e-9).astype(np.int64)
            # Of several numbers of attempts for the same budget the largest is best.
            last = np.flatnonzero(np.append(places[1:] != places[:-1], True) & (places < size))
            better = last[best[spent] + gains[last] > after[places[last]] + 1e-12]
            after[places[better]] = best[spent] + gains[better]
            following[places[better]] = chosen[spent]
            following[places[better], i] = attempts[better]
            gain, cut_short = _cut_short(attempts, gains, (size - 1 - spent) * reach / length)
            if best[spent] + gain > after[-1] + 1e-12:
                after[-1], following[-1] = best[spent] + gain, chosen[spent]
                following[-1, i] = cut_short
        best, chosen = after, following
    shares = dict(zip(names, chosen[int(np.argmax(best))].tolist(), strict=True))
    return {name: k for name, k in shares.items() if k}


def _cut_short(attempts: IntArray, gains: FloatArray, choices: float) -> tuple[float, int]:
    """Gain and attempts of choices of which the last is not whole; none if it is, or too many."""
    whole, part = divmod(choices, 1)
    k = int(whole) + 1
    if k >= len(gains) or part <= 1e-9:
        return -np.inf, 0
    gain = np.logaddexp(np.log1p(-part) + gains[k - 1], np.log(part) + gains[k])
    more = math.ceil(part * (attempts[k] - attempts[k - 1]))
    return float(gain), int(attempts[k - 1]) + more


def _routes(situation: Situation, plan: Plan, name: str) -> list[list[str]]:
    """Policies on the ways to a policy: the most probable way now, and the plan's own, which may
    become better as the plan is practised."""
    policies = [situation.ground.task.skill(skill).policy for skill in plan.skills]
    route = situation.routes[name].skills
    now = [situation.ground.task.skill(skill).policy for skill in route]
    return [now, policies[: policies.index(name)]]


def _logs(situation: Situation, plan: Plan, name: str, f: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(plan.factor(name, f, situation.ground.task.discount))
    return logs
