"""Numbers with their confidence intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

from deliberate_practice.foundation.errors import ArgumentError

Z = 1.959963984540054
"""The normal distribution's quantile at 0.975."""


@dataclass(frozen=True)
class Estimate:
    """A number with its confidence interval; a single seed has no interval."""

    value: float
    interval: tuple[float, float] | None


def rate(count: float, trials: int) -> Estimate:
    """A success rate with Wilson's interval, which also suits few trials and rates near 0 or 1."""
    if not 0 <= count <= trials or trials < 1:
        raise ArgumentError(f"count: {count} of {trials} is not a rate.")
    p = count / trials
    middle = (p + Z**2 / (2 * trials)) / (1 + Z**2 / trials)
    half = Z / (1 + Z**2 / trials) * math.sqrt(p * (1 - p) / trials + Z**2 / (4 * trials**2))
    # Apart from rounding, the formula gives these ends at 0 and 1.
    low = 0.0 if count == 0 else middle - half
    high = 1.0 if count == trials else middle + half
    return Estimate(p, (low, high))
