"""Normal deviates, evenly spread or random; even ones do not cluster, which saves attempts."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray

_NORMAL = NormalDist()
_EDGE = 1e-9  # no deviate is infinite


class EvenDeviates:
    """A stretch of a quasi-random sequence in d dimensions, and what is random after it.

    The points of the additive recurrence u + n (g, g², ...) mod 1, with u a random shift and 1/g
    the root of x^(d+1) = x + 1, which generalises the golden ratio, fill the unit cube evenly
    however many are taken. Their normal quantiles are the deviates.

    Args:
        entropy: Where the shift comes from.
        dimension: Numbers per deviate.
        begin: Deviates of the sequence that were taken before.
        count: How many come from the sequence now; further ones are random.
    """

    def __init__(self, entropy: list[int], dimension: int, begin: int, count: int) -> None:
        shift = np.random.default_rng(entropy).random(dimension)
        root = 2.0
        for _ in range(64):
            root = (1.0 + root) ** (1.0 / (dimension + 1))
        steps = root ** -np.arange(1.0, dimension + 1)
        numbers = np.arange(begin + 1.0, begin + count + 1)
        self._points = list((shift + numbers[:, None] * steps) % 1.0)
        self._dimension = dimension
        self._random = np.random.default_rng([*entropy, begin])

    def draw(self) -> FloatArray:
        """The next deviate."""
        point = self._points.pop(0) if self._points else self._random.random(self._dimension)
        inside = np.clip(point, _EDGE, 1 - _EDGE)
        return np.array([_NORMAL.inv_cdf(value) for value in inside.tolist()])


class RandomDeviates:
    """Independent normal deviates, by the arguments of :class:`EvenDeviates`."""

    def __init__(self, entropy: list[int], dimension: int, begin: int, count: int) -> None:
        self._random = np.random.default_rng([*entropy, begin, 1])
        self._dimension = dimension

    def draw(self) -> FloatArray:
        """The next deviate."""
        return self._random.standard_normal(self._dimension)
