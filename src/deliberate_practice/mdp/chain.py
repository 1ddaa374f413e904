"""Values of a Markov chain to full relative accuracy, however rarely it ends.

A chain leaves state i for state j at the rate N_ij, ends at the rate leak_i, and earns r_i. With
own_i = leak_i + Σ_j N_ij its values solve

    own_i v_i = r_i + Σ_j N_ij v_j,          or    (diag(own) - N) v = r.

Ordinary elimination subtracts: with a competence of 1e-12 and discount 1 it computes 1 - (1 - p),
which loses p. Grassmann, Taksar and Heyman's elimination only adds. When state k is removed, i
continues from k in its place:

    N_ij += N_ik N_kj / own_k,    leak_i += N_ik leak_k / own_k,    r_i += N_ik r_k / own_k,

and own_i is summed anew without the way back to i. Each number keeps its relative accuracy, so for
r >= 0 each value does, too. A class of states that never ends has own = 0 in its last state: its
value is 0 if it earns nothing there, and infinite otherwise.

Large chains are factorised, and the answer is refined by residuals r_i + Σ_j N_ij (v_j - v_i) -
leak_i v_i, which lose no digits either. If that does not converge, the states that reach each
other are eliminated class by class. The factors of a very large chain may not fit into memory, so
it is swept if it ends soon enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.errors import TaskError

if TYPE_CHECKING:
    from scipy import sparse

SWEEPS = 64
"""Sweeps that solve a chain without cycles, or one that soon leaves them."""

ELIMINATE = 1500
"""The largest class of states that is eliminated one state at a time."""

REFINEMENTS = 8
"""The most refinement steps after a factorisation."""

LARGE = 5000
"""From this many states on, sweeps are preferred to a factorisation, whose memory may explode."""

ENDING = 1e-3
"""The least part of the rates of leaving with which a large chain must end to be swept."""

MOST_SWEEPS = 50_000
"""The most sweeps of a large chain: 37 / ENDING of them reduce an error to rounding."""

VISITED = 1e-9
"""The relative error of an equation up to which factorised visits are used."""

SETTLED = 1e-13
"""Relative change of all values below which an answer needs no further step."""


def chain_values(
    onward: FloatArray | sparse.csr_array,
    leak: FloatArray,
    right: FloatArray,
    guess: FloatArray | None = None,
) -> FloatArray:
    """Solve own_i v_i = r_i + Σ_j N_ij v_j.

    Args:
        onward: N, nonnegative and 0 on the diagonal, shape (n, n).
        leak: Rates of ending, nonnegative, shape (n,).
        right: One or more right sides r, nonnegative, shape (n, k).
        guess: Values from which the sweeps of a large chain begin: at most v up to rounding, shape
            (n, k).

    Returns:
        The values, shape (n, k); infinite where a class that never ends earns something.

    Raises:
        TaskError: Too many states reach each other and hardly ever end, so values are not certain.
    """
    own = leak + onward.sum(axis=1)
    values = _by_sweeps(onward, leak, own, right, guess)
    if values is not None:
        return values
    if isinstance(onward, np.ndarray):
        return _eliminated(onward, leak).values(right)
    values = _by_factors(onward, leak, own, right)
    return _by_classes(onward, leak, own, right) if values is None else values


def chain_visits(
    onward: FloatArray | sparse.csr_array, leak: FloatArray, start: FloatArray
) -> FloatArray:
    """Solve own_j μ_j = e_j + Σ_i N_ij μ_i: the expected visits to each state.

    Sparse chains are factorised, which is fast and less accurate. The visits of a large chain that
    hardly ever ends are 0 if they cannot be computed.

    Args:
        onward: N, nonnegative and 0 on the diagonal, shape (n, n).
        leak: Rates of ending, nonnegative, shape (n,).
        start: e, nonnegative, shape (n,).
    """
    own = leak + onward.sum(axis=1)
    visits = _by_sweeps(onward.T, leak, own, start[:, None])
    if visits is not None:
        return visits[:, 0]
    factorised = None if isinstance(onward, np.ndarray) else _factorised_visits(onward, own, start)
    if factorised is not None:
        return factorised
    if len(own) <= ELIMINATE:
        dense = onward if isinstance(onward, np.ndarray) else onward.toarray()
        return _eliminated(dense, leak).visits(start)
    return np.zeros(len(own))


def _factorised_visits(
    onward: sparse.csr_array, own: FloatArray, start: FloatArray
) -> FloatArray | None:
    """Visits by factors; None if they do not satisfy their equations."""
    from scipy import sparse
    from scipy.sparse.linalg import splu

    try:
        factors = splu(sparse.csc_array(sparse.diags_array(own) - onward))
    except RuntimeError:  # singular: some cycle never ends
        return None
    visits: FloatArray = np.maximum(factors.solve(start, trans="T"), 0.0)
    left, right = own * visits, start + onward.T @ visits
    fits = np.isfinite(visits).all() and (np.abs(left - right) <= VISITED * right.max()).all()
    return visits if fits else None


def _by_sweeps(
    onward: FloatArray | sparse.csr_array,
    leak: FloatArray,
    own: FloatArray,
    right: FloatArray,
    guess: FloatArray | None = None,
) -> FloatArray | None:
    """Repeat v = (r + N v) / own until nothing changes; None if that takes too long.

    Values rise, and rounding keeps the order of numbers, so they do not alternate. The relative
    error is at most a few EPS / (1 - ρ), with 1 - ρ the least part that ends at each step.
    """
    if (own <= 0).any():
        return None
    values = right / own[:, None]
    limit = min(SWEEPS, len(own))
    if len(own) >= LARGE and (leak >= ENDING * own).all():
        limit = MOST_SWEEPS
        values = values if guess is None else np.maximum(values, guess)
    for _ in range(limit):
        before = values
        values = (right + onward @ values) / own[:, None]
        if (values == before).all():
            return values
    return None


def _eliminated(onward: FloatArray, leak: FloatArray) -> _Elimination:
    """The elimination of a chain; values and visits of the same chain are often asked in turn."""
    key = onward.tobytes() + leak.tobytes()
    elimination = _LATEST.get(key)
    if elimination is None:
        elimination = _Elimination(onward, leak)
        _LATEST.clear()
        _LATEST[key] = elimination
    return elimination


_LATEST: dict[bytes, _Elimination] = {}


class _Elimination:
    """The elimination of all states, last state first."""

    def __init__(self, onward: FloatArray, leak: FloatArray) -> None:
        self._onward, self._leak = np.array(onward, order="C"), leak.copy()
        self._own = np.zeros(len(leak))
        diagonal = self._onward.reshape(-1)[:: len(leak) + 1]
        for k in range(len(leak) - 1, -1, -1):
            row, column = self._onward[k, :k], self._onward[:k, k]
            onwards = row.sum()
            own = self._own[k] = self._leak[k] + onwards
            if own > 0:
                share = column / own
                self._leak[:k] += share * self._leak[k]
                if onwards > 0:
                    self._onward[:k, :k] += share[:, None] * row
                    diagonal[:k] = 0.0
            else:  # it never ends: going there equals ending, or earns for ever
                self._leak[:k] += column

    def values(self, right: FloatArray) -> FloatArray:
        """v of :func:`chain_values`."""
        onward, own, values = self._onward, self._own, right.copy()
        for k in range(len(own) - 1, 0, -1):
            if own[k] > 0:
                values[:k] += (onward[:k, k] / own[k])[:, None] * values[k]
        stuck = np.flatnonzero(own <= 0)
        if not len(stuck):
            for k in range(len(own)):
                values[k] = (values[k] + onward[k, :k] @ values[:k]) / own[k]
            return values
        infinite = np.zeros(values.shape, dtype=np.bool_)
        infinite[stuck] = values[stuck] > 0
        values[stuck] = 0.0
        for k in np.flatnonzero(own > 0).tolist():
            values[k] = (values[k] + onward[k, :k] @ values[:k]) / own[k]
            infinite[k] = (onward[k, :k] > 0) @ infinite[:k]
            infinite[k] |= (onward[k, stuck] > 0) @ infinite[stuck]
        return np.where(infinite, np.inf, values)

    def visits(self, start: FloatArray) -> FloatArray:
        """μ of :func:`chain_visits`; 0 in classes that never end."""
        onward, own, visits = self._onward, self._own, start.copy()
        for k in range(len(own) - 1, 0, -1):
            if own[k] > 0:
                visits[:k] += onward[k, :k] * (visits[k] / own[k])
        for k in range(len(own)):
            visits[k] = (visits[k] + visits[:k] @ onward[:k, k]) / own[k] if own[k] > 0 else 0.0
        return visits


def _by_factors(
    onward: sparse.csr_array, leak: FloatArray, own: FloatArray, right: FloatArray
) -> FloatArray | None:
    """Factorise diag(own) - N and refine; None if the answer does not converge."""
    from scipy import sparse
    from scipy.sparse.linalg import splu

    if (own <= 0).any():
        return None
    inverse = sparse.diags_array(1.0 / own)
    matrix = sparse.csc_array(sparse.eye_array(len(own)) - inverse @ onward)
    try:
        factors = splu(matrix, diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:  # singular up to rounding
        return None
    rates = onward.tocoo()
    source, target = rates.coords
    values: FloatArray = factors.solve(right / own[:, None])
    for _ in range(REFINEMENTS):
        rise = rates.data[:, None] * (values[target] - values[source])
        total = np.stack([np.bincount(source, c, minlength=len(own)) for c in rise.T], axis=1)
        step = factors.solve((right + total - leak[:, None] * values) / own[:, None])
        values = values + step
        if not np.isfinite(values).all() or (values < 0).any():
            return None
        if (np.abs(step) <= SETTLED * values).all():
            return values
    return None


def _by_classes(
    onward: sparse.csr_array, leak: FloatArray, own: FloatArray, right: FloatArray
) -> FloatArray:
    """Solve each class of states that reach each other, classes without an exit first."""
    from scipy.sparse.csgraph import connected_components

    count, label = connected_components(onward, directed=True, connection="strong")
    level = _levels(onward, count, label)[label]
    alone = np.bincount(label, minlength=count)[label] == 1
    values = np.zeros_like(right)
    for depth in range(int(level.max(initial=-1)) + 1):
        single = np.flatnonzero((level == depth) & alone & (own > 0))
        values[single] = (right[single] + onward[single] @ values) / own[single, None]
        stuck = np.flatnonzero((level == depth) & alone & (own <= 0))
        values[stuck] = np.where(right[stuck] > 0, np.inf, 0.0)
        together = np.flatnonzero((level == depth) & ~alone)
        for one in np.unique(label[together]):
            members = together[label[together] == one]
            rows = onward[members]
            inner = rows[:, members]
            outside = np.ones(len(leak))
            outside[members] = 0.0
            ends = leak[members] + rows @ outside
            values[members] = _one_class(inner, ends, right[members] + rows @ values)
    return values


def _levels(onward: sparse.csr_array, count: int, label: IntArray) -> IntArray:
    """The length of the longest sequence of classes that follows each class."""
    source, target = onward.nonzero()
    pairs = np.unique(np.stack([label[source], label[target]]), axis=1)
    before, after = pairs[:, pairs[0] != pairs[1]]
    level = np.zeros(count, dtype=np.int64)
    while True:
        deeper = level.copy()
        np.maximum.at(deeper, before, level[after] + 1)
        if np.array_equal(deeper, level):
            return level
        level = deeper


def _one_class(inner: sparse.csr_array, leak: FloatArray, right: FloatArray) -> FloatArray:
    if len(leak) <= ELIMINATE:
        return _Elimination(inner.toarray(), leak).values(right)
    values = _by_factors(inner, leak, leak + inner.sum(axis=1), right)
    if values is None:
        raise TaskError(
            "values",
            f"{len(leak):,} states lead to each other and hardly ever end, which is too much to be "
            "sure of their values; use a discount below 1, or larger competences.",
        )
    return values
