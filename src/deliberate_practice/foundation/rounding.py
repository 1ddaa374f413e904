"""The rounding unit of doubles, and numbers without their last bits.

The last bits of a sum or a logarithm depend on the processor. Decisions compare numbers without
them: otherwise they would decide between policies that look alike, and one seed would practise
different policies on two computers.
"""

from __future__ import annotations

import sys
from typing import overload

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray

EPS = sys.float_info.epsilon
"""Distance from 1 to the next larger double."""

DIGITS = 9
"""Digits that comparisons look at."""


@overload
def rounded(values: float, scale: float | None = None) -> float: ...
@overload
def rounded(values: FloatArray, scale: float | None = None) -> FloatArray: ...


def rounded(values: float | FloatArray, scale: float | None = None) -> float | FloatArray:
    """Numbers without their last bits.

    >>> 0.1 + 0.2 == 0.3, rounded(0.1 + 0.2) == rounded(0.3)
    (False, True)

    Args:
        values: The numbers.
        scale: The digits are those of this number. A difference has the rounding errors of the
            numbers that it is made of, so they are its scale. By default each number's own.
    """
    exponent = np.frexp(values if scale is None else scale)[1]
    found = np.ldexp(np.round(np.ldexp(values, -exponent), DIGITS), exponent)
    return np.asarray(found) if isinstance(values, np.ndarray) else float(found)
