"""The table of curves that every policy's posterior is computed on, shared by all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray, IntArray

STARTS: FloatArray = np.array([0.01, 0.03, 0.06, 0.1, 0.17, 0.27, 0.4, 0.55, 0.7, 0.85, 0.95])
LOG_RATES: FloatArray = np.linspace(np.log(0.002), np.log(0.15), 13)
CEILINGS: FloatArray = np.array([0.35, 0.55, 0.75, 0.9, 0.99])
DEAD_LEVELS: FloatArray = np.concatenate([[0.0005, 0.003], STARTS])

LINEAR, EXPONENTIAL, S_SHAPED, DEAD = range(4)
"""Families of curves."""

S_STEEPNESS = 4.0
"""Half-time of an S-shaped curve in units of its logistic's scale: how slow its beginning is."""

LAST = 2047
"""Attempts after which curves are taken as constant; all but the slowest have long converged."""

BLOCK = 64
"""Attempts per block of the table. Sums over curves are always taken over whole blocks, so that
their last bits do not depend on how far ahead anyone has looked before."""

PIECES = 16
"""Parts of a sum over the curves: products of matrices this small stay on one thread, where they
are as fast, while on several they wait very long if other processes keep the cores busy."""


@dataclass(frozen=True)
class Hypotheses:
    """The H curves of the table. With gap = ceiling - start, all but the dead ones have half of
    their gain after T = gap / (2 rate) attempts: the rate is the mean slope until then.

    ================  =======================================================================
    ``linear``        min(ceiling, start + rate b)
    ``exponential``   ceiling - gap 2^(-b / T)
    ``s-shaped``      a logistic from start to ceiling in b / T, shifted and stretched to begin
                      exactly at start
    ``dead``          start, whatever the practice
    ================  =======================================================================

    Attributes:
        family: ``LINEAR``, ``EXPONENTIAL``, ``S_SHAPED`` or ``DEAD``, shape (H,).
        start: Competence before practice, shape (H,).
        log_rate: Logarithm of the rate [1/attempt], -inf for dead curves, shape (H,).
        ceiling: Competence after endless practice, shape (H,).
    """

    family: IntArray
    start: FloatArray
    log_rate: FloatArray
    ceiling: FloatArray


@cache
def hypotheses() -> Hypotheses:
    """All combinations of family, start, rate and ceiling above the start, then the dead curves."""
    rows = [
        (family, start, log_rate, ceiling)
        for family in (LINEAR, EXPONENTIAL, S_SHAPED)
        for start in STARTS
        for log_rate in LOG_RATES
        for ceiling in CEILINGS[start < CEILINGS]
    ] + [(DEAD, level, -np.inf, level) for level in DEAD_LEVELS]
    family, start, log_rate, ceiling = (np.array(column) for column in zip(*rows, strict=True))
    for column in (family, start, log_rate, ceiling):
        column.setflags(write=False)
    return Hypotheses(family, start, log_rate, ceiling)


def competence_rows(attempts: int) -> FloatArray:
    """Competence of every curve after 0, 1, ..., ``attempts`` attempts, shape (H, attempts + 1)."""
    last = min(attempts, LAST)
    blocks = [_block(block)[: _count()] for block in range(last // BLOCK + 1)]
    rows = np.concatenate(blocks, axis=1)[:, : last + 1]
    return np.pad(rows, ((0, 0), (0, attempts - last)), mode="edge")


def competence_at(attempts: int) -> FloatArray:
    """Competence of every curve after a number of attempts, shape (H,)."""
    block, place = divmod(min(attempts, LAST), BLOCK)
    return np.asarray(_block(block)[: _count(), place])


def competence_row(curve: int, attempts: int) -> FloatArray:
    """Competence of one curve after 0, 1, ..., ``attempts`` attempts."""
    last = min(attempts, LAST)
    blocks = [_block(block)[curve] for block in range(last // BLOCK + 1)]
    return np.pad(np.concatenate(blocks)[: last + 1], (0, attempts - last), mode="edge")


def in_pieces(weights: FloatArray) -> FloatArray:
    """Weights of the curves, shape (R, H), laid out for :func:`weighted_sum`."""
    padded = np.zeros((len(weights), PIECES * _piece_size()))
    padded[:, : weights.shape[1]] = weights
    pieces = padded.reshape(len(weights), PIECES, -1).transpose(1, 0, 2)
    return np.ascontiguousarray(pieces)


def weighted_sum(pieces: FloatArray, block: int, power: int = 1) -> FloatArray:
    """Weighted sum over all curves of a power (1 or 2) of the competence in a block.

    Args:
        pieces: Weights from :func:`in_pieces`, R rows.
        block: The block of attempts, from ``block * BLOCK`` on.
        power: 1 for means, 2 for variances.

    Returns:
        Shape (R, BLOCK).
    """
    table = (_block if power == 1 else _squared_block)(block)
    return np.asarray((pieces @ table.reshape(PIECES, -1, BLOCK)).sum(axis=0))


def _count() -> int:
    return len(hypotheses().start)


def _piece_size() -> int:
    return -(-_count() // PIECES)


@cache
def _block(block: int) -> FloatArray:
    """Competence of every curve from ``block * BLOCK`` attempts on, with rows of 0 at the end."""
    b = np.arange(block * BLOCK, (block + 1) * BLOCK, dtype=np.float64)
    table = hypotheses()
    gap = table.ceiling - table.start
    share = np.zeros((_count(), BLOCK))  # how much of its gap a curve has behind it
    for family, shape in (
        (LINEAR, lambda time: np.minimum(1.0, time / 2)),
        (EXPONENTIAL, lambda time: -np.expm1(-np.log(2.0) * time)),
        (S_SHAPED, _s_share),
    ):
        rows = table.family == family
        speed = 2 * np.exp(table.log_rate[rows]) / gap[rows]  # 1 / T
        share[rows] = shape(speed[:, None] * b)
    padded = np.zeros((PIECES * _piece_size(), BLOCK))
    padded[: _count()] = table.start[:, None] + gap[:, None] * share
    padded.setflags(write=False)
    return padded


@cache
def _squared_block(block: int) -> FloatArray:
    squared: FloatArray = np.square(_block(block))
    squared.setflags(write=False)
    return squared


def _s_share(time: FloatArray) -> FloatArray:
    at_start = 1.0 / (1.0 + np.exp(S_STEEPNESS))
    logistic = 1.0 / (1.0 + np.exp(S_STEEPNESS * (1.0 - time)))
    return np.asarray((logistic - at_start) / (1.0 - at_start))
