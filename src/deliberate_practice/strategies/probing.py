"""When to spend an episode on a probe: an execution of the whole plan as it is deployed.

Skills that work alone may fail right after each other, so the plan that is practised is executed
now and then from its start to its end. This takes place in the second half of the budget, when the
plan is settled and its skills mostly work, and takes up to a tenth of the whole budget, spread
evenly. A plan that would hardly ever come to its end is not probed: its first skills fail anyway.
"""

from __future__ import annotations

import numpy as np

from deliberate_practice.allocation.plan import Plan
from deliberate_practice.allocation.result import Prospect
from deliberate_practice.beliefs.gaps import Losses
from deliberate_practice.strategies.composition import composed_value, pairs_of
from deliberate_practice.strategies.expectation import competences
from deliberate_practice.strategies.strategy import Decision, Situation, probe_price

BEGIN = 0.5
"""The part of the budget that is spent before the first probe."""
SHARE = 0.1
"""The largest part of the budget that is spent on probes."""
LEAST_SUCCESS = 0.1
"""A plan is probed if it is believed to succeed at least so often."""
DRAWS = 200
"""Draws of the gaps for the band in the reasons."""
BAND = (0.1, 0.9)
"""The ends of that band."""


def due_probe(situation: Situation, chosen: Prospect, *, idle: bool = False) -> Decision | None:
    """A probe of the chosen plan, if one is due.

    Args:
        situation: The situation.
        chosen: The plan that is practised.
        idle: Whether nothing is left to practise, so that probes need not wait for their turn.
    """
    plan = chosen.plan
    if not isinstance(plan, Plan) or len(plan.skills) < 2:
        return None
    if any(skill in situation.blocked for skill in plan.skills):
        return None
    if not _in_turn(situation, probe_price(situation.ground.task, plan.skills), idle):
        return None
    if _success(situation, plan, situation.gaps.losses) < LEAST_SUCCESS:
        return None
    alone = _success(situation, plan, Losses())
    why: dict[str, object] = {"goal": plan.goal, "plan": list(plan.skills), "alone": alone}
    if situation.gaps.active:
        why["together"] = [min(1.0, alone * end) for end in _band(situation, plan)]
    last = situation.ground.task.skill(plan.skills[-1]).policy
    return Decision(last, 1, plan.skills, why=why, probe=True)


def _in_turn(situation: Situation, price: int, idle: bool) -> bool:
    """Whether a probe can be paid for, and fits into the share of probes by now."""
    if price > situation.spare:
        return False
    whole = situation.spent + situation.spare
    part = (situation.spent + price - BEGIN * whole) / ((1 - BEGIN) * whole)
    share = SHARE * whole * (1.0 if idle else part)
    return situation.probed + price <= share


def _success(situation: Situation, plan: Plan, losses: Losses) -> float:
    """The probability that a plan succeeds now."""
    now = {name: np.asarray(p) for name, p in competences(situation).items()}
    best = plan.reward * plan.discount ** len(plan.skills)
    value = float(composed_value(situation.ground, plan, now, losses.kept))
    return value / best if best else 0.0


def _band(situation: Situation, plan: Plan) -> list[float]:
    """The ends of the 80 % band of the part that the plan keeps of its success."""
    pairs = pairs_of(situation.ground, plan)
    different = list(dict.fromkeys(pairs))
    ranks = np.random.default_rng(2).random((1 + len(different), DRAWS))
    drawn = situation.gaps.draw(different, ranks)
    kept = np.prod([drawn[pair] for pair in pairs], axis=0)
    return [float(end) for end in np.quantile(kept, BAND)]
