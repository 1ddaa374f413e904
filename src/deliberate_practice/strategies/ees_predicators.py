"""Estimate, extrapolate, situate as in Practice Makes Perfect (Kumar et al., 2024).

Each skill has an optimistic Beta model of its competence over a sliding window of attempts, which
is extrapolated one round ahead along its recent trend. A plan costs Σ -log competence. The strategy
practises the skill whose extrapolated competence lowers the cost of the cheapest plan most, plus an
upper confidence bonus for skills with few attempts. Ties are broken at random.
"""

from __future__ import annotations

import math

from deliberate_practice.allocation.plans import task_value
from deliberate_practice.allocation.tolerances import ROUNDING
from deliberate_practice.foundation.options import limited
from deliberate_practice.strategies.expectation import competences
from deliberate_practice.strategies.strategy import ROUND, Decision, Situation

PRIOR = (10.0, 1.0)
"""Pseudo-successes and pseudo-failures: optimistic."""
LEAST = 1e-6
"""The smallest value of which a logarithm is taken; smaller ones are raised to it."""


@limited(window=(1, 1_000_000), bonus=(0.0, 1e100))
def ees_predicators(situation: Situation, *, window: int = 18, bonus: float = 0.1) -> Decision:
    """Choose the policy with the largest sum of extrapolated gain and bonus.

    Args:
        situation: The situation.
        window: Recent attempts from which competence is estimated.
        bonus: Weight of the confidence bonus.
    """
    names = list(situation.routes)
    estimates = {name: _window_mean(situation, name, window) for name in names}
    now = competences(situation) | estimates
    value = max(task_value(situation.ground, now), LEAST)
    total = sum(situation.attempts.get(name, 0) for name in names)
    scores = {}
    for name in names:
        ahead = min(1.0, estimates[name] + max(0.0, _trend(situation, name, window)))
        improved = max(task_value(situation.ground, {**now, name: ahead}), LEAST)
        rare = math.sqrt(math.log(total + 1) / (situation.attempts.get(name, 0) + 1))
        scores[name] = math.log(improved) - math.log(value) + bonus * rare
    top = max(scores.values())
    tied = [name for name in names if scores[name] >= top - ROUNDING]
    best = tied[int(situation.rng.integers(len(tied)))]
    return Decision(best, ROUND, why={"score": scores[best]})


def _window_mean(situation: Situation, name: str, window: int) -> float:
    recent = list(situation.outcomes.get(name, ()))[-window:]
    return (PRIOR[0] + sum(recent)) / (sum(PRIOR) + len(recent))


def _trend(situation: Situation, name: str, window: int) -> float:
    """Rise of the success rate from one window to the next; optimistic until there are two."""
    seen = list(situation.outcomes.get(name, ()))
    recent, before = seen[-window:], seen[-2 * window : -window]
    if not recent or not before:
        return 1.0 - _window_mean(situation, name, window)
    return sum(recent) / len(recent) - sum(before) / len(before)
