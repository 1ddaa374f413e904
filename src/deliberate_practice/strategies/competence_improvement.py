"""Competence improvement: the largest expected improvement of a skill, regardless of the task.

argmax_u f_u(k) - f_u(0), k one round ("Baselines" in the paper, CI). Ties: file order.
"""

from __future__ import annotations

from deliberate_practice.foundation.rounding import rounded
from deliberate_practice.strategies.strategy import ROUND, Decision, Situation


def competence_improvement(situation: Situation) -> Decision:
    """Choose the policy that is expected to improve most."""
    curves = {
        name: situation.belief.curve(name, situation.ahead(name)) for name in situation.routes
    }
    gains = {name: rounded(curve[-1] - curve[0], scale=1) for name, curve in curves.items()}
    best = max(gains, key=gains.__getitem__)
    return Decision(best, ROUND, why={"improvement": gains[best]})
