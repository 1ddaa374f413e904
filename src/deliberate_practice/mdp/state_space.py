"""The states of a task as numbers: value indices, state codes, and sets of new states."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from deliberate_practice.foundation.arrays import IntArray
from deliberate_practice.mdp.conditions import Conditions
from deliberate_practice.mdp.relaxation import Relaxation, StateArray
from deliberate_practice.task.model import Task, allowed_values
from deliberate_practice.task.skill import Condition, Effect, PossibleEffect, Skill

RELAX_FROM = 256
"""Smaller layers skip the relaxation; a later pass drops their worthless states."""

WAITING = 8_000_000
"""Values of states that wait for comparison with known ones."""

CodeArray = npt.NDArray[np.generic]
"""States as sortable numbers, or byte strings."""


class Space:
    """A task in numbers: values as indices, states as integer codes."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.variable = {name: v for v, name in enumerate(task.variables)}
        self.value = [{x: i for i, x in enumerate(values)} for values in task.variables.values()]
        sizes = [len(values) for values in task.variables.values()]
        self.dtype = np.uint8 if max(sizes) <= 256 else np.uint32
        self.preconditions = self._conditions(skill.precondition for skill in task.skills)
        self.goals = self._conditions(goal.when for goal in task.goals)
        self.outcomes = [
            [
                (weight, success, self._assigns(outcome.effect))
                for success, outcomes in _by_success(skill)
                for weight, outcome in _weighted(outcomes)
                if outcome.effect != "end" and weight > 0
            ]
            for skill in task.skills
        ]
        self.ends = np.array(
            [
                [math.fsum(w for w, o in _weighted(outcomes) if o.effect == "end")]
                for skill in task.skills
                for _, outcomes in _by_success(skill)
            ]
        ).reshape(len(task.skills), 2)
        self._words = _word_layout(sizes)

    def start_states(self) -> StateArray:
        """All start states of positive probability, shape (variables, starts)."""
        rows = [
            [self.value[v][start.state[name]] for name, v in self.variable.items()]
            for start in self.task.start_states
            if start.probability > 0
        ]
        return np.ascontiguousarray(np.array(rows, dtype=self.dtype).T)

    def codes(self, states: StateArray) -> CodeArray:
        """A number for each state, or a byte string if 64 bits are too few."""
        words = np.zeros((len(self._words), states.shape[1]), dtype=np.uint64)
        for word, variables in zip(words, self._words, strict=True):
            for v, factor in variables:
                word += states[v].astype(np.uint64) * np.uint64(factor)
        if len(words) == 1:
            return words.reshape(-1)
        # Byte strings compare like big-endian numbers.
        return np.ascontiguousarray(words.T.astype(">u8")).view(f"S{8 * len(words)}")[:, 0]

    def _conditions(self, conditions: Iterable[Condition]) -> Conditions:
        allowed = [
            {
                (v := self.variable[name]): frozenset(
                    self.value[v][x] for x in allowed_values(values)
                )
                for name, values in condition.items()
            }
            for condition in conditions
        ]
        return Conditions(allowed, [len(values) for values in self.value])

    def _assigns(self, effect: Effect) -> list[tuple[int, int]]:
        changes = effect if isinstance(effect, Mapping) else {}
        return [
            (self.variable[name], self.value[self.variable[name]][x]) for name, x in changes.items()
        ]


class NewStates:
    """The distinct states of the next layer: not seen before, and not worthless."""

    def __init__(self, space: Space, seen: CodeArray, relaxation: Relaxation | None) -> None:
        self._space, self._seen, self._relaxation = space, seen, relaxation
        self._states = [np.zeros((len(space.variable), 0), space.dtype)]
        self._codes = space.codes(self._states[0])
        self._waiting: list[StateArray] = []
        self._size = 0
        self.complete = True  # whether no state was left out as worthless

    def add(self, states: StateArray) -> None:
        """Add states, which are compared with others a few million values at a time."""
        self._waiting.append(states)
        self._size += states.size
        if self._size > WAITING:
            self._sort()

    @property
    def count(self) -> int:
        """The number of states known to be new."""
        return len(self._codes)

    def layer(self) -> StateArray:
        """All new states, ordered by their codes."""
        self._sort()
        states = np.concatenate(self._states, axis=1)
        return states[:, np.argsort(self._space.codes(states), kind="stable")]

    def _sort(self) -> None:
        """Keep the new ones among the waiting states."""
        if not self._waiting:
            return
        states = np.concatenate(self._waiting, axis=1)
        self._waiting, self._size = [], 0
        codes, first = np.unique(self._space.codes(states), return_index=True)
        new = (find(self._seen, codes) < 0) & (find(self._codes, codes) < 0)
        states = states[:, first[new]]
        if self._relaxation and states.shape[1] >= RELAX_FROM:
            worthless = self._relaxation.worthless(states)
            self.complete &= not worthless.any()
            states = states[:, ~worthless]
        self._states.append(states)
        self._codes = np.sort(np.concatenate([self._codes, self._space.codes(states)]))


def find(ordered: CodeArray, codes: CodeArray) -> IntArray:
    """Position of each code in a sorted array, -1 where it is missing."""
    if not len(ordered):
        return np.full(len(codes), -1)
    position = np.minimum(np.searchsorted(ordered, codes), len(ordered) - 1)
    return np.where(ordered[position] == codes, position, -1)


def _by_success(skill: Skill) -> tuple[tuple[bool, tuple[PossibleEffect, ...]], ...]:
    return (True, skill.success_effects), (False, skill.failure_effects)


def _weighted(options: Sequence[PossibleEffect]) -> list[tuple[float, PossibleEffect]]:
    """Effects with their probabilities, scaled to sum to 1 if rounding made a difference."""
    total = math.fsum(option.probability for option in options)
    return [(option.probability / total, option) for option in options]


def _word_layout(sizes: list[int]) -> list[list[tuple[int, int]]]:
    """The variables in each 64-bit word of a code, with their factors."""
    words: list[list[tuple[int, int]]] = [[]]
    factor = 1
    for v, size in enumerate(sizes):
        if factor * size >= 2**64:
            words.append([])
            factor = 1
        words[-1].append((v, factor))
        factor *= size
    return words
