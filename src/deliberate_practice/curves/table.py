"""f(b) = values[b], straight between whole attempts, constant after the end."""

from __future__ import annotations

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.task.skill import Curve


def predict(curve: Curve, p: float, b: FloatArray) -> FloatArray:
    """Competence after b attempts; the table itself says where it starts."""
    values = _values(curve)
    return np.interp(b, np.arange(len(values)), values)


def slope(curve: Curve, p: float, b: FloatArray) -> FloatArray:
    """Right derivative."""
    steps = np.append(np.diff(_values(curve)), 0.0)
    chosen: FloatArray = steps[np.minimum(b.astype(np.int64), len(steps) - 1)]
    return chosen


def _values(curve: Curve) -> FloatArray:
    return np.asarray(curve.values, dtype=np.float64)
