"""Which of several conditions hold in which states, without comparing all with all.

Each condition is filed under the values that it allows of one variable, the one that excludes most
states. States are sorted by that variable, so a condition is compared only with states that have
such a value. Work and memory grow with the pairs that are left, not with conditions times states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from deliberate_practice.foundation.arrays import BoolArray, IntArray
from deliberate_practice.mdp.relaxation import StateArray

Allowed = Mapping[int, frozenset[int]]
"""A condition: the values that it allows, by variable."""


class Conditions:
    """Conditions on states that are given as value indices.

    Args:
        conditions: The conditions.
        sizes: Number of values of each variable.
    """

    def __init__(self, conditions: Sequence[Allowed], sizes: Sequence[int]) -> None:
        self._always: list[int] = []
        self._filed: dict[int, dict[int, list[int]]] = {}
        self._others: list[list[tuple[int, BoolArray]]] = []
        tables: dict[tuple[int, frozenset[int]], BoolArray] = {}
        for i, allowed in enumerate(conditions):
            key = min(allowed, key=lambda v: len(allowed[v]) / sizes[v], default=None)
            if key is None:
                self._always.append(i)
            else:
                for value in allowed[key]:
                    self._filed.setdefault(key, {}).setdefault(value, []).append(i)
            others = []
            for v, values in allowed.items():
                if v != key:
                    if (v, values) not in tables:
                        tables[v, values] = np.isin(np.arange(sizes[v]), list(values))
                    others.append((v, tables[v, values]))
            self._others.append(others)

    def holding(self, states: StateArray, among: BoolArray) -> Iterator[tuple[int, IntArray]]:
        """Each condition that holds somewhere, in order, with the states where it does.

        Args:
            states: States as value indices, shape (variables, n).
            among: The states to look at, shape (n,).
        """
        rows = np.flatnonzero(among)
        if not len(rows):
            return
        parts: dict[int, list[IntArray]] = {i: [rows] for i in self._always}
        for v, filed in self._filed.items():
            column = states[v][rows]
            order = np.argsort(column, kind="stable")
            values, first = np.unique(column[order], return_index=True)
            for value, some in zip(values.tolist(), np.split(rows[order], first[1:]), strict=True):
                for i in filed.get(value, ()):
                    parts.setdefault(i, []).append(some)
        for i in sorted(parts):
            where = parts[i][0] if len(parts[i]) == 1 else np.sort(np.concatenate(parts[i]))
            for v, table in self._others[i]:
                where = where[table[states[v][where]]]
            if len(where):
                yield i, where
