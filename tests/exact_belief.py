"""A belief that knows the curves, so that strategies can be tested without chance."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from deliberate_practice.beliefs.belief import Batch, Belief
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice.curriculum import Curriculum
from deliberate_practice.strategies.strategy import ROUND, Decision, Past, Situation, Strategy
from deliberate_practice.task.model import Task


@dataclass(frozen=True)
class ExactBelief(Belief):
    """The stated curves, taken as the truth."""

    task: Task
    attempts: Mapping[str, int]

    @property
    def policies(self) -> Collection[str]:
        return self.task.policies

    def after(self, batch: Batch) -> Belief:
        done = self.attempts.get(batch.policy, 0) + (batch.attempts if batch.explore else 0)
        reached = batch.before if batch.training else done
        return replace(self, attempts={**self.attempts, batch.policy: reached})

    def curve(self, policy: str, attempts: int) -> FloatArray:
        b = self.attempts.get(policy, 0) + np.arange(attempts + 1.0)
        return self.task.policies[policy].predict(b)


def situation(
    task: Task,
    belief: Belief,
    budget: int,
    *,
    free: bool = True,
    past: Sequence[Past] = (),
    attempts: Mapping[str, int] | None = None,
    seed: int = 0,
) -> Situation:
    """What a session would show a strategy."""
    believed = {name: belief.competence(name) for name in task.policies}
    return Situation(
        ground=ground(task),
        belief=belief,
        budget=budget,
        attempts=attempts or {},
        routes=Curriculum(task, free=free).by_policy(believed),
        free=free,
        past=past,
        rng=np.random.default_rng(seed),
    )


def practise_surely(task: Task, strategy: Strategy, budget: int) -> dict[str, int]:
    """Spend a budget on a robot that improves exactly as stated; the attempts of each policy."""
    belief: Belief = ExactBelief(task, {})
    attempts = dict.fromkeys(task.policies, 0)
    past: list[Past] = []
    while budget > 0:
        now = situation(task, belief, budget, past=past, attempts=attempts, seed=len(past))
        decision: Decision | None = strategy(now)
        if decision is None:
            break
        assert decision.policy in now.routes
        assert decision.share >= 1
        past.append(Past(decision, attempts[decision.policy]))
        cost = task.policies[decision.policy].cost
        episodes = min(ROUND, decision.share, budget // cost)
        if episodes == 0:
            break
        budget -= episodes * cost
        belief = belief.after(Batch(decision.policy, attempts[decision.policy], episodes, 0))
        attempts[decision.policy] += episodes
    return attempts
