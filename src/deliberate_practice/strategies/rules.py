"""Decision rules of general tasks, with the best split of the remaining budget for each.

Where failures can be recovered, what a robot does is not a plan but a decision rule. Candidates are
the rules that are optimal for the competences now, for an even split, and if every policy had the
whole budget; for all goals and for each single one; and those that are optimal after the best split
for one of these. Each gets its split, and is scored on the mixture of the belief.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from deliberate_practice.allocation.local_search import local_search, single_goals
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.rules.chain import rule_chain
from deliberate_practice.allocation.rules.costs import Approaches, PracticeCosts
from deliberate_practice.allocation.rules.split import Outlook, best_split
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.rounding import rounded
from deliberate_practice.mdp.arrival import arrivals
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.routes import Route, routes
from deliberate_practice.mdp.rule import Path, most_likely_path
from deliberate_practice.mdp.values import Solution, solve
from deliberate_practice.strategies.expectation import HORIZON
from deliberate_practice.strategies.strategy import Situation

CHOICES = 120
"""The most choices of each policy's attempts; larger budgets are split in larger steps."""

SEARCHED = 200
"""Splits that are evaluated if none of the usual rules earns anything."""

FOLLOWING = 2
"""How often a rule is replaced by the one that is optimal after its split."""


@dataclass(frozen=True, eq=False)
class RuleProspect:
    """A decision rule and a split of the budget for it.

    Attributes:
        ground: The task.
        solution: The rule, with its values for the mean competences after the split.
        split: Attempts by policy, the easiest to reach first, without policies that get none.
        value: Expected value of the rule after the split.
        competence: Mean competences after the split.
        reach: Probability of reaching each policy of the split once those before it have had their
            attempts.
    """

    ground: GroundTask
    solution: Solution
    split: dict[str, int]
    value: float
    competence: FloatArray
    reach: dict[str, float]

    @property
    def path(self) -> Path:
        """The most likely path to a goal."""
        return most_likely_path(self.ground, self.solution, self.competence)


def rule_prospects(situation: Situation) -> list[RuleProspect]:
    """The candidates, best first."""
    ground = situation.ground
    step, outlook = _outlook(situation)
    known: dict[bytes, RuleProspect] = {}

    def consider(solution: Solution, around: IntArray) -> None:
        for _ in range(FOLLOWING):
            chain = rule_chain(ground, solution)
            key = chain.actions.tobytes()
            if key in known or not len(chain.start):
                break
            split, value = best_split(outlook, chain, around)
            known[key] = _prospect(situation, solution, outlook, split, step, value)
            solution, around = solve(ground, known[key].competence), split

    for solution, around in _beginnings(ground, outlook):
        consider(solution, around)
    if not known:  # where more practice can be worse, the right amount has to be searched for
        around = _searched(ground, outlook, step)
        consider(solve(ground, outlook.competence(around)), around)
    return sorted(known.values(), key=lambda prospect: -rounded(prospect.value))


def _outlook(situation: Situation) -> tuple[int, Outlook]:
    """The curves of the belief in steps of so many strides, and what practice costs."""
    names = situation.ground.policy_names
    prices = np.array([situation.price(name) for name in names])
    stride = {name: situation.stride(name) for name in names}
    practised = np.array([name in situation.reachable for name in names])
    longest = min(situation.budget // int(prices[practised].min()), HORIZON)
    step = -(-longest // CHOICES)
    attempts = np.arange(longest // step + 1) * step
    mixture = situation.belief.mixture(longest * max(stride.values()))
    practised_after = {
        name: np.maximum(attempts - situation.lead(name), 0) * stride[name] for name in names
    }
    curves = rounded(np.stack([mixture.curves[u][:, practised_after[u]] for u in names], axis=1))
    most = np.minimum(situation.budget // (prices * step), len(attempts) - 1) * practised
    costs = PracticeCosts(step * prices.astype(np.float64), most, situation.budget)
    outlook = Outlook(rounded(mixture.weights), curves, costs)
    if not situation.free:
        costs = replace(costs, approaches=_approaches(situation, outlook.means))
    return step, replace(outlook, costs=costs)


def _approaches(situation: Situation, means: FloatArray) -> Approaches:
    """The approaches that are best now, and those that are best with more practice."""
    ground = situation.ground
    practised = means[:, means.shape[1] // 2]
    later = routes(ground, practised)
    nowhere = Route("", (), 0.0)
    now, better = [], []
    for name, policy in ground.task.policies.items():
        mine = [later[skill] for skill in policy.skills if skill in later]
        now.append(situation.reachable.get(name, nowhere))
        better.append(max(mine, key=lambda way: way.probability, default=nowhere))
    present = np.array([way.probability for way in now])
    competences = [means[:, 0]] * len(now) + [practised] * len(better)
    return Approaches(arrivals(ground, [*now, *better], competences), means, present)


def _beginnings(ground: GroundTask, outlook: Outlook) -> Iterator[tuple[Solution, IntArray]]:
    """Rules to begin with, and the splits for which they are optimal."""
    most = outlook.costs.most
    count = max(1, int(np.count_nonzero(most)))
    nothing = np.zeros_like(most)
    for task in (ground, *single_goals(ground)):
        for split in (nothing, most // count, most) if task is ground else (most // count, most):
            yield solve(task, outlook.competence(split)), split


def _searched(ground: GroundTask, outlook: Outlook, step: int) -> IntArray:
    """The split that local search finds for the mean curves, if approaches are free."""
    choices = zip(outlook.means, outlook.costs.most, strict=True)
    tables = tuple(np.maximum.accumulate(mean[: most + 1]) for mean, most in choices)
    problem = Problem(ground, outlook.costs.budget // step, tables)
    return local_search(problem, SEARCHED).astype(np.int64)


def _prospect(
    situation: Situation,
    solution: Solution,
    outlook: Outlook,
    split: IntArray,
    step: int,
    value: float,
) -> RuleProspect:
    """A rule with its split in attempts, the easiest to reach first."""
    ground = situation.ground
    approaches, names = outlook.costs.approaches, ground.policy_names
    turns = np.arange(len(split)) if approaches is None else approaches.turns
    reach = np.ones(len(split)) if approaches is None else approaches.reach(split)
    attempts = [
        (step * int(b) - situation.lead(u)) * situation.stride(u)
        for b, u in zip(split, names, strict=True)
    ]
    order = [int(u) for u in np.argsort(turns) if split[u] and attempts[u] > 0]
    return RuleProspect(
        ground=ground,
        solution=solution,
        split={names[u]: attempts[u] for u in order},
        value=value,
        competence=outlook.competence(split),
        reach={names[u]: float(reach[u]) for u in order},
    )
