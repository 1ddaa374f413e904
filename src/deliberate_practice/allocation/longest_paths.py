"""The best way from every state of a product-form task to a goal, for many weightings at once.

    h(s) = max over edges s -> t of weight(kind) + h(t),   h(goal) = log reward,

with one weight per kind and column. States are visited after all states that they lead to, so each
edge is used once. States that lead into a cycle are visited together until nothing changes. Weights
are at most 0, so that happens after at most as many turns as there are states.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from deliberate_practice.allocation.product_form import ProductForm
from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.foundation.deadline import check


class Group(NamedTuple):
    """States that are visited together.

    Attributes:
        states: Their indices.
        edges: The edges out of them, sorted by state.
        first: Position of the first edge of each state.
        again: Whether they lead to each other, so that one visit is not enough.
    """

    states: IntArray
    edges: IntArray
    first: IntArray
    again: bool


class LongestPaths:
    """Longest paths to a goal through one graph of plans.

    Args:
        form: The graph.
        deadline: When to give up.
    """

    def __init__(self, form: ProductForm, deadline: float | None = None) -> None:
        self._form, self._deadline = form, deadline

    def sweep(self, weights: FloatArray) -> FloatArray:
        """h of each state, shape (N, C), for weights by kind, shape (K, C).

        Raises:
            Late: The deadline has passed.
        """
        form = self._form
        logs = np.repeat(form.goal_log[:, None], weights.shape[1], axis=1)
        for group in self._groups:
            kind, target = form.kind[group.edges], form.target[group.edges]
            while True:
                check(self._deadline)
                ahead = weights[kind]
                ahead += logs[target]
                after = np.maximum.reduceat(ahead, group.first, axis=0)
                settled = not group.again or np.array_equal(after, logs[group.states])
                logs[group.states] = after
                if settled:
                    break
        return logs

    def trace(self, weights: FloatArray, logs: FloatArray) -> tuple[int, ...]:
        """The edges of the best way from the start in one column; () if it leads to no goal."""
        form, edges = self._form, []
        state, visited = form.start, set()
        while form.goal_log[state] == -np.inf:
            first, last = np.searchsorted(form.source, [state, state + 1])
            if first == last or state in visited:
                return ()
            visited.add(state)
            ahead = weights[form.kind[first:last]] + logs[form.target[first:last]]
            edges.append(int(first + np.argmax(ahead)))
            state = int(form.target[edges[-1]])
        return tuple(edges)

    def uses(self, weights: FloatArray, logs: FloatArray) -> IntArray:
        """How often the best way from the start uses each kind, shape (K, C)."""
        form, columns = self._form, np.arange(weights.shape[1])
        uses = np.zeros(weights.shape, dtype=np.int64)
        state = np.full(len(columns), form.start)
        kinds, targets, missing = self._outgoing
        for _ in range(len(form.goal_log)):  # a best way visits no state twice
            under_way = np.flatnonzero(~missing[state, 0])
            if not len(under_way):
                break
            here, column = state[under_way, None], columns[under_way, None]
            kind, target = kinds[here[:, 0]], targets[here[:, 0]]
            ahead = weights[kind, column] + logs[target, column]
            best = np.argmax(np.where(missing[here[:, 0]], -np.inf, ahead), axis=1)
            rows = np.arange(len(under_way))
            uses[kind[rows, best], column[:, 0]] += 1
            state[under_way] = target[rows, best]
        return uses

    @cached_property
    def length(self) -> int:
        """The most skills on any way that visits no state twice."""
        if any(group.again for group in self._groups):
            return len(self._form.goal_log) - 1
        return len(self._groups)

    def most_uses(self) -> IntArray:
        """The most uses of each kind on any way from the start that visits no state twice.

        With cycles this is only an upper bound: the number of states in which a kind can be used.
        """
        form, kinds = self._form, len(self._form.kinds)
        if any(group.again for group in self._groups):
            pairs = np.unique(np.stack([form.kind, form.source]), axis=1)
            places: IntArray = np.bincount(pairs[0], minlength=kinds)
            return places
        worthless = np.where(form.goal_log > -np.inf, 0.0, -np.inf)
        paths = LongestPaths(replace(form, goal_log=worthless), self._deadline)
        most = paths.sweep(np.eye(kinds))[form.start]
        whole: IntArray = np.maximum(most, 0.0).astype(np.int64)
        return whole

    @cached_property
    def _outgoing(self) -> tuple[IntArray, IntArray, BoolArray]:
        """Kinds and targets of the edges out of each state, and which places are empty."""
        form = self._form
        states = len(form.goal_log)
        first = np.searchsorted(form.source, np.arange(states + 1))
        place = np.arange(max(int(np.diff(first).max(initial=0)), 1))
        edge = first[:-1, None] + place
        missing = edge >= first[1:, None]
        edge[missing] = 0
        return form.kind[edge], form.target[edge], missing

    @cached_property
    def _groups(self) -> list[Group]:
        form = self._form
        done = np.ones(len(form.goal_log), dtype=np.bool_)
        done[form.source] = False
        left, groups = np.arange(len(form.source)), []
        while len(left):
            check(self._deadline)
            waiting = np.zeros(len(done), dtype=np.bool_)
            waiting[form.source[left[~done[form.target[left]]]]] = True
            ready = left[~waiting[form.source[left]]]
            again = not len(ready)
            edges = left if again else ready
            states, first = np.unique(form.source[edges], return_index=True)
            groups.append(Group(states, edges, first, again))
            done[states] = True
            left = left[waiting[form.source[left]]] if not again else left[:0]
        return groups
