"""The (μ/μ_w, λ)-CMA-ES: a normal distribution that moves towards the best of its samples.

Follows N. Hansen, The CMA Evolution Strategy: A Tutorial (arXiv:1604.00772). Numbers in brackets
are its equations, symbols are its own: m mean, σ step size, C = B D² Bᵀ covariance, p_σ and p_c the
evolution paths, λ samples of a generation, of which the best μ move the mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError

C_M = 1.0
"""c_m (54), the learning rate of the mean."""

RESAMPLES = 100
"""Samples out of bounds that are drawn again; after them the next one is moved to its bounds."""

LARGEST_STEP = 1e32
"""σ grows no further than this."""

LEAST = 1e-8
"""Takes the place of a negative eigenvalue, and keeps a squared norm from being 0."""


class EvolutionStrategy:
    """The search distribution N(m, σ² C) within bounds.

    >>> rng, goal = np.random.default_rng(0), np.array([3.0, -2.0])
    >>> search = EvolutionStrategy(np.zeros(2), 1.3, population=6)
    >>> for _ in range(60):
    ...     samples = [search.sample(lambda: rng.standard_normal(2)) for _ in range(6)]
    ...     samples.sort(key=lambda x: float(np.sum((x - goal) ** 2)))
    ...     search.update(np.array(samples))
    >>> bool(np.abs(search.mean - goal).max() < 1e-3)
    True

    Args:
        mean: Where the search begins, within the bounds, shape (n,).
        sigma: Its first step size.
        low: Lower bounds, shape (n,); none by default.
        high: Upper bounds, likewise.
        population: λ, at least 4.

    Attributes:
        mean: m, shape (n,).
        sigma: σ.
        covariance: C, shape (n, n).

    Raises:
        ArgumentError: The population is too small for these weights.
    """

    def __init__(
        self,
        mean: FloatArray,
        sigma: float,
        low: FloatArray | None = None,
        high: FloatArray | None = None,
        *,
        population: int,
    ) -> None:
        n = len(mean)
        self.mean = mean.copy()
        self.sigma = sigma
        self._low = np.full(n, -np.inf) if low is None else low
        self._high = np.full(n, np.inf) if high is None else high
        self._rates = rates(n, population)
        self._p_sigma = np.zeros(n)
        self._p_c = np.zeros(n)
        self._generation = 0
        self._decompose(np.eye(n))

    def sample(self, deviate: Callable[[], FloatArray]) -> FloatArray:
        """Draw x ~ N(m, σ² C) until it is within the bounds.

        Args:
            deviate: Draws z ~ N(0, I), shape (n,).
        """
        for _ in range(RESAMPLES):
            x = self._draw(deviate)
            if np.all((self._low <= x) & (x <= self._high)):
                return x
        return np.clip(self._draw(deviate), self._low, self._high)

    def update(self, ranked: FloatArray) -> None:
        """Move mean, step size and covariance towards the best of a generation.

        Args:
            ranked: The generation from best to worst, shape (λ, n); it need not be sampled here.

        Raises:
            numpy.linalg.LinAlgError: The covariance is not finite any more.
        """
        r, n = self._rates, len(self.mean)
        self._generation += 1
        y = (ranked - self.mean) / self.sigma

        # Selection and recombination
        y_w = np.sum(r.weights[: r.mu, None] * y[: r.mu], axis=0)  # (41)
        self.mean = self.mean + C_M * self.sigma * y_w  # (42)

        # Step-size control
        whiten = (self._b * (1 / self._d)) @ self._b.T  # C^(-1/2)
        remembered = math.sqrt(r.c_sigma * (2 - r.c_sigma) * r.mu_eff)
        self._p_sigma = (1 - r.c_sigma) * self._p_sigma + remembered * (whiten @ y_w)  # (43)
        length = np.linalg.norm(self._p_sigma)
        grown = self.sigma * np.exp(r.c_sigma / r.d_sigma * (length / r.chi_n - 1))  # (44)
        self.sigma = min(float(grown), LARGEST_STEP)

        # Covariance matrix adaptation; h_σ stalls p_c while the step size grows fast
        expected = math.sqrt(1 - (1 - r.c_sigma) ** (2 * (self._generation + 1)))
        h_sigma = float(length / expected < (1.4 + 2 / (n + 1)) * r.chi_n)
        remembered = math.sqrt(r.c_c * (2 - r.c_c) * r.mu_eff)
        self._p_c = (1 - r.c_c) * self._p_c + h_sigma * remembered * y_w  # (45)
        far = np.linalg.norm(whiten @ y.T, axis=0) ** 2 + LEAST
        weights = r.weights * np.where(r.weights >= 0, 1, n / far)  # (46)
        rank_one = self._p_c[:, None] * self._p_c
        rank_mu = np.sum(weights[:, None, None] * (y[:, :, None] * y[:, None, :]), axis=0)
        delta = (1 - h_sigma) * r.c_c * (2 - r.c_c)
        kept = 1 + r.c_1 * delta - r.c_1 - r.c_mu * float(np.sum(r.weights))
        self._decompose(kept * self.covariance + r.c_1 * rank_one + r.c_mu * rank_mu)  # (47)

    def _draw(self, deviate: Callable[[], FloatArray]) -> FloatArray:
        y = (self._b * self._d) @ deviate()  # (39)
        return np.asarray(self.mean + self.sigma * y)  # (40)

    def _decompose(self, covariance: FloatArray) -> None:
        """C = B D² Bᵀ, made symmetric and without negative eigenvalues."""
        squares, self._b = np.linalg.eigh((covariance + covariance.T) / 2)
        self._d = np.sqrt(np.where(squares < 0, LEAST, squares))
        self.covariance = (self._b * self._d**2) @ self._b.T


@dataclass(frozen=True)
class Rates:
    """Constants of the strategy for n parameters and λ samples, table 1 of the tutorial.

    Attributes:
        mu: Samples that move the mean.
        mu_eff: Variance effective selection mass of their weights.
        weights: w_i by rank, the best first, shape (λ,); those of the worse half are negative.
        c_sigma: Learning rate of p_σ.
        d_sigma: Damping of σ.
        c_c: Learning rate of p_c.
        c_1: Learning rate of the rank-one update.
        c_mu: Learning rate of the rank-μ update.
        chi_n: Expected length of N(0, I).
    """

    mu: int
    mu_eff: float
    weights: FloatArray
    c_sigma: float
    d_sigma: float
    c_c: float
    c_1: float
    c_mu: float
    chi_n: float


def rates(n: int, population: int) -> Rates:
    """The default constants.

    Raises:
        ArgumentError: One sample alone would move the mean, and c_μ would be 0.
    """
    if population < 4:
        raise ArgumentError(f"population: {population} is not valid; give at least 4.")
    mu = population // 2
    raw = np.array([math.log((population + 1) / 2) - math.log(i + 1) for i in range(population)])
    mu_eff, mu_eff_minus = _mass(raw[:mu]), _mass(raw[mu:])
    c_1 = 2 / ((n + 1.3) ** 2 + mu_eff)  # (57)
    c_mu = min(1 - c_1 - LEAST, 2 * (mu_eff - 2 + 1 / mu_eff) / ((n + 2) ** 2 + mu_eff))  # (58)
    negative = min(
        1 + c_1 / c_mu,  # (50)
        1 + 2 * mu_eff_minus / (mu_eff + 2),  # (51)
        (1 - c_1 - c_mu) / (n * c_mu),  # (52)
    )
    c_sigma = (mu_eff + 2) / (n + mu_eff + 5)  # (55)
    return Rates(
        mu=mu,
        mu_eff=mu_eff,
        weights=np.where(
            raw >= 0,
            1 / np.sum(raw[raw > 0]) * raw,
            negative / np.sum(np.abs(raw[raw < 0])) * raw,
        ),  # (53)
        c_sigma=c_sigma,
        d_sigma=1 + 2 * max(0.0, math.sqrt((mu_eff - 1) / (n + 1)) - 1) + c_sigma,  # (55)
        c_c=(4 + mu_eff / n) / (n + 4 + 2 * mu_eff / n),  # (56)
        c_1=c_1,
        c_mu=c_mu,
        chi_n=math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n**2)),
    )


def _mass(weights: FloatArray) -> float:
    return float(np.sum(weights) ** 2 / np.sum(weights**2))
