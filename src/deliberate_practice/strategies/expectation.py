"""The expectations of a belief: competences, curves, and the value of each plan."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from deliberate_practice.allocation.grid_split import Reach
from deliberate_practice.allocation.plan import Plan
from deliberate_practice.allocation.plans import all_plans
from deliberate_practice.allocation.result import Prospect
from deliberate_practice.beliefs.belief import Mixture
from deliberate_practice.beliefs.gaps import Losses
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.rounding import rounded
from deliberate_practice.mdp.approach_rule import TRIES
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.strategies.composition import best_composed, composed_value
from deliberate_practice.strategies.strategy import Situation

RESOLUTION = 60
"""The number of steps in which a budget is split."""
HORIZON = 20_000
"""Longer budgets are split only up to this many episodes."""


def competences(situation: Situation) -> dict[str, float]:
    """Mean competence of every policy now."""
    return {name: situation.belief.competence(name) for name in situation.ground.policy_names}


def mean_curves(situation: Situation) -> dict[str, list[float]]:
    """Mean competence after 0, 1, ... more episodes, by policy, up to the end of the budget."""
    return {
        name: situation.belief.curve(name, situation.budget // policy.cost).tolist()
        for name, policy in situation.ground.task.policies.items()
    }


def prospects(situation: Situation) -> list[Prospect]:
    """Every plan with the best split of the remaining budget for it, best plan first.

    The split uses the mean curves. If approaches are executed, episodes that never reach the
    precondition cost budget too: k attempts of u take k / reach episodes, where reach is the
    probability of the approach once the policies before it are as good as planned. Policies that
    are trained elsewhere get whole rounds, whose evaluations are not charged.

    Returns:
        The plans; none if the task is not of product form or has too many plans.
    """
    policies = situation.ground.task.policies
    cheapest = min(policy.cost for policy in policies.values())
    stride = {name: situation.stride(name) for name in policies}
    budget = min(situation.budget, HORIZON * cheapest)
    plans = all_plans(situation.ground)
    if not plans:
        return []
    losses = situation.gaps.losses
    if losses:
        plans = _with_best_order(situation, plans, losses)
    mixture = situation.belief.mixture(budget // cheapest)
    means = {
        name: (mixture.weights @ curves)[:: stride[name]] for name, curves in mixture.curves.items()
    }
    ranked = []
    for plan in plans:
        split = plan.split(
            {name: means[name] for name in plan.uses if name in situation.reachable},
            budget,
            costs={name: situation.price(name) for name in plan.uses},
            reach=None if situation.free else _reach(situation, plan, means),
            resolution=RESOLUTION,
            leads={name: situation.lead(name) for name in plan.uses},
        )
        split = {name: strides * stride[name] for name, strides in split.items()}
        value = expected_value(plan, split, mixture)
        if losses:
            value = _composed(situation.ground, plan, split, mixture, losses)
        ranked.append(Prospect(plan, split, value))
    return sorted(ranked, key=lambda prospect: -rounded(prospect.value))


def expected_value(plan: Plan, split: Mapping[str, int], mixture: Mixture) -> float:
    """Σ_c w_c R Π_u φ_u(mean of u under explanation c): products of overall means are too low."""
    product: FloatArray = np.full(len(mixture.weights), plan.reward)
    for name in plan.uses:
        f = mixture.curves[name][:, min(split.get(name, 0), mixture.curves[name].shape[1] - 1)]
        product = product * plan.factor(name, f)
    return float(mixture.weights @ product)


def _composed(
    ground: GroundTask, plan: Plan, split: Mapping[str, int], mixture: Mixture, losses: Losses
) -> float:
    """The same with the expected composition gaps of the plan."""
    means = {
        name: mixture.curves[name][:, min(split.get(name, 0), mixture.curves[name].shape[1] - 1)]
        for name in plan.uses
    }
    return float(mixture.weights @ composed_value(ground, plan, means, losses.kept))


def _with_best_order(
    situation: Situation, plans: Sequence[Plan], losses: Losses
) -> tuple[Plan, ...]:
    """All plans, and the one that is best now: another order of its skills may avoid a gap."""
    now = competences(situation)
    names = situation.ground.policy_names
    best = best_composed(situation.ground, np.array([now[name] for name in names]), losses)
    if best is None or any(plan.skills == best[0].skills for plan in plans):
        return tuple(plans)
    return (*plans, best[0])


def _reach(situation: Situation, plan: Plan, means: Mapping[str, FloatArray]) -> Reach:
    """The probability of reaching a policy: by the most probable route now, or by the plan's own
    route, which may improve as the plan is practised.

    A skill that may be retried has as many executions as the limit of an approach grants a step.
    """
    task = situation.ground.task
    tries = {skill.name: TRIES if skill.failure == "stay" else 1 for skill in task.skills}
    order = [task.skill(skill).policy for skill in plan.skills]
    ways = {
        name: [
            [(task.skill(skill).policy, tries[skill]) for skill in way]
            for way in (situation.reachable[name].skills, plan.skills[: order.index(name)])
        ]
        for name in plan.uses
        if name in situation.reachable
    }

    def works(policy: str, tries: int, attempts: Mapping[str, int]) -> float:
        f = float(means[policy][attempts.get(policy, 0)])
        return f if tries == 1 else 1.0 - (1.0 - f) ** tries

    def reach(policy: str, attempts: Mapping[str, int]) -> float:
        return max(
            math.prod([works(u, tries, attempts) for u, tries in way]) for way in ways[policy]
        )

    return reach
