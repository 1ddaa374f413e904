"""The freedom of a supersolution: heights h, weights η and offsets k. Any choice is valid."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Box:
    """Episodes low <= b <= high of each policy, with the competences in between.

    Attributes:
        low, high: Episodes, shape (policies,).
        tables: Competence after low, low + 1, ..., high episodes of each policy.
    """

    low: IntArray
    high: IntArray
    tables: tuple[FloatArray, ...]

    @cached_property
    def wide(self) -> IntArray:
        """The policies whose competence changes within the box."""
        return np.flatnonzero([table[-1] > table[0] for table in self.tables])

    @cached_property
    def ends(self) -> Box:
        """The box with the ends of its tables alone."""
        return Box(self.low, self.high, tuple(table[[0, -1]] for table in self.tables))

    @cached_property
    def single(self) -> bool:
        """Whether all splits of the box have the same competences."""
        return not len(self.wide)


@dataclass(frozen=True, eq=False)
class Shape:
    """W_s(b) = m_s exp(Σ_v η_sv h_v(b_v)) - k_s, up to the scales m.

    Attributes:
        heights: h_v after low, ..., high episodes, nondecreasing from 0, for each policy.
        weights: η >= 0, shape (N, policies); 0 in goals.
        offsets: k >= 0, shape (N,); 0 in goals.
    """

    heights: tuple[FloatArray, ...]
    weights: FloatArray
    offsets: FloatArray

    @cached_property
    def tops(self) -> FloatArray:
        """h_v at the upper end of the box, shape (policies,)."""
        return np.array([height[-1] for height in self.heights])


def flat_shape(box: Box, states: int) -> Shape:
    """h = 0, whose supersolution is the corner bound."""
    heights = tuple(np.zeros(len(table)) for table in box.tables)
    return Shape(heights, np.zeros((states, len(heights))), np.zeros(states))
