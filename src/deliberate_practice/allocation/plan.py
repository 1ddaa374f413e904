"""A plan, its value as a product over its policies, and the best split of a budget for it.

The value of a plan is R Π_u Π_k φ_k(f_u)^n_uk, with n_uk the number of uses of policy u in the
way k, and φ as in :mod:`.product_form`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deliberate_practice.allocation.grid_split import Reach, make_grid
from deliberate_practice.allocation.product_form import Kind, ProductForm
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.checks import LARGEST_BUDGET, whole_number
from deliberate_practice.mdp.ground_task import GroundTask


@dataclass(frozen=True)
class Plan:
    """Skills that lead to a goal.

    >>> import deliberate_practice as dp
    >>> toast, oatmeal = dp.all_plans(dp.ground(dp.load_task("breakfast")))
    >>> toast.skills
    ('PickBread', 'PlaceBread', 'StartToaster')
    >>> lines = {name: [0.2, 0.5, 0.7, 0.8] for name in ("OpenMicrowave", "CloseMicrowave")}
    >>> oatmeal.split(lines, 5)
    {'OpenMicrowave': 3, 'CloseMicrowave': 2}

    Attributes:
        skills: Names of the skills, in order.
        goal: Name of the goal that they reach; None if they reach none.
        reward: The goal's reward, times the probability of the start.
        uses: Number of uses of each kind of each policy, by policy, in order of use.
        discount: γ.
        kinds: The kind of each skill, in order.
    """

    skills: tuple[str, ...]
    goal: str | None
    reward: float
    uses: Mapping[str, Mapping[Kind, int]]
    discount: float
    kinds: tuple[Kind, ...] = ()

    def value(self, competence: Mapping[str, float]) -> float:
        """R Π φ for fixed competences of the policies."""
        factors = (
            kind.factor_at(competence[policy], self.discount) ** n
            for policy, kinds in self.uses.items()
            for kind, n in kinds.items()
        )
        return math.prod(factors, start=self.reward)

    def factor(self, policy: str, f: FloatArray) -> FloatArray:
        """Π φ^n of one policy's uses, for its competences f of any shape."""
        product: FloatArray = np.ones(np.shape(f))
        for kind, n in self.uses[policy].items():
            product = product * kind.factor(f, self.discount) ** n
        return product

    def split(
        self,
        curves: Mapping[str, Sequence[float] | FloatArray],
        budget: int,
        *,
        costs: Mapping[str, int] | None = None,
        reach: Reach | None = None,
        resolution: int | None = None,
        leads: Mapping[str, int] | None = None,
    ) -> dict[str, int]:
        """The split of a budget over this plan's policies that maximises its value.

        Args:
            curves: Competence after 0, 1, ... attempts, constant after its end, of each policy that
                may be practised.
            budget: Budget units.
            costs: Budget units per episode by policy, 1 by default.
            reach: The probability that an episode of a policy reaches its precondition, given the
                attempts of the policies before it; without it every episode does. Policies are then
                practised in the plan's order, and k attempts take k / reach episodes.
            resolution: Approximate number of steps of the split; by default single episodes.
            leads: Episodes by policy that turning to it takes, none by default.

        Returns:
            Attempts by policy, in order of use; policies that get none are left out.
        """
        budget = whole_number("budget", budget, 0, LARGEST_BUDGET)
        prices = {name: (costs or {}).get(name, 1) for name in self.uses if name in curves}
        grid = make_grid(prices, budget, resolution)
        gains = {}
        lost = {name: (leads or {}).get(name, 0) for name in grid.attempts}
        for name, attempts in grid.attempts.items():
            curve = np.asarray(curves[name], dtype=np.float64)
            practised = np.clip(attempts - lost[name], 0, len(curve) - 1)
            with np.errstate(divide="ignore"):
                gains[name] = np.log(self.factor(name, curve[practised]))
        split = grid.split(gains) if reach is None else grid.split_with_approach(gains, reach)
        return {name: b - lost[name] for name, b in split.items() if b > lost[name]}


def follow(ground: GroundTask, form: ProductForm, skills: Sequence[int]) -> Plan:
    """The plan of the given skills.

    Args:
        ground: The task.
        form: Its graph of plans.
        skills: Indices of the skills, in order.

    Raises:
        ValueError: A skill cannot start in the state that the plan has reached, or leads nowhere.
    """
    uses: dict[str, dict[Kind, int]] = {}
    used: list[Kind] = []
    state = form.start
    for skill in skills:
        first, last = np.searchsorted(form.source, [state, state + 1])
        edges = first + np.flatnonzero(form.skill[first:last] == skill)
        if not len(edges):
            raise ValueError(f"skill {skill} cannot be started in state {state}")
        kind = form.kinds[form.kind[edges[0]]]
        kinds = uses.setdefault(ground.policy_names[kind.policy], {})
        kinds[kind] = kinds.get(kind, 0) + 1
        used.append(kind)
        state = int(form.target[edges[0]])
    goal = int(ground.goal[state])
    return Plan(
        skills=tuple(ground.task.skills[i].name for i in skills),
        goal=ground.task.goals[goal].name if goal >= 0 else None,
        reward=float(ground.start[form.start]) * float(ground.reward[state]),
        uses=uses,
        discount=form.gamma,
        kinds=tuple(used),
    )
