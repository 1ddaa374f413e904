"""The value of a fixed decision rule as a function of competences.

A rule makes a Markov chain of the MDP. With p the competence of the policy used in each state, S
and F the discounted transitions after success and failure, and w, l what these earn at once,

    v = r + P v,      P = diag(p) S + diag(1 - p) F,      r = g + p w + (1 - p) l.

If only the competence of policy u changes, by δ in each of the states X in which the rule uses it,
the value J = start · v changes by a low-rank update of (I - P):

    J(δ) = J + δ μ_X (I - δ K)^-1 a_X,      a = (S - F) v + w - l,      K = (S - F)_X (I - P)^-1_X,

with μ the expected uses of each state. So one inverse answers for all competences of all policies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.values import Solution

MOST_STATES = 250
"""The most states of a chain: the nearest to the start. Others keep the value they have."""

ENDLESS = 1e-9
"""Discount is at most 1 minus this, so that retries that never succeed are worth nothing."""


@dataclass(frozen=True, eq=False)
class RuleChain:
    """The states that a decision rule meets, n of them.

    Attributes:
        start: Probability of starting in each state, shape (n,).
        policy: Index of the policy used in each state, shape (n,).
        success, failure: Discounted transitions after success and after failure, shape (n, n).
        won, lost: What success and failure earn at once, shape (n,).
        gain: Reward for executing the skill, shape (n,).
        rest: What starts outside these states earn.
        actions: The action in each state, shape (n,); equal actions make equal chains.
    """

    start: FloatArray
    policy: IntArray
    success: FloatArray
    failure: FloatArray
    won: FloatArray
    lost: FloatArray
    gain: FloatArray
    rest: float
    actions: IntArray

    @cached_property
    def difference(self) -> FloatArray:
        """Discounted transitions after success minus those after failure, shape (n, n)."""
        return self.success - self.failure

    def at(self, competence: FloatArray) -> Response:
        """The rule for several vectors of competences, shape (C, policies)."""
        p = competence[:, self.policy]
        onward = p[:, :, None] * self.success + (1 - p)[:, :, None] * self.failure
        system = np.eye(len(self.start)) - onward
        inverse = np.linalg.inv(system).astype(np.float64, copy=False)
        earned = self.gain + p * self.won + (1 - p) * self.lost
        return Response(self, competence, inverse, np.einsum("cij,cj->ci", inverse, earned))


@dataclass(frozen=True, eq=False)
class Response:
    """How the value of a rule responds to competences, for C vectors of them.

    Attributes:
        chain: The rule.
        competence: The competences, shape (C, policies).
        inverse: (I - P)^-1, shape (C, n, n).
        values: Value of each state, shape (C, n).
    """

    chain: RuleChain
    competence: FloatArray
    inverse: FloatArray
    values: FloatArray

    @cached_property
    def value(self) -> FloatArray:
        """Value of the rule for each vector, shape (C,)."""
        return self.chain.rest + self.values @ self.chain.start

    @cached_property
    def used(self) -> list[int]:
        """Indices of the policies that the rule uses."""
        return [int(u) for u in np.unique(self.chain.policy)]

    def changed(self, policy: int, competence: FloatArray) -> FloatArray:
        """Value of the rule if one policy has other competences, shape (C, T) like these."""
        chain = self.chain
        places = np.flatnonzero(chain.policy == policy)
        change = competence - self.competence[:, [policy]]
        if not len(places):
            return np.broadcast_to(self.value[:, None], competence.shape)
        difference = chain.difference[places]
        advantage = self.values @ difference.T + (chain.won - chain.lost)[places]
        columns = self.inverse[:, :, places]
        uses = np.einsum("i,cix->cx", chain.start, columns)
        if len(places) == 1:
            factor = (columns[:, :, 0] @ difference[0])[:, None]
            gained = uses * advantage * change / (1 - change * factor)
        else:
            factors = np.einsum("xi,ciy->cxy", difference, columns)
            matrix = np.eye(len(places)) - change[:, :, None, None] * factors[:, None]
            right = np.broadcast_to(advantage[:, None, :, None], (*change.shape, len(places), 1))
            gained = change * np.einsum("cx,ctx->ct", uses, np.linalg.solve(matrix, right)[..., 0])
        return np.asarray(self.value[:, None] + gained)


def rule_chain(ground: GroundTask, solution: Solution) -> RuleChain:
    """The chain of an optimal decision rule, from the start."""
    rule = solution.actions
    gamma = min(ground.task.discount, 1 - ENDLESS)
    taken = rule[ground.action_state[ground.outcome_action]] == ground.outcome_action
    taken &= ground.outcome_weight > 0
    source = ground.action_state[ground.outcome_action[taken]]
    target = ground.outcome_target[taken]
    weight, success = gamma * ground.outcome_weight[taken], ground.outcome_success[taken]
    states = _reached(ground, rule, source, target)
    place = np.full(len(rule), -1)
    place[states] = np.arange(len(states))
    met = place[source] >= 0
    source, target, weight, success = source[met], target[met], weight[met], success[met]
    # Goals earn their reward, and states that were left out what they are worth now.
    worth = np.where(rule >= 0, solution.values, ground.reward)
    inside, size = place[target] >= 0, len(states)

    def onward(kind: FloatArray) -> FloatArray:
        cells = place[source] * size + place[target]
        amounts = np.bincount(cells[inside], (weight * kind)[inside], minlength=size * size)
        return amounts.astype(np.float64).reshape(size, size)

    def outward(kind: FloatArray) -> FloatArray:
        amounts = weight * kind * worth[target]
        return np.bincount(place[source][~inside], amounts[~inside], minlength=size).astype(float)

    outside = np.flatnonzero((ground.start > 0) & (place < 0))
    succeeds, fails = success.astype(np.float64), (~success).astype(np.float64)
    return RuleChain(
        start=ground.start[states],
        policy=ground.action_policy[rule[states]],
        success=onward(succeeds),
        failure=onward(fails),
        won=outward(succeeds),
        lost=outward(fails),
        gain=ground.step_reward[rule[states]],
        rest=float(ground.start[outside] @ worth[outside]),
        actions=rule[states],
    )


def _reached(ground: GroundTask, rule: IntArray, source: IntArray, target: IntArray) -> IntArray:
    """The acting states that the rule meets, ascending; if there are too many, the nearest."""
    acts = rule >= 0
    seen = acts & (ground.start > 0)
    while np.count_nonzero(seen) < MOST_STATES:
        more = seen.copy()
        more[target[seen[source]]] = True
        more &= acts
        if np.array_equal(more, seen):
            break
        seen = more
    return np.flatnonzero(seen)[:MOST_STATES]
