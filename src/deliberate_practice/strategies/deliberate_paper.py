"""The published rule: allocate, then master the skills of the plan in order.

The rule has the three steps of the paper's section "Deliberate Practice". It predicts competence
(equation "competence_improvement_pwl", the belief's curves), allocates the budget (equation
"single_level"), and practises ("Skill Practice"): it practises the first reachable policy of the
plan that is not mastered until its share is spent or it is mastered, and then allocates the
remaining budget anew. The paper states neither when a policy is mastered nor how to use budget that
the allocation leaves over: here the least competent policy of the plan gets it. Nor does it mention
several robots: while others practise every policy of the plan, :func:`.deliberate` decides.
"""

from __future__ import annotations

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.choice import quick_solver
from deliberate_practice.allocation.product_form import product_form
from deliberate_practice.foundation.options import limited
from deliberate_practice.foundation.rounding import rounded
from deliberate_practice.strategies.deliberate import deliberate
from deliberate_practice.strategies.expectation import mean_curves
from deliberate_practice.strategies.strategy import Decision, Situation


@limited(mastered=(0.0, 1.0))
def deliberate_paper(situation: Situation, *, mastered: float = 0.95) -> Decision | None:
    """Continue with the policy of the last decision, or allocate and choose the plan's next one.

    Args:
        situation: The situation.
        mastered: Believed competence at which a policy counts as mastered.
    """
    going_on = _unfinished(situation, mastered)
    if going_on is not None:
        return going_on
    curves = mean_curves(situation)
    solver = quick_solver(product_form(situation.ground))
    best = allocate(situation.ground, situation.budget, solver=solver, curves=curves)
    order = list(dict.fromkeys(situation.ground.task.skill(name).policy for name in best.skills))
    reachable = [u for u in order if u in situation.routes]
    if not reachable:
        return deliberate(situation) if situation.busy else None
    why = {
        "goal": best.goal,
        "plan": list(best.plan),
        "shares": dict(best.allocation),
        "value": best.value,
    }
    for name in reachable:
        share = int(best.allocation.get(name, 0))
        if share and situation.belief.competence(name) < mastered:
            return Decision(name, share, best.plan, why=why)
    weakest = min(reachable, key=lambda u: rounded(situation.belief.competence(u)))
    return Decision(weakest, 1, best.plan, why=why)


def _unfinished(situation: Situation, mastered: float) -> Decision | None:
    """A decision for the rest of the share of the policy practised last."""
    begun = next((past for past in reversed(situation.past) if not past.decision.continues), None)
    if begun is None or begun.decision.policy not in situation.routes:
        return None
    name = begun.decision.policy
    left = begun.decision.share - (situation.attempts.get(name, 0) - begun.attempts_before)
    if left <= 0 or situation.belief.competence(name) >= mastered:
        return None
    return Decision(name, left, continues=True)
