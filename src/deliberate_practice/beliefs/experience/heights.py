"""Where the skills of each kind lie on average, exactly on a grid.

The heights μ = (mean start, mean speed) of a kind lie around those of all kinds, g:

    P(g, μ | seen)  ∝  N(g; usual, LAB²) Π_k N(μ_k; g, KIND²) L_k(μ_k)

L_k is the likelihood of all that was stated and seen about the skills of kind k. Starts and speeds
are independent but for L, so sums over the grid are products of matrices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from deliberate_practice.beliefs.population import Population, Usual
from deliberate_practice.foundation.arrays import FloatArray

LAB, KIND, SKILL = 0.4, 0.8, 0.35
"""Standard deviations of all kinds from what is usual, of a kind from all kinds, and of a skill
from its kind; relative to that of usual skills, whose square is about the sum of their squares."""

REACH, STEPS = 2.0, 13
"""How far the grid reaches to either side, in usual standard deviations, and its points."""


@dataclass(frozen=True, eq=False)
class Axis:
    """The grid of one coordinate of the heights.

    Attributes:
        points: The grid, shape (G,).
        sd: Standard deviation of skills around the height of their kind.
        all: Probability of each height of all kinds, shape (G,).
        kind: Probability of each height of a kind given that of all kinds, shape (G, G).
    """

    points: FloatArray
    sd: float
    all: FloatArray
    kind: FloatArray

    @classmethod
    def around(cls, usual: Usual | None) -> Axis:
        """The grid around what is usual."""
        assert usual is not None  # axes state what is usual for every model
        points = usual.mean + usual.sd * np.linspace(-REACH, REACH, STEPS)
        return cls(
            points,
            SKILL * usual.sd,
            _normal(points, np.array([usual.mean]), LAB * usual.sd)[0],
            _normal(points, points, KIND * usual.sd),
        )

    def moments(self, weights: FloatArray) -> tuple[float, float]:
        """Mean and standard deviation of a skill, from the probability of each height."""
        mean = float(weights @ self.points)
        variance = float(weights @ (self.points - mean) ** 2)
        return mean, float(np.sqrt(self.sd**2 + variance))


def _normal(points: FloatArray, means: FloatArray, sd: float) -> FloatArray:
    density = np.exp(-0.5 * ((points - means[:, None]) / sd) ** 2)
    return np.asarray(density / density.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Heights:
    """The posterior of all heights.

    Attributes:
        start, speed: The grid of each coordinate.
        likelihood: L of each kind, relative to its largest value, shape (G, G).
        largest: Logarithm of the product of these values.
    """

    start: Axis
    speed: Axis
    likelihood: Mapping[str, FloatArray]
    largest: float

    @classmethod
    def of(cls, usual: Population, log_likelihood: Mapping[str, FloatArray]) -> Heights:
        """From the logarithm of L of each kind."""
        likelihood = {kind: np.exp(each - each.max()) for kind, each in log_likelihood.items()}
        largest = sum(float(each.max()) for each in log_likelihood.values())
        return cls(Axis.around(usual.start), Axis.around(usual.speed), likelihood, largest)

    def kind(self, name: str) -> FloatArray:
        """Probability of the heights of a kind, shape (G, G), or of a kind that was not seen."""
        given = self._all / self._evidence[name] if name in self.likelihood else self._all
        prior: FloatArray = self.start.kind.T @ given @ self.speed.kind
        joint = prior * self.likelihood.get(name, 1.0)
        return np.asarray(joint / joint.sum())

    @cached_property
    def _evidence(self) -> dict[str, FloatArray]:
        """P(seen of a kind | g), shape (G, G)."""
        return {
            k: self.start.kind @ each @ self.speed.kind.T for k, each in self.likelihood.items()
        }

    @property
    def log_evidence(self) -> float:
        """Logarithm of P(seen)."""
        return self.largest + float(np.logaddexp.reduce(self._log_joint, axis=None))

    @cached_property
    def _all(self) -> FloatArray:
        """P(g | seen), shape (G, G)."""
        joint = np.exp(self._log_joint - self._log_joint.max())
        return np.asarray(joint / joint.sum())

    @cached_property
    def _log_joint(self) -> FloatArray:
        """Logarithm of P(g, seen) relative to ``largest``, shape (G, G)."""
        prior = np.log(np.outer(self.start.all, self.speed.all))
        return sum((np.log(each) for each in self._evidence.values()), start=prior)
