"""What a belief expects of the next batch: every number of successes, with its probability."""

from __future__ import annotations

import math

from deliberate_practice.beliefs.bayes import BayesBelief
from deliberate_practice.beliefs.belief import Batch


def forecasts(
    belief: BayesBelief, policy: str, before: int, attempts: int
) -> list[tuple[float, BayesBelief]]:
    """Probability of 0, 1, ..., ``attempts`` successes, and the belief after each.

    The probability follows from the evidence, which :meth:`BayesBelief.after` keeps account of.
    """
    found = []
    for successes in range(attempts + 1):
        then = belief.after(Batch(policy, before, attempts, successes))
        orders = math.comb(attempts, successes)
        found.append((orders * math.exp(then._log_evidence - belief._log_evidence), then))
    return found
