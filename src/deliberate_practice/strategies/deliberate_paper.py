"""The published rule: allocate, then master the skills of the plan in order.

The first reachable policy of the plan that is not mastered is practised until its share is spent or
it is mastered; then the remaining budget is allocated anew. Mastered means a believed competence of
at least ``MASTERED``. The paper states neither the threshold nor what to do with budget that the
allocation leaves: here the least competent policy of the plan gets it.
"""

from __future__ import annotations

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.product_form import product_form
from deliberate_practice.strategies.plan_book import mean_curves
from deliberate_practice.strategies.strategy import Decision, Situation

MASTERED = 0.95


def deliberate_paper(situation: Situation) -> Decision | None:
    """Go on with the policy of the last decision, or allocate and take the plan's next one."""
    going_on = _unfinished(situation)
    if going_on is not None:
        return going_on
    task = situation.ground.task
    curves = mean_curves(situation)
    solver = "local" if isinstance(product_form(situation.ground), str) else "plans"
    found = allocate(situation.ground, situation.budget, solver=solver, curves=curves)
    order = list(dict.fromkeys(task.skill(name).policy for name in found.plan))
    reachable = [u for u in order if u in situation.routes]
    if not reachable:
        return None
    why = {
        "goal": found.goal,
        "plan": list(found.plan),
        "shares": dict(found.allocation),
        "value": found.value,
    }
    for name in reachable:
        share = int(found.allocation.get(name, 0))
        if share and situation.belief.competence(name) < MASTERED:
            return Decision(name, share, found.plan, why=why)
    weakest = min(reachable, key=situation.belief.competence)
    return Decision(weakest, 1, found.plan, why=why)


def _unfinished(situation: Situation) -> Decision | None:
    """What is left of the share that the policy practised last was given."""
    share, begun, name = 0, 0, None
    for past in situation.past:
        if not past.decision.continues:
            name, share, begun = past.decision.policy, past.decision.share, past.attempts_before
    if name is None or name not in situation.routes:
        return None
    left = share - (situation.attempts.get(name, 0) - begun)
    if left <= 0 or situation.belief.competence(name) >= MASTERED:
        return None
    return Decision(name, left, continues=True)
