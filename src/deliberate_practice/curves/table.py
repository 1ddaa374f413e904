"""f(b) = values[b], straight between whole attempts, constant after the end."""

from __future__ import annotations

import numpy as np

from deliberate_practice.task.mdp import FloatArray
from deliberate_practice.task.skill import Curve


def predict(curve: Curve, p: float, b: FloatArray) -> FloatArray:
    """Competence after b attempts; the table itself says where it starts."""
    values = np.asarray(curve.values)
    return np.interp(b, np.arange(len(values)), values)


def slope(curve: Curve, p: float, b: FloatArray) -> FloatArray:
    """Right derivative."""
    steps = np.append(np.diff(np.asarray(curve.values)), 0.0)
    return steps[np.minimum(b.astype(np.int64), len(steps) - 1)]
