"""How many evaluations of a new version are worth their price.

With V(belief, B) the value of the best plan on what is believed and a budget of B, a round of price
r, and n evaluations of price c each, of which s succeed:

    n* = argmax_n  E_s[V(belief after the training run and s of n successes, B - r - n c)]

An evaluation is worth something if its outcome may change the plan or the split. s is Beta-binomial
with the mean and the deviation that the belief states for the new version. The look ahead ends with
these evaluations, as if none came later.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deliberate_practice.allocation.plans import all_plans
from deliberate_practice.beliefs.belief import Batch, Belief
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.mdp.values import solve
from deliberate_practice.strategies.expectation import competences, prospects
from deliberate_practice.strategies.rules import rule_prospects
from deliberate_practice.strategies.strategy import Situation

WORTH = 1e-3
"""Smaller gains, as parts of the value, are no reason for a further evaluation: splits are found
in steps, and this is as far as their values can be trusted."""

NARROW = 1e-4
"""Smaller deviations count as this one."""

SURE = 1e-6
"""Means are kept so far from 0 and 1."""


def worthwhile_evaluations(situation: Situation, policy: str) -> int | None:
    """How many evaluations after the next round of a policy raise the expected value most.

    Returns:
        The number; None if the policy is not trained elsewhere.
    """
    rounds = situation.ground.task.policies[policy].rounds
    if rounds is None:
        return None
    b = situation.attempts.get(policy, 0) + situation.stride(policy)
    left = situation.budget - situation.price(policy)
    later = replace(situation, present=policy, attempts={**situation.attempts, policy: b})
    belief = situation.belief.after(Batch(policy, b, 0, 0, explore=False, training=True))
    best, value = 0, _value(later, belief, left)
    for n in range(1, rounds.evaluations + 1):
        rest = left - n * rounds.evaluation_cost
        if rest < 0:
            break
        seen = [Batch(policy, b, n, s, explore=False, test=True) for s in range(n + 1)]
        values = [_value(later, belief.after(batch), rest) for batch in seen]
        expected = float(predictive(belief, policy, n) @ values)
        if expected > value * (1 + WORTH):
            best, value = n, expected
    return best


def predictive(belief: Belief, policy: str, n: int) -> FloatArray:
    """Probability of 0, 1, ..., n successes of the deployed policy, shape (n + 1,)."""
    mean, deviation = float(belief.curve(policy, 0)[0]), float(belief.band(policy, 0)[0])
    mean = float(np.clip(mean, SURE, 1 - SURE))
    size = max(SURE, mean * (1 - mean) / max(deviation, NARROW) ** 2 - 1)  # of both shapes
    a, b, s = size * mean, size * (1 - mean), np.arange(n)
    none = np.prod((b + s) / (a + b + s))
    ratios = (n - s) / (s + 1) * (a + s) / (b + n - s - 1)  # of neighbouring probabilities
    return np.asarray(none * np.concatenate([np.ones(1), np.cumprod(ratios)]))


def _value(situation: Situation, belief: Belief, budget: int) -> float:
    """The value of the best plan or decision rule on what is believed."""
    then = replace(situation, belief=belief, budget=budget)
    ground = situation.ground
    if all_plans(ground) is not None:
        return max((prospect.value for prospect in prospects(then)), default=0.0)
    if budget >= min(then.price(name) for name in then.reachable):
        return max((rule.value for rule in rule_prospects(then)), default=0.0)
    now = competences(then)
    return solve(ground, np.array([now[name] for name in ground.policy_names])).value
