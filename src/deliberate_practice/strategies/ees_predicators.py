"""Estimate, extrapolate, situate as in Practice Makes Perfect (Kumar et al., 2024).

Each skill has an optimistic Beta model of its competence over a sliding window of attempts, which
is extrapolated one round ahead along its recent trend. A plan costs Σ -log competence; the
skill is practised whose extrapolated competence lowers the cost of the cheapest plan most, plus an
upper confidence bonus for skills with few attempts. Ties are broken at random.
"""

from __future__ import annotations

import math

from deliberate_practice.strategies.plan_book import believed, task_value
from deliberate_practice.strategies.strategy import ROUND, Decision, Situation

PRIOR = (10.0, 1.0)  # pseudo-successes and pseudo-failures: optimistic
WINDOW = 18
BONUS = 0.1
LEAST = 1e-6


def ees_predicators(situation: Situation) -> Decision | None:
    """The policy with the largest extrapolated gain and bonus."""
    names = list(situation.routes)
    if not names:
        return None
    now = believed(situation.ground, situation.belief)
    estimates = {name: _window_mean(situation, name) for name in names}
    now |= estimates
    value = max(task_value(situation.ground, now), LEAST)
    total = sum(situation.attempts.get(name, 0) for name in names)
    scores = {}
    for name in names:
        ahead = min(1.0, estimates[name] + max(0.0, _trend(situation, name)))
        improved = max(task_value(situation.ground, {**now, name: ahead}), LEAST)
        bonus = math.sqrt(math.log(total + 1) / (situation.attempts.get(name, 0) + 1))
        scores[name] = math.log(improved) - math.log(value) + BONUS * bonus
    top = max(scores.values())
    tied = [name for name in names if scores[name] >= top - 1e-12]
    best = tied[int(situation.rng.integers(len(tied)))]
    return Decision(best, ROUND, why={"score": scores[best]})


def _window_mean(situation: Situation, name: str) -> float:
    recent = list(situation.outcomes.get(name, ()))[-WINDOW:]
    successes, failures = PRIOR[0] + sum(recent), PRIOR[1] + len(recent) - sum(recent)
    return successes / (successes + failures)


def _trend(situation: Situation, name: str) -> float:
    """How much the success rate rose from one window to the next; hope while there is none."""
    seen = list(situation.outcomes.get(name, ()))
    recent, before = seen[-WINDOW:], seen[-2 * WINDOW : -WINDOW]
    if not recent or not before:
        return 1.0 - _window_mean(situation, name)
    return sum(recent) / len(recent) - sum(before) / len(before)
