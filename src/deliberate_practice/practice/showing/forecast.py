"""The forecast of a session: what the robot will be worth when the budget is spent.

The rest of the budget is split as the strategy ``deliberate`` would split it, for each plan that it
considers. The competence of each policy after its share has a mean and a deviation, which the
belief states. It is drawn many times from Beta distributions with these moments. In each draw the
robot earns as much as the best of the plans: one that disappoints is left for another. The band
holds 80 % of these rewards. It counts neither luck in single executions nor mistakes of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import betaincinv

from deliberate_practice.allocation.plan import Plan
from deliberate_practice.allocation.plans import all_plans
from deliberate_practice.allocation.result import Prospect
from deliberate_practice.allocation.rules.chain import rule_chain
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.rule import Path, most_likely_path
from deliberate_practice.mdp.values import solve
from deliberate_practice.practice.curriculum import Curriculum
from deliberate_practice.practice.deciding import situation_of
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.showing.losses import Loss, losses_seen
from deliberate_practice.strategies.composition import best_composed, composed_value, pairs_of
from deliberate_practice.strategies.deliberate import rivals
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
        gaps: The composition gap of each pair of skills that was seen, once a plan was probed.
    """

    now: float
    value: float
    low: float
    high: float
    goal: str | None
    plan: tuple[str, ...]
    left: int
    policies: Mapping[str, Growth]
    gaps: tuple[Loss, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """The forecast as plain data, as ``--format json`` prints it."""
        lists = {"plan": list(self.plan), "gaps": [asdict(loss) for loss in self.gaps]}
        return asdict(self) | lists

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> Forecast:
        """The forecast that :meth:`as_data` described."""
        policies = {name: Growth(**growth) for name, growth in data["policies"].items()}
        gaps = tuple(Loss(**loss) for loss in data.get("gaps", ()))
        plan = tuple(data["plan"])
        return Forecast(**{**data, "plan": plan, "policies": policies, "gaps": gaps})


def forecast(state: State, curriculum: Curriculum) -> Forecast:
    """Look ahead to the end of the budget."""
    ground = curriculum.ground
    present, now = _present(state, ground)
    situation = situation_of(state, curriculum, later=True)
    ways = [*(_ways(situation) if situation else ()), present]
    best = ways[0] if ways[0].split else present
    draw, kept = _draws(state, ground, ways), _drawn_gaps(state, ground, ways)
    values = np.max([_values(ground, way.plan, draw(way.split), kept) for way in ways], axis=0)
    low, high = np.quantile(values, BAND).tolist()
    shown = {state.task.skill(skill).policy for skill in best.plan.skills} | set(best.split)
    practised = any(way.split for way in ways)
    after = draw(best.split)
    return Forecast(
        now=now,
        value=float(values.mean()) if practised else now,
        low=low,
        high=high,
        goal=best.plan.goal,
        plan=tuple(best.plan.skills),
        left=state.left,
        policies={
            name: _growth(state, name, best.split.get(name, 0), after[:, u])
            for u, name in enumerate(ground.policy_names)
            if name in shown
        },
        gaps=tuple(losses_seen(state)),
    )


def bands(state: State, curriculum: Curriculum) -> dict[str, tuple[float, float]]:
    """The ends of the 80 % band of every policy's present competence."""
    draws = _draws(state, curriculum.ground, [])({})
    low, high = np.quantile(draws, BAND, axis=0).tolist()
    return dict(zip(curriculum.ground.policy_names, zip(low, high, strict=True), strict=True))


@dataclass(frozen=True)
class Way:
    """A plan that the robot may execute at the end, and the practice that it gets until then."""

    plan: Plan | Path
    split: Mapping[str, int]


def _present(state: State, ground: GroundTask) -> tuple[Way, float]:
    """The plan that the robot would execute now, and what it is worth."""
    competence = np.array([state.competences[name] for name in ground.policy_names])
    best = best_composed(ground, competence, state.losses) if state.losses else None
    if best:
        return Way(best[0], {}), best[1]
    solution = solve(ground, competence)
    return Way(most_likely_path(ground, solution, competence), {}), solution.value


def _ways(situation: Situation) -> list[Way]:
    """The plans or rules that the strategy considers, best first."""
    ranked: Sequence[Prospect]
    if all_plans(situation.ground) is None:
        ranked = [Prospect(one.path, one.split, one.value) for one in rule_prospects(situation)]
    else:
        ranked = prospects(situation)
    improvable = [prospect for prospect in ranked if prospect.split][:1]
    found = dict.fromkeys(id(prospect) for prospect in (*rivals(ranked), *improvable))
    chosen = [prospect for prospect in ranked if id(prospect) in found]
    return [
        Way(prospect.plan, {name: int(share) for name, share in prospect.split.items()})
        for prospect in chosen
    ]


def _draws(
    state: State, ground: GroundTask, ways: Sequence[Way]
) -> Callable[[Mapping[str, int]], FloatArray]:
    """Draws competences after a split from what is believed, shape (draws, policies).

    First one of the belief's explanations is drawn, which all policies share. Then each policy is
    drawn around its mean under that explanation: it is as far above or below as after any other
    split.
    """
    rng = np.random.default_rng(0)  # the same belief gives the same band
    longest = max((share for way in ways for share in way.split.values()), default=0)
    mixture = state.belief.mixture(longest)
    shared = rng.choice(len(mixture.weights), DRAWS, p=mixture.weights / mixture.weights.sum())
    ranks = rng.random((len(ground.policy_names), DRAWS))
    known: dict[tuple[str, int], FloatArray] = {}

    def drawn(u: int, name: str, attempts: int) -> FloatArray:
        policy = state.task.policies[name]
        if not policy.practisable:
            return np.full(DRAWS, policy.competence)
        means = mixture.curves[name][:, attempts]
        spread = float(mixture.weights @ (means - mixture.weights @ means) ** 2)
        own = max(float(state.belief.band(name, attempts)[-1]) ** 2 - spread, 0.0)
        return _around(means, own, shared, ranks[u])

    def draw(split: Mapping[str, int]) -> FloatArray:
        columns = []
        for u, name in enumerate(ground.policy_names):
            key = name, split.get(name, 0)
            if key not in known:
                known[key] = drawn(u, *key)
            columns.append(known[key])
        return np.stack(columns, axis=1)

    return draw


def _around(
    means: FloatArray, variance: float, explained: IntArray, ranks: FloatArray
) -> FloatArray:
    """Quantiles of Beta distributions with these means and, as far as possible, this variance.

    Args:
        means: Mean under each explanation.
        variance: Variance around each of them.
        explained: Number of the explanation, for each draw.
        ranks: Quantiles from 0 to 1.
    """
    widest = means * (1 - means)
    wide = (variance > NARROW**2) & (widest > NARROW)
    size = np.maximum(np.where(wide, widest, 1.0) / max(variance, NARROW**2) - 1, SMALLEST)
    middle = np.where(wide, means, 0.5)
    first, second = (middle * size)[explained], ((1 - middle) * size)[explained]
    return np.where(wide[explained], betaincinv(first, second, ranks), means[explained])


def _drawn_gaps(
    state: State, ground: GroundTask, ways: Sequence[Way]
) -> Callable[[str | None, str], FloatArray | float] | None:
    """Draws 1 - g of the pairs of all plans from what is believed; None before any probe."""
    if not state.losses:
        return None
    plans = [way.plan for way in ways if isinstance(way.plan, Plan)]
    pairs = list(dict.fromkeys(pair for plan in plans for pair in pairs_of(ground, plan)))
    ranks = np.random.default_rng(1).random((1 + len(pairs), DRAWS))
    drawn = state.gaps.draw(pairs, ranks)

    def kept(before: str | None, policy: str) -> FloatArray | float:
        return 1.0 if before is None else drawn[before, policy]

    return kept


def _values(
    ground: GroundTask,
    plan: Plan | Path,
    draws: FloatArray,
    kept: Callable[[str | None, str], FloatArray | float] | None,
) -> FloatArray:
    """What the plan, or the decision rule behind a path, earns for each draw."""
    if isinstance(plan, Plan):
        names = ground.policy_names
        if kept:
            columns = {name: draws[:, names.index(name)] for name in plan.uses}
            return composed_value(ground, plan, columns, kept)
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
