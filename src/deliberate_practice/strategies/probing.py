"""When to spend an episode on a probe: an execution of the whole plan as it is deployed."""
from __future__ import annotations

import os

import numpy as np

from deliberate_practice.allocation.plan import Plan
from deliberate_practice.allocation.result import Prospect
from deliberate_practice.strategies.composition import composed_value, pairs_of
from deliberate_practice.strategies.expectation import competences, prospects
from deliberate_practice.strategies.strategy import Situation
from dataclasses import replace

SHARE = float(os.environ.get("P_SHARE", "0.1"))
LEVEL = float(os.environ.get("P_LEVEL", "0.3"))
PRICE = float(os.environ.get("P_PRICE", "1"))
FROM = float(os.environ.get("P_FROM", "0"))


def due_probe(situation: Situation, ranked, chosen: Prospect) -> Plan | None:
    total = situation.spent + situation.budget
    if situation.spent < FROM * total: return None
    plan = chosen.plan
    if not isinstance(plan, Plan) or len(plan.skills) < 2:
        return None
    if any(skill in situation.blocked for skill in plan.skills):
        return None
    base = FROM * total
    if situation.probes + 1 > SHARE * total * (situation.spent + 1 - base) / (total - base):
        return None
    now = competences(situation)
    worth = composed_value(situation.ground, plan, {n: np.asarray(v) for n, v in now.items()}, situation.gaps.losses.kept)
    if worth < LEVEL * plan.reward:
        return None
    if PRICE < 1:
        less = prospects(replace(situation, budget=situation.budget - 1)) if situation.budget > 1 else []
        v = max((p.value for p in less), default=0)
        if v < (1 - PRICE) * ranked[0].value:
            return None
    return plan
