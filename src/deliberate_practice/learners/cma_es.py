"""CMA-ES with a binary reward: the paper's learner.

Three things make more of every attempt than the paper's version. Samples are quasi-random: they
cover the search distribution evenly, also over generations that say nothing. What is deployed is
the middle of the latest successes, not the mean of the search distribution, which a few updates by
chance can carry away: where success is a matter of being inside a region, the middle of points that
are inside is mostly inside too. And as soon as there are successes, the first candidate of every
generation is what would be deployed: if that fails, the success farthest from it is given up.

What is fixed here: parameters are searched in units of their prior standard deviations, from mean
0, step size 1 and covariance I, so that the prior is the diagonal Gaussian the task states. A
generation has 6 candidates; the best 3 move the mean. Weights and learning rates are the defaults
of ``evolution_strategy.py`` for the dimension.

Nothing is saved: samples follow from (seed, policy, generation), so a learner that is told the same
again has the same candidates, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.learners.deviates import EvenDeviates
from deliberate_practice.learners.evolution_strategy import EvolutionStrategy
from deliberate_practice.learners.generation import Generation, Told
from deliberate_practice.learners.learner import GENERATION
from deliberate_practice.task.skill import Parameter

LATEST = 6
"""Successes that are deployed in the mean: more are older, from a wider search."""


class CmaEs:
    """Search a policy's parameters by generations of 6.

    >>> reach = Parameter("reach", mean=0.5, sd=0.1, low=0.0, high=1.0)
    >>> learner = CmaEs([reach], seed=0, policy="Push")
    >>> for _ in range(20):
    ...     for index in learner.untold():
    ...         learner.tell(index, success=bool(abs(learner.candidate(index)[0] - 0.62) < 0.05))
    >>> bool(abs(learner.best[0] - 0.62) < 0.05)
    True

    Args:
        parameters: What may be changed: prior mean and standard deviation, and bounds.
        seed: Seed of the session.
        policy: Name of the policy, so that policies of one session draw different numbers.
    """

    def __init__(self, parameters: Sequence[Parameter], seed: int, policy: str) -> None:
        self._prior_mean = np.array([parameter.mean for parameter in parameters])
        self._sd = np.array([parameter.sd for parameter in parameters])
        self._low = np.array([parameter.low for parameter in parameters])
        self._high = np.array([parameter.high for parameter in parameters])
        self._entropy = [seed, *policy.encode()]
        self._generation = Generation()
        self._number = 0
        self._successes: list[FloatArray] = []  # before the present generation
        self._search = self._new_search(np.zeros(len(parameters)))
        self._sample()

    def candidate(self, index: int) -> FloatArray:
        """Parameters of a candidate of the present generation, within their bounds."""
        return self._in_units(self._candidates[index])

    def tell(self, index: int, success: bool, score: float | None = None) -> None:
        """How a candidate did; the last one of a generation updates mean, step and covariance.

        Successes rank before failures; among equals a higher score ranks first, then those without
        a score, and what is still equal is put in random order. A generation in which all
        are equal says nothing and changes nothing.
        """
        self._generation.tell(index, Told(success, score))
        if self._generation.untold():
            return
        self._successes = self._latest_successes()
        if not self._generation.all_equal:
            self._update()
        self._generation = Generation()
        self._number += 1
        self._sample()

    def explores(self, index: int) -> bool:
        """Whether a candidate is a sample; the first one may be what would be deployed."""
        return index > 0 or not self._first_is_best

    def untold(self) -> list[int]:
        """Candidates of the present generation that were not told yet, ascending."""
        return self._generation.untold()

    @property
    def best(self) -> FloatArray:
        """The middle of the latest successes; the mean of the search before there are any."""
        successes = self._latest_successes()
        if not successes:
            return self._in_units(self._search.mean)
        middle: FloatArray = np.clip(np.mean(successes, axis=0), self._low, self._high)
        return middle

    def _new_search(self, mean: FloatArray) -> EvolutionStrategy:
        low = (self._low - self._prior_mean) / self._sd
        high = (self._high - self._prior_mean) / self._sd
        return EvolutionStrategy(np.clip(mean, low, high), 1.0, low, high, population=GENERATION)

    def _sample(self) -> None:
        """Draw the whole generation at once: what is told in between does not change it."""
        begin, dimension = GENERATION * self._number, len(self._sd)
        self._deviates = EvenDeviates(self._entropy, dimension, begin, GENERATION)
        self._candidates = [self._search.sample(self._deviates.draw) for _ in range(GENERATION)]
        self._first_is_best = bool(self._successes)
        if self._first_is_best:
            self._candidates[0] = (np.mean(self._successes, axis=0) - self._prior_mean) / self._sd

    def _latest_successes(self) -> list[FloatArray]:
        """Those to deploy the middle of, whatever order the present generation is told in."""
        successes = list(self._successes)
        if self._first_is_best and self._generation.succeeded(0) is False and len(successes) > 1:
            # They have no common middle: forget the one that is least like the others.
            far = (np.array(successes) - np.mean(successes, axis=0)) / self._sd
            del successes[int(np.argmax(np.linalg.norm(far, axis=1)))]
        found = [i for i in range(GENERATION) if self._generation.succeeded(i)]
        return [*successes, *(self.candidate(i) for i in found)][-LATEST:]

    def _update(self) -> None:
        before = self._search.mean
        ties = np.random.default_rng([*self._entropy, self._number])
        order = self._generation.ranking(ties)
        try:
            with np.errstate(all="ignore"):
                self._search.update(np.array([self._candidates[i] for i in order]))
                further = self._search.sample(self._deviates.draw)
                sound = bool(np.isfinite(self._search.mean + further).all())
        except np.linalg.LinAlgError:
            sound = False
        if not sound:  # the covariance lost a direction, e.g. all candidates on one bound
            self._search = self._new_search(before)

    def _in_units(self, normalised: FloatArray) -> FloatArray:
        return np.clip(self._prior_mean + self._sd * normalised, self._low, self._high)
