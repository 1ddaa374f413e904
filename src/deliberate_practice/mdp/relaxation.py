"""A relaxed task, in which variables collect values instead of changing them.

A state that cannot be reached in the relaxed task cannot be reached at all. The relaxed task is
solved by adding values until nothing changes, for many states at once: a set of values is a bit
mask.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from deliberate_practice.foundation.arrays import BoolArray
from deliberate_practice.task.model import Task, allowed_values
from deliberate_practice.task.skill import Condition

StateArray = npt.NDArray[np.unsignedinteger]
"""States as value indices, shape (variables, n): one variable is one contiguous row."""


class Relaxation:
    """The relaxed task; values from the 64th on share a bit, which is weaker but still correct."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._index = {
            name: (v, {value: i for i, value in enumerate(values)})
            for v, (name, values) in enumerate(task.variables.items())
        }
        widest = max(len(values) for values in task.variables.values())
        self._type = np.uint8 if widest <= 8 else np.uint16 if widest <= 16 else np.uint64
        self._goals = [self._mask(goal.when) for goal in task.goals]
        self._preconditions = [self._mask(skill.precondition) for skill in task.skills]
        additions = [
            sorted(
                {
                    addition
                    for option in (*skill.success_effects, *skill.failure_effects)
                    if isinstance(option.effect, Mapping) and option.probability > 0
                    for addition in self._mask(option.effect)
                }
            )
            for skill in task.skills
        ]
        # Skills that look the same here are tried once.
        pairs = zip(map(tuple, self._preconditions), map(tuple, additions), strict=True)
        self._skills = list(dict.fromkeys(pairs))

    def worthless(self, states: StateArray) -> BoolArray:
        """Which states certainly can no longer earn a reward."""
        collected = self._collect(self._bits(states))
        hopeful = np.zeros(states.shape[1], dtype=np.bool_)
        for goal in self._goals:
            hopeful |= self._holds(collected, goal)
        for skill, precondition in zip(self.task.skills, self._preconditions, strict=True):
            if skill.step_reward > 0:
                hopeful |= self._holds(collected, precondition)
        return ~hopeful

    def unreachable(self, states: StateArray) -> tuple[list[str], list[str], list[str]]:
        """Values (as ``variable = value``), skills and goals that these states cannot lead to."""
        together = np.bitwise_or.reduce(self._bits(states), axis=1, keepdims=True)
        collected = self._collect(together)

        def never(conditions: Mapping[str, Condition]) -> list[str]:
            masks = {name: self._mask(condition) for name, condition in conditions.items()}
            return [name for name, mask in masks.items() if not self._holds(collected, mask)[0]]

        values = self.task.variables.items()
        return (
            never(
                {
                    f"{name} = {value}": {name: value}
                    for name, options in values
                    for value in options
                }
            ),
            never({skill.name: skill.precondition for skill in self.task.skills}),
            never({goal.name: goal.when for goal in self.task.goals}),
        )

    def _collect(self, bits: StateArray) -> StateArray:
        """Add the values that skills can add until nothing changes, in file order and back."""
        bits = bits.copy()
        skills = list(self._skills)
        changed = True
        while changed:
            changed = False
            skills.reverse()
            for precondition, additions in skills:
                applies = self._holds(bits, precondition)
                if not applies.any():
                    continue
                for v, bit in additions:
                    news = applies & ((bits[v] & self._type(bit)) == 0)
                    if news.any():
                        bits[v][news] |= self._type(bit)
                        changed = True
        return bits

    def _holds(self, bits: StateArray, mask: Iterable[tuple[int, int]]) -> BoolArray:
        result = np.ones(bits.shape[1], dtype=np.bool_)
        for v, allowed in mask:
            result &= (bits[v] & self._type(allowed)) != 0
        return result

    def _bits(self, states: StateArray) -> StateArray:
        one = np.ones((), dtype=self._type)
        bits: StateArray = np.left_shift(one, np.minimum(states, 63).astype(self._type))
        return bits

    def _mask(self, condition: Condition) -> list[tuple[int, int]]:
        """A condition (or an effect) as pairs of a variable and the bits of its values."""
        masks = []
        for name, values in condition.items():
            v, options = self._index[name]
            masks.append(
                (v, sum({1 << min(options[value], 63) for value in allowed_values(values)}))
            )
        return masks
