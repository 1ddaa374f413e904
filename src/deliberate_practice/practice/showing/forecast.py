"""The forecast of a session: what the robot will be worth when the budget is spent.

The rest of the budget is split as the strategy ``deliberate`` would split it. The competence of
each policy after its share has a mean and a deviation, which the belief states. Drawn many times
from Beta distributions with these moments, they give the distribution of the reward. The band holds
80 % of it: it is honest as far as the belief is, and counts neither luck in single executions nor
mistakes of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from deliberate_practice.allocation.plan import Plan
from deliberate_practice.allocation.plans import all_plans
from deliberate_practice.allocation.rules.chain import rule_chain
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.rule import Path, most_likely_path
from deliberate_practice.mdp.values import solve
from deliberate_practice.practice.curriculum import Curriculum
from deliberate_practice.practice.deciding import situation_of
from deliberate_practice.practice.replay import State
from deliberate_practice.strategies.expectation import prospects
from deliberate_practice.strategies.rules import rule_prospects
from deliberate_practice.strategies.strategy import Situation

DRAWS = 400
"""Competences that are drawn for the band."""
CHUNK = 20
"""Draws of a decision rule that are evaluated at once."""
BAND = (0.1, 0.9)
"""The ends of the band."""
NARROW = 1e-6
"""Smaller deviations count as none."""
SMALLEST = 0.05
"""The smallest sum of the two shapes of a Beta distribution."""


@dataclass(frozen=True)
class Growth:
    """A policy now, and after the share of the budget that it will get.

    Attributes:
        now: Believed competence.
        after: The same after its share.
        low, high: Ends of the 80 % band of that.
        attempts: The share.
    """

    now: float
    after: float
    low: float
    high: float
    attempts: int


@dataclass(frozen=True)
class Forecast:
    """What the robot is worth now, and what it will be worth at the end.

    Attributes:
        now: Expected reward of what it would do now.
        value: Expected reward when the budget is spent.
        low, high: Ends of the 80 % band of that.
        goal: The goal that it is expected to aim for then; None if it would do nothing.
        plan: The skills that it is expected to execute then.
        left: Budget units until then.
        policies: Every policy that the plan uses or that will be practised.
    """

    now: float
    value: float
    low: float
    high: float
    goal: str | None
    plan: tuple[str, ...]
    left: int
    policies: Mapping[str, Growth]

    def as_data(self) -> dict[str, Any]:
        """The forecast as plain data, as ``--format json`` prints it."""
        return asdict(self) | {"plan": list(self.plan)}


def forecast(state: State, curriculum: Curriculum) -> Forecast:
    """Look ahead to the end of the budget."""
    ground = curriculum.ground
    competence = np.array([state.competences[name] for name in ground.policy_names])
    solution = solve(ground, competence)
    situation = situation_of(state, curriculum, later=True)
    plan, split = _best(situation) if situation else (None, {})
    if plan is None or not split:
        plan, split = most_likely_path(ground, solution, competence), {}
    draws = _draws(state, ground, split)
    values = _values(ground, plan, draws)
    low, high = np.quantile(values, BAND).tolist()
    shown = {state.task.skill(skill).policy for skill in plan.skills} | set(split)
    return Forecast(
        now=solution.value,
        value=float(values.mean()) if split else solution.value,
        low=low,
        high=high,
        goal=plan.goal,
        plan=tuple(plan.skills),
        left=state.left,
        policies={
            name: _growth(state, name, split.get(name, 0), draws[:, u])
            for u, name in enumerate(ground.policy_names)
            if name in shown
        },
    )


def bands(state: State, curriculum: Curriculum) -> dict[str, tuple[float, float]]:
    """The ends of the 80 % band of every policy's present competence."""
    draws = _draws(state, curriculum.ground, {})
    low, high = np.quantile(draws, BAND, axis=0).tolist()
    return dict(zip(curriculum.ground.policy_names, zip(low, high, strict=True), strict=True))


def _best(situation: Situation) -> tuple[Plan | Path | None, Mapping[str, int]]:
    """The best plan or rule, and the split of the rest of the budget for it."""
    if all_plans(situation.ground) is None:
        rules = rule_prospects(situation)
        return (rules[0].path, rules[0].split) if rules else (None, {})
    ranked = prospects(situation)
    if not ranked:
        return None, {}
    return ranked[0].plan, {name: int(share) for name, share in ranked[0].split.items()}


def _draws(state: State, ground: GroundTask, split: Mapping[str, int]) -> FloatArray:
    """Competences after the split, drawn from what is believed, shape (draws, policies).

    First one of the belief's explanations is drawn, which all policies share. Then each policy is
    drawn around its mean under that explanation.
    """
    rng = np.random.default_rng(0)  # the same belief gives the same band
    mixture = state.belief.mixture(max(split.values(), default=0))
    shared = rng.choice(len(mixture.weights), DRAWS, p=mixture.weights / mixture.weights.sum())
    columns = []
    for name in ground.policy_names:
        policy = state.task.policies[name]
        if not policy.practisable:
            columns.append(np.full(DRAWS, policy.competence))
            continue
        attempts = split.get(name, 0)
        means = mixture.curves[name][:, attempts]
        spread = float(mixture.weights @ (means - mixture.weights @ means) ** 2)
        own = max(float(state.belief.band(name, attempts)[-1]) ** 2 - spread, 0.0)
        columns.append(_around(means[shared], own, rng))
    return np.stack(columns, axis=1)


def _around(means: FloatArray, variance: float, rng: np.random.Generator) -> FloatArray:
    """Draws from Beta distributions with these means and, as far as possible, this variance."""
    widest = means * (1 - means)
    wide = (variance > NARROW**2) & (widest > NARROW)
    size = np.maximum(np.where(wide, widest, 1.0) / max(variance, NARROW**2) - 1, SMALLEST)
    drawn = rng.beta(np.where(wide, means, 0.5) * size, np.where(wide, 1 - means, 0.5) * size)
    return np.where(wide, drawn, means)


def _values(ground: GroundTask, plan: Plan | Path, draws: FloatArray) -> FloatArray:
    """What the plan, or the decision rule behind a path, earns for each draw."""
    if isinstance(plan, Plan):
        names = ground.policy_names
        value = np.full(len(draws), plan.reward)
        for name in plan.uses:
            value = value * plan.factor(name, draws[:, names.index(name)])
        return value
    chain = rule_chain(ground, solve(ground, draws.mean(axis=0)))
    if not len(chain.start):
        return np.full(len(draws), chain.rest)
    parts = (draws[first : first + CHUNK] for first in range(0, len(draws), CHUNK))
    return np.concatenate([chain.at(part).value for part in parts])


def _growth(state: State, policy: str, attempts: int, draws: FloatArray) -> Growth:
    low, high = np.quantile(draws, BAND).tolist()
    practisable = state.task.policies[policy].practisable
    after = float(state.belief.curve(policy, attempts)[-1]) if practisable else float(draws[0])
    return Growth(state.competences[policy], after, low, high, attempts)
