"""The expected reward of a decision rule where skills lose successes right after others."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deliberate_practice.beliefs.gaps import Losses
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.mdp.ground_task import GroundTask

SWEEPS = 100_000
"""The most sweeps; what a rule earns later than that does not count."""
SETTLED = 1e-12
"""Values that change by less than this part are final."""


def composed_reward(
    ground: GroundTask, rule: IntArray, true: Mapping[str, float], losses: Losses
) -> float:
    """Expected discounted reward of a fixed decision rule, with composition gaps.

    The chain of the rule is over states with the policy whose success came last before them. Its
    values rise from 0, so a rule that goes round for ever earns nothing by that.

    Args:
        ground: The abstract MDP.
        rule: Action of each state, -1 for stopping, shape (N,).
        true: Competence of each policy.
        losses: The gap of each pair.
    """
    names, gamma = ground.policy_names, ground.task.discount
    starts = np.flatnonzero(ground.start).tolist()
    nodes: dict[tuple[int, str | None], int] = {(state, None): i for i, state in enumerate(starts)}
    waiting = list(nodes)
    rows, columns, chances = [], [], []
    earned: dict[int, float] = {}
    while waiting:
        state, before = node = waiting.pop()
        action = int(rule[state])
        earned[nodes[node]] = float(ground.reward[state]) if action < 0 else 0.0
        if action < 0:
            continue
        policy = names[int(ground.action_policy[action])]
        f = true[policy] * losses.kept(before, policy)
        earned[nodes[node]] = float(ground.step_reward[action])
        first, last = np.searchsorted(ground.outcome_action, [action, action + 1])
        for k in range(int(first), int(last)):
            success = bool(ground.outcome_success[k])
            to = int(ground.outcome_target[k]), policy if success else before
            if to not in nodes:
                nodes[to] = len(nodes)
                waiting.append(to)
            rows.append(nodes[node])
            columns.append(nodes[to])
            chances.append(gamma * float(ground.outcome_weight[k]) * (f if success else 1 - f))
    at_once = np.array([earned[i] for i in range(len(nodes))])
    source, target, chance = np.array(rows, int), np.array(columns, int), np.array(chances)
    values: FloatArray = np.zeros(len(nodes))
    for _ in range(SWEEPS):
        then = np.bincount(source, chance * values[target], minlength=len(nodes))
        new: FloatArray = at_once + then.astype(np.float64)
        done = np.abs(new - values).max() <= SETTLED * max(1.0, float(np.abs(new).max()))
        values = new
        if done:
            break
    return float(ground.start[starts] @ values[: len(starts)])
