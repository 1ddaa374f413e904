"""Competence improvement: the largest expected improvement of a skill, regardless of the task.

argmax_u f_u(k) - f_u(0), k one round ("Baselines" in the paper, CI). Ties: file order.
"""

from __future__ import annotations

from deliberate_practice.strategies.strategy import ROUND, Decision, Situation


def competence_improvement(situation: Situation) -> Decision | None:
    """The policy that is expected to improve most."""
    gains = {}
    for name in situation.routes:
        curve = situation.belief.curve(name, ROUND)
        gains[name] = float(curve[-1] - curve[0])
    if not gains:
        return None
    best = max(gains, key=gains.__getitem__)
    return Decision(best, ROUND, why={"improvement": gains[best]})
