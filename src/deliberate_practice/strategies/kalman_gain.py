"""Need and progress by a Kalman filter, after Data-Efficient Multitask DAgger (arXiv 2509.25466).

Every policy has a scalar Kalman filter of its success rate. Its *need* is one minus the estimate,
its *progress* the smoothed improvement of the estimate per round. Both are replaced by their ranks
among all policies, and the policy with the largest weighted sum of ranks gets the next round. Plans
and rewards play no part: the method serves a policy for many tasks that are all worth the same.

The choices that are ours: the estimate begins at the stated competence with variance 0.04. A round
(a training run, or a batch of attempts) adds the variance ``drift``^2. s successes in n executions
measure the rate s / n with variance r (1 - r) / n, r = (s + 1) / (n + 2). Progress is smoothed with
weight ``smoothing`` on the latest round. A policy without any round has more progress than all
others, so each is tried once. Equal values have the mean of their ranks. Ties: file order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from deliberate_practice.beliefs.belief import Batch
from deliberate_practice.foundation.options import limited
from deliberate_practice.strategies.strategy import ROUND, Decision, Situation

VARIANCE = 0.04
"""Of the stated competence."""


@limited(need=(0.0, 1.0), drift=(0.0, 1.0), smoothing=(0.0, 1.0))
def kalman_gain(
    situation: Situation, *, need: float = 0.5, drift: float = 0.1, smoothing: float = 0.5
) -> Decision:
    """Choose the policy with the largest weighted rank of need and progress.

    Args:
        situation: The situation.
        need: Weight of the need; the rest is that of the progress.
        drift: Standard deviation of the change in success rate in a round.
        smoothing: Weight of the latest round in the progress.
    """
    names = list(situation.routes)
    policies = situation.ground.task.policies
    tracks = [
        filtered(policies[name].competence, situation.batches.get(name, ()), drift, smoothing)
        for name in names
    ]
    needs = [1.0 - estimate for estimate, _ in tracks]
    gains = [progress for _, progress in tracks]
    scores = [
        need * first + (1 - need) * second
        for first, second in zip(_ranks(needs), _ranks(gains), strict=True)
    ]
    best = max(range(len(names)), key=scores.__getitem__)
    progress = None if math.isinf(gains[best]) else gains[best]
    why = {"need": needs[best], "progress": progress, "score": scores[best]}
    return Decision(names[best], ROUND, why=why)


def filtered(
    stated: float, batches: Sequence[Batch], drift: float, smoothing: float
) -> tuple[float, float]:
    """The estimated success rate, and the smoothed improvement of it per round.

    Args:
        stated: The stated competence.
        batches: What was seen of the policy, oldest first.
        drift: Standard deviation of the change in a round.
        smoothing: Weight of the latest round.

    Returns:
        Both; the improvement is infinite if there was no round yet.
    """
    estimate, variance, progress = stated, VARIANCE, math.inf
    for batch in batches:
        if batch.training or batch.explore:
            variance += drift**2
        if not batch.attempts:
            continue
        rate = (batch.successes + 1) / (batch.attempts + 2)
        gain = variance / (variance + rate * (1 - rate) / batch.attempts)
        before = estimate
        estimate += gain * (batch.successes / batch.attempts - estimate)
        variance *= 1 - gain
        if batch.test or batch.explore:
            latest = estimate - before
            known = latest if math.isinf(progress) else progress
            progress = smoothing * latest + (1 - smoothing) * known
    return estimate, progress


def _ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value in [0, 1], the largest 1; equal values share the mean of theirs."""
    last = max(len(values) - 1, 1)
    return [
        (sum(other < value for other in values) + (sum(other == value for other in values) - 1) / 2)
        / last
        for value in values
    ]
