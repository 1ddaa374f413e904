"""How true curves are distributed over policies, before anything is stated or seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray

UNUSUAL = 0.25
"""Share of the policies that are far from usual."""


@dataclass(frozen=True)
class Usual:
    """A quantity over all policies that are practised: mostly near its mean, sometimes far away.

    Attributes:
        mean: Its mean.
        sd: Its standard deviation in ordinary cases.
        wide_sd: The same in unusual cases, a share ``UNUSUAL`` of all.
    """

    mean: float
    sd: float
    wide_sd: float

    def density(self, points: FloatArray) -> FloatArray:
        """The density at each point."""
        ordinary, unusual = (
            np.exp(-0.5 * ((points - self.mean) / sd) ** 2) / sd for sd in (self.sd, self.wide_sd)
        )
        return np.asarray((1 - UNUSUAL) * ordinary + UNUSUAL * unusual)


USUAL_START = Usual(-1.7, 1.0, 2.2)
"""logit(start) of a policy that is practised: mostly between 0.06 and 0.33."""
USUAL_RATE = Usual(float(np.log(0.015)), 0.8, 1.6)
"""log(rate) of the same: half of the gain mostly takes 10 to 60 attempts."""

FAMILY_WEIGHTS: FloatArray = np.array([0.3, 0.5, 0.2])  # linear, exponential, s-shaped

CEILING_WEIGHTS: FloatArray = np.array([0.05, 0.10, 0.20, 0.35, 0.30])


@dataclass(frozen=True)
class Population:
    """The policies that a new one is taken from.

    Attributes:
        start: logit(competence) before practice; None if any level is as usual as any other.
        speed: Logarithm of the rate, or of the chance of a first success; None likewise.
        ceilings: Probability of each ceiling where the stated one counts nothing.
        shapes: Probability of each shape of the curve.
        impossible: Probability that practice has no effect; None if it is that of the quality of
            the stated figures.
    """

    start: Usual | None
    speed: Usual | None
    ceilings: tuple[float, ...]
    shapes: tuple[float, ...]
    impossible: float | None = None


USUAL = Population(
    USUAL_START, USUAL_RATE, tuple(CEILING_WEIGHTS.tolist()), tuple(FAMILY_WEIGHTS.tolist())
)
"""All policies that improve along a curve."""
