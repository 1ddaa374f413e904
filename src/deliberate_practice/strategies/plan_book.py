"""The plans of a task, enumerated once, and what they are worth under changing beliefs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from deliberate_practice.allocation.plans import all_plans
from deliberate_practice.allocation.product_form import Kind, ProductForm, product_form
from deliberate_practice.beliefs.belief import Belief
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.values import solve
from deliberate_practice.strategies.strategy import Situation

MAX_LABELS = 20_000
"""Beyond this many labels a task's plans are not enumerated."""


@dataclass(frozen=True)
class Plan:
    """A plan as a product of what its policies can do.

    Attributes:
        skills: Names of its skills.
        goal: Name of the goal it reaches.
        reward: The goal's reward, times the probability of the start.
        kinds: How often it uses each kind of each policy, by name of the policy in order of use.
    """

    skills: tuple[str, ...]
    goal: str
    reward: float
    kinds: dict[str, dict[Kind, int]]

    def factor(self, policy: str, f: FloatArray, gamma: float) -> FloatArray:
        """Π φ^n of one policy's uses, for its competences f of any shape."""
        product: FloatArray = np.ones(np.shape(f))
        for kind, n in self.kinds[policy].items():
            product = product * kind.factor(f, gamma) ** n
        return product

    def value(self, competence: Mapping[str, float], gamma: float) -> float:
        """R Π φ for fixed competences of the policies."""
        value = self.reward
        for policy, kinds in self.kinds.items():
            for kind, n in kinds.items():
                value *= kind.factor_at(competence[policy], gamma) ** n
        return value


@lru_cache(maxsize=16)
def plan_book(ground: GroundTask) -> tuple[Plan, ...] | None:
    """All plans that could be best for some competences; None for general tasks and too many."""
    form = product_form(ground)
    if not isinstance(form, ProductForm):
        return None
    plans = all_plans(ground, form, MAX_LABELS)
    if plans is None:
        return None
    start = float(ground.start[form.start])
    book = []
    for skills in plans:
        product = form.follow(skills)
        kinds: dict[str, dict[Kind, int]] = {}
        for kind in product.kinds:
            uses = kinds.setdefault(ground.policy_names[kind.policy], {})
            uses[kind] = uses.get(kind, 0) + 1
        names = tuple(ground.task.skills[i].name for i in skills)
        goal = ground.task.goals[int(ground.goal[product.state])].name
        book.append(Plan(names, goal, start * float(ground.reward[product.state]), kinds))
    return tuple(book)


def task_value(ground: GroundTask, competence: dict[str, float]) -> float:
    """J: what the task is worth with the given competences of all policies."""
    book = plan_book(ground)
    if book is None:
        return solve(ground, np.array([competence[name] for name in ground.policy_names])).value
    return max((plan.value(competence, ground.task.discount) for plan in book), default=0.0)


def mean_curves(situation: Situation) -> dict[str, list[float]]:
    """Mean competence after 0, 1, ... more episodes by policy, as far as the budget goes."""
    return {
        name: situation.belief.curve(name, situation.budget // policy.cost).tolist()
        for name, policy in situation.ground.task.policies.items()
    }


def believed(ground: GroundTask, belief: Belief) -> dict[str, float]:
    """Mean competence of every policy now."""
    return {name: belief.competence(name) for name in ground.policy_names}
