"""(max, +) convolution: the best totals of two tables that share a budget.

    result[B] = max_k table[k] + rest[B - cost k]

Trying every k takes time O(B²). A concave table needs far less: the k that is best for one budget
bounds those of its neighbours, so budgets are halved again and again, and each pass visits every
entry about once (divide and conquer on a totally monotone matrix), O(B log B) in all. Any other
table is split into a few concave pieces, or is short.
"""

from __future__ import annotations

import itertools

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.deadline import check
from deliberate_practice.foundation.rounding import EPS

ROUNDING = 1e-13
"""The most by which rounding may put a table of logarithms below the nearest concave one."""

CELLS = 2_000_000
"""Entries processed at once."""

PIECE = 40
"""A concave piece takes about as much time as this many single entries."""


def convolve(
    table: FloatArray, cost: int, rest: FloatArray, deadline: float | None = None
) -> FloatArray:
    """Best totals of a nondecreasing table and the rest, which share a budget.

    Args:
        table: g(0), g(1), ...; -inf is allowed.
        cost: Budget units per entry of the table.
        rest: Best totals of everything else for 0, 1, ... units, nondecreasing.
        deadline: When to give up.

    Raises:
        Late: The deadline has passed.
    """
    table = table[: (len(rest) - 1) // cost + 1]
    pieces = concave_pieces(table)
    rising = np.flatnonzero(np.append(True, table[1:] > table[:-1]))
    if len(pieces) * PIECE >= len(rising):
        pieces = [(k, k) for k in rising.tolist()]
    result = np.full(len(rest), -np.inf)
    for first, last in pieces:
        check(deadline)
        begin = first * cost
        best = table[first] + rest[: len(rest) - begin]
        if last > first:
            best = _concave(table[first : last + 1], cost, rest[: len(rest) - begin], deadline)
        np.maximum(result[begin:], best, out=result[begin:])
    return result


def is_concave(table: FloatArray) -> bool:
    """Whether a table is finite, and concave up to rounding."""
    if not np.isfinite(table[0]):
        return False
    gains = np.diff(table)
    # The most by which a merge of gains, largest first, could exceed the table.
    return bool((np.cumsum(-np.sort(-gains)) - (table[1:] - table[0]) <= ROUNDING).all())


def concave_pieces(table: FloatArray) -> list[tuple[int, int]]:
    """First and last entries of concave pieces that make up the finite part of a table."""
    finite = np.flatnonzero(np.isfinite(table))
    if not len(finite):
        return [(0, 0)]
    begin, end = int(finite[0]), len(table) - 1
    if is_concave(table[begin:]):
        return [(begin, end)]
    noise = 8 * EPS * float(np.abs(table[begin:]).max())
    bends = begin + 1 + np.flatnonzero(np.diff(table[begin:], 2) > noise)
    edges = [begin, *bends.tolist(), end]
    pieces = [(a, b) for a, b in itertools.pairwise(edges) if b > a]
    few = len(bends) * PIECE < end - begin
    if few and all(is_concave(table[a : b + 1]) for a, b in pieces):
        return pieces
    return [(k, k) for k in range(begin, end + 1)]


def _concave(table: FloatArray, cost: int, rest: FloatArray, deadline: float | None) -> FloatArray:
    """The convolution for a concave table; budgets are grouped by their remainder modulo cost."""
    rows = -(-len(rest) // cost)
    ahead = np.full(rows * cost, -np.inf)
    ahead[: len(rest)] = rest
    columns = ahead.reshape(rows, cost).T.reshape(-1)  # grouped by remainder
    offset = np.arange(cost) * rows
    best = np.full((cost, rows + 1), 0)  # which entry of ``columns`` is best; the last: no limit
    best[:, rows] = rows - 1
    result = np.empty((cost, rows))
    step = 1 << (rows - 1).bit_length()
    while step:
        at = np.arange(step - 1, rows, 2 * step)
        low = np.where(at >= step, best[:, np.maximum(at - step, 0)], 0)
        high = best[:, np.minimum(at + step, rows)]
        low = np.maximum(low, at - (len(table) - 1))
        high = np.maximum(np.minimum(high, at), low)
        if len(at):
            best[:, at], result[:, at] = _best_entries(
                table, columns, offset, at, low, high, deadline
            )
        step //= 2
    return result.T.reshape(-1)[: len(rest)]


def _best_entries(
    table: FloatArray,
    columns: FloatArray,
    offset: IntArray,
    at: IntArray,
    low: IntArray,
    high: IntArray,
    deadline: float | None,
) -> tuple[IntArray, FloatArray]:
    """The best i in [low, high] of table[at - i] + rest[i], for every remainder and budget."""
    shape = low.shape
    begin, count = low.reshape(-1), (high - low + 1).reshape(-1)
    row = np.broadcast_to(at, shape).reshape(-1)
    shift = np.repeat(offset, shape[1])
    best, value = np.empty(len(begin), dtype=np.int64), np.empty(len(begin))
    ends = np.cumsum(count)
    first = 0
    while first < len(begin):
        check(deadline)
        before = ends[first] - count[first]
        last = max(first + 1, int(np.searchsorted(ends, before + CELLS, side="right")))
        n = count[first:last]
        starts = np.cumsum(n) - n
        i = np.arange(int(n.sum())) + np.repeat(begin[first:last] - starts, n)
        totals = table[np.repeat(row[first:last], n) - i]
        totals = totals + columns[i + np.repeat(shift[first:last], n)]
        most = np.maximum.reduceat(totals, starts)
        hits = np.flatnonzero(totals >= np.repeat(most, n))
        best[first:last] = i[hits[np.searchsorted(hits, starts)]]
        value[first:last] = most
        first = last
    return best.reshape(shape), value.reshape(shape)
