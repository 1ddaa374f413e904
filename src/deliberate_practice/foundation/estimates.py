"""Numbers with their confidence intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

from deliberate_practice.foundation.errors import ArgumentError

Z = 1.959963984540054
"""The normal distribution's quantile at 0.975."""
TAIL = 0.025
"""The probability that an interval leaves out at each end."""


@dataclass(frozen=True)
class Estimate:
    """A number with its confidence interval; a single seed has no interval."""

    value: float
    interval: tuple[float, float] | None


def rate(count: float, trials: int) -> Estimate:
    """A success rate with Wilson's interval, which also suits few trials and rates near 0 or 1."""
    p = _part(count, trials)
    middle = (p + Z**2 / (2 * trials)) / (1 + Z**2 / trials)
    half = Z / (1 + Z**2 / trials) * math.sqrt(p * (1 - p) / trials + Z**2 / (4 * trials**2))
    # Apart from rounding, the formula gives these ends at 0 and 1.
    low = 0.0 if count == 0 else middle - half
    high = 1.0 if count == trials else middle + half
    return Estimate(p, (low, high))


def exact_rate(count: float, trials: int) -> Estimate:
    """A rate with the exact interval of Clopper and Pearson, which is never too narrow.

    With ``k`` of ``n``, and ``B(q; a, b)`` the quantile ``q`` of the beta distribution::

        low = B(0.025; k, n - k + 1)    high = B(0.975; k + 1, n - k)

    For whole counts it excludes one half exactly if a two-sided sign test rejects it at 5 %: from
    6 of 6 on. Where ties count half, it excludes one half only if the sign test without the ties
    rejects it, too.
    """
    from scipy.special import betaincinv  # only studies need it, and commands start fast

    p = _part(count, trials)
    low = betaincinv(count, trials - count + 1, TAIL) if count > 0 else 0.0
    high = betaincinv(count + 1, trials - count, 1 - TAIL) if count < trials else 1.0
    return Estimate(p, (float(low), float(high)))


def _part(count: float, trials: int) -> float:
    if not 0 <= count <= trials or trials < 1:
        raise ArgumentError(f"count: {count} of {trials} is not a rate.")
    return count / trials
