"""The posterior of one policy: the probability of each curve of the table after its attempts."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from deliberate_practice.beliefs.belief import Batch
from deliberate_practice.beliefs.hypotheses import (
    BLOCK,
    LAST,
    competence_at,
    competence_row,
    in_pieces,
    weighted_sum,
)
from deliberate_practice.foundation.arrays import FloatArray

SURE = 1e-6
"""Attempts are never taken to succeed or fail for certain, however large the exploration factor."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """The posterior of one policy under each of C prior qualities.

    Given the quality, policies are independent: what is computed here stays valid, and is kept,
    while others are practised. Make one by :func:`posterior`.

    Attributes:
        prior: Probability of each curve before any attempt, shape (C, H).
        exploration: Success probability of an exploring attempt, as a multiple of the competence.
        log_likelihood: Of all attempts so far under each curve, shape (H,).
        practised: Attempts of the policy so far, or demonstrations that were trained with.
        log_evidence: Logarithm of the probability of the attempts under each quality, shape (C,).
        fading: A training run multiplies the log-likelihood of everything before it by this: the
            versions that were seen are not the one that is deployed now. 1 forgets nothing.
    """

    prior: FloatArray
    exploration: float
    log_likelihood: FloatArray
    practised: int
    log_evidence: FloatArray
    fading: float
    _moments: _Moments

    def after(self, batch: Batch) -> Posterior:
        """The posterior once a batch has been seen; the order of batches does not matter.

        All attempts of a batch count at the policy's practice before it, f(before). Deployed ones
        do not advance practice. The evidence of older versions fades after a training run.
        """
        if batch.training:
            practised = max(self.practised, batch.before)
            return self._with(self.fading * self.log_likelihood, practised)
        chance = competence_at(batch.before)
        if batch.explore:
            chance = np.clip(self.exploration * chance, SURE, 1 - SURE)
        failures = batch.attempts - batch.successes
        seen = batch.successes * np.log(chance) + failures * np.log1p(-chance)
        reached = batch.before + (batch.attempts if batch.explore else 0)
        return self._with(self.log_likelihood + seen, max(self.practised, reached))

    def mean(self, attempts: int) -> FloatArray:
        """Mean competence after 0, 1, ..., ``attempts`` more attempts, shape (C, attempts + 1)."""
        return self._moments.get(1, attempts)

    def mean_square(self, attempts: int) -> FloatArray:
        """Mean of the squared competence, shape (C, attempts + 1)."""
        return self._moments.get(2, attempts)

    def draw(self, quality: int, attempts: int, rng: np.random.Generator) -> FloatArray:
        """A curve that may be the true one if the stated priors have a quality, from attempt 0."""
        seen = np.exp(self.log_likelihood - self.log_likelihood.max())
        joint = self.prior[quality] * seen
        return competence_row(int(rng.choice(len(joint), p=joint / joint.sum())), attempts)

    def _with(self, log_likelihood: FloatArray, practised: int) -> Posterior:
        return _posterior(self.prior, self.exploration, self.fading, log_likelihood, practised)


def posterior(prior: FloatArray, exploration: float = 1.0, fading: float = 1.0) -> Posterior:
    """The posterior before any attempt, from probabilities of each curve of shape (C, H)."""
    return _posterior(prior, exploration, fading, np.zeros(prior.shape[1]), 0)


def _posterior(
    prior: FloatArray,
    exploration: float,
    fading: float,
    log_likelihood: FloatArray,
    practised: int,
) -> Posterior:
    largest = log_likelihood.max()
    joint = prior * np.exp(log_likelihood - largest)
    total = joint.sum(axis=1)
    moments = _Moments(in_pieces(joint / total[:, None]), practised)
    evidence = np.log(total) + largest
    return Posterior(prior, exploration, log_likelihood, practised, evidence, fading, moments)


@dataclass(eq=False)
class _Moments:
    """Weighted means of the table's curves from ``practised`` on, computed once, when needed.

    Sums are taken over whole blocks of the table, so that their last bits do not depend on how far
    ahead was asked before: a session that is resumed asks in another order.
    """

    pieces: FloatArray
    practised: int
    _kept: dict[int, FloatArray] = field(default_factory=dict)

    def get(self, power: int, attempts: int) -> FloatArray:
        """Mean of the power of the competence after 0, 1, ... more, shape (C, attempts + 1)."""
        first = min(self.practised, LAST)
        last = min(first + attempts, LAST)
        kept = self._kept.get(power)
        if kept is None or first + kept.shape[1] <= last:
            kept = self._kept[power] = self._extended(power, kept, first, last)
        if kept.shape[1] <= attempts:  # behind the table everything stays as it is
            end = np.repeat(kept[:, -1:], attempts + 1 - kept.shape[1], axis=1)
            kept = self._kept[power] = _fixed(np.concatenate([kept, end], axis=1))
        return kept[:, : attempts + 1]

    def _extended(self, power: int, kept: FloatArray | None, first: int, last: int) -> FloatArray:
        begun = first // BLOCK if kept is None else (first + kept.shape[1]) // BLOCK
        blocks = range(begun, last // BLOCK + 1)
        pieces = [weighted_sum(self.pieces, block, power) for block in blocks]
        if kept is None:
            pieces[0] = pieces[0][:, first - begun * BLOCK :]
        else:
            pieces.insert(0, kept)
        moments = np.concatenate(pieces, axis=1)
        return _fixed(np.maximum.accumulate(moments, axis=1))  # against rounding


def _fixed(moments: FloatArray) -> FloatArray:
    moments.setflags(write=False)
    return moments
