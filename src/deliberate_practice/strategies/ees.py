"""Estimate, extrapolate, situate: the largest gain in task value one generation ahead.

argmax_u J(p with f_u(k)) - J(p), k one generation (``ees``) or one episode (``ees-episode``). Ties,
which are common because most policies alone change nothing, go to the policy practised last, then
to file order.
"""

from __future__ import annotations

from deliberate_practice.strategies.plan_book import believed, task_value
from deliberate_practice.strategies.strategy import GENERATION, Decision, Situation


def ees(situation: Situation, ahead: int = GENERATION) -> Decision | None:
    """The policy whose practice raises the task's value most."""
    now = believed(situation.ground, situation.belief)
    value = task_value(situation.ground, now)
    last = situation.past[-1].decision.policy if situation.past else None
    gains = {}
    for name in situation.approaches:
        improved = float(situation.belief.curve(name, ahead)[-1])
        gains[name] = task_value(situation.ground, {**now, name: improved}) - value
    if not gains:
        return None
    best = max(gains, key=lambda name: (gains[name], name == last))
    return Decision(best, ahead, {"gain": gains[best], "value": value})


def ees_episode(situation: Situation) -> Decision | None:
    """The same, one episode ahead."""
    return ees(situation, ahead=1)
