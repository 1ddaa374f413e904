"""The exact belief about foreign worlds: the distribution that draws them, given all outcomes.

A large sample of true curves from the generator is the table of hypotheses. The style of the stated
curves is hidden and shared by all skills of a world, as it is when the world is drawn:

    P(h, s | data) ∝ P(s) prod_u p(stated_u | h_u, s) prod_batches Binomial(k; n, h_u(before))

No belief can do better on average, up to the size of the sample. With the same strategy it shows
how much a belief loses by not knowing the generator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from foreign_worlds import HORIZON, STYLES, Truths, draw_truths, log_density

from deliberate_practice.beliefs.belief import Batch, Belief, EvidenceModel, Mixture
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.task.curves import Exponential
from deliberate_practice.task.model import Task

SAMPLE = 20_000
"""True curves in the table."""
LEAST = 1e-9
"""A skill that never succeeds is taken to succeed so rarely."""


@dataclass(frozen=True, eq=False)
class ExactBelief(Belief):
    """The posterior of every policy, and of the style of the stated curves.

    Attributes:
        posteriors: The posterior of each practised policy.
        constants: Competence of each policy that is not practised.
    """

    posteriors: Mapping[str, ExactPosterior]
    constants: Mapping[str, float]

    @classmethod
    def prior(cls, task: Task, evidence: Mapping[str, EvidenceModel] | None = None) -> ExactBelief:
        """The belief before any attempt, given the stated curves."""
        posteriors, constants = {}, {}
        for name, policy in task.policies.items():
            if not isinstance(policy.curve, Exponential):
                constants[name] = policy.competence
                continue
            half = np.log(2) / policy.curve.rate
            density = [
                log_density(style, policy.competence, half, policy.curve.ceiling, _sample())
                for style in STYLES
            ]
            posteriors[name] = ExactPosterior(np.array(density), 0)
        return cls(posteriors, constants)

    @property
    def policies(self) -> list[str]:
        """Names of all policies."""
        return [*self.posteriors, *self.constants]

    def after(self, batch: Batch) -> ExactBelief:
        """The belief once a batch has been seen."""
        if batch.policy in self.constants or not batch.attempts:
            return self
        known = self.posteriors[batch.policy].after(batch)
        return replace(self, posteriors={**self.posteriors, batch.policy: known})

    @cached_property
    def weights(self) -> FloatArray:
        """Probability of each style, shape (C,)."""
        joint = np.sum([known.log_evidence for known in self.posteriors.values()], axis=0)
        odds = np.exp(joint - joint.max()) if self.posteriors else np.ones(len(STYLES))
        return np.asarray(odds / odds.sum())

    def curve(self, policy: str, attempts: int) -> FloatArray:
        """Mean competence after 0, 1, ... more attempts."""
        if policy in self.constants:
            return np.full(attempts + 1, self.constants[policy])
        return np.asarray(self.weights @ _until(attempts, self.posteriors[policy].mean))

    def band(self, policy: str, attempts: int) -> FloatArray:
        """Standard deviation of the same."""
        if policy in self.constants:
            return np.zeros(attempts + 1)
        square = self.weights @ _until(attempts, self.posteriors[policy].mean_square)
        return np.sqrt(np.maximum(square - self.curve(policy, attempts) ** 2, 0.0))

    def mixture(self, attempts: int) -> Mixture:
        """Curves of all policies under each style."""
        shape = (len(STYLES), attempts + 1)
        curves = {name: _until(attempts, known.mean) for name, known in self.posteriors.items()}
        constants = {name: np.full(shape, p) for name, p in self.constants.items()}
        return Mixture(self.weights, curves | constants)


@dataclass(frozen=True, eq=False)
class ExactPosterior:
    """The posterior of one policy under each of C styles.

    Attributes:
        log_joint: Logarithm of the density of the statement and the attempts, shape (C, N).
        practised: Attempts so far.
    """

    log_joint: FloatArray
    practised: int

    def after(self, batch: Batch) -> ExactPosterior:
        """The posterior once a batch has been seen."""
        chance = np.clip(_table()[min(batch.before, HORIZON)], LEAST, 1 - LEAST)
        failures = batch.attempts - batch.successes
        seen = batch.successes * np.log(chance) + failures * np.log1p(-chance)
        practised = max(self.practised, batch.before + batch.attempts * batch.explore)
        return ExactPosterior(self.log_joint + seen, practised)

    @cached_property
    def log_evidence(self) -> FloatArray:
        """Logarithm of the density of everything seen under each style, shape (C,)."""
        return np.asarray(np.logaddexp.reduce(self.log_joint, axis=1))

    @cached_property
    def mean(self) -> FloatArray:
        """Mean competence from now on, shape (C, HORIZON + 1 - practised)."""
        return (_table()[min(self.practised, HORIZON) :] @ self._weights).T

    @cached_property
    def mean_square(self) -> FloatArray:
        """Mean of the squared competence."""
        return (_table()[min(self.practised, HORIZON) :] ** 2 @ self._weights).T

    @property
    def _weights(self) -> FloatArray:
        largest = self.log_joint.max(axis=1, keepdims=True)
        joint = np.exp(self.log_joint - np.where(np.isfinite(largest), largest, 0.0))
        total = joint.sum(axis=1, keepdims=True)  # 0 for a style that cannot have stated this
        return np.asarray((joint / np.where(total > 0, total, 1.0)).T)


@cache
def _sample() -> Truths:
    return draw_truths(np.random.default_rng(20_261), SAMPLE)


@cache
def _table() -> FloatArray:
    """Competence by attempts and curve, shape (HORIZON + 1, N)."""
    return np.ascontiguousarray(_sample().curves.T)


def _until(attempts: int, values: FloatArray) -> FloatArray:
    """The first columns, with the last one repeated if more are needed."""
    missing = max(0, attempts + 1 - values.shape[1])
    return np.pad(values[:, : attempts + 1], ((0, 0), (0, missing)), mode="edge")
