"""Uniform practice: the policies of the best plan for the budget, in turn.

The plan is the one that ``deliberate`` would choose. Its policy with the fewest attempts is next.
Ties: file order.
"""

from __future__ import annotations

from deliberate_practice.strategies.expectation import prospects
from deliberate_practice.strategies.strategy import ROUND, Decision, Situation


def uniform(situation: Situation) -> Decision:
    """Choose the least practised policy of the best plan."""
    names = list(situation.routes)
    aim: tuple[str, ...] = ()
    why: dict[str, object] = {}
    ranked = prospects(situation)
    if ranked:
        plan = ranked[0].plan
        used = {situation.ground.task.skill(name).policy for name in plan.skills}
        names = [name for name in names if name in used] or names
        aim, why = plan.skills, {"goal": plan.goal, "plan": list(plan.skills)}
    return Decision(min(names, key=lambda u: situation.attempts.get(u, 0)), ROUND, aim, why=why)
