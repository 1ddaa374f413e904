"""Least competent first: argmin_u p_u ("Baselines" in the paper, LCF). Ties: file order."""

from __future__ import annotations

from deliberate_practice.foundation.rounding import rounded
from deliberate_practice.strategies.strategy import ROUND, Decision, Situation


def least_competent(situation: Situation) -> Decision:
    """Choose the policy with the lowest believed competence."""
    competence = {name: rounded(situation.belief.competence(name)) for name in situation.routes}
    weakest = min(competence, key=competence.__getitem__)
    return Decision(weakest, ROUND, why={"competence": competence[weakest]})
