"""f(b) = min(ceiling, p + rate b), the paper's equation for competence improvement."""

from __future__ import annotations

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.task.skill import Curve


def predict(curve: Curve, p: float, b: FloatArray) -> FloatArray:
    """Competence after b attempts."""
    return np.minimum(curve.ceiling, p + (curve.rate or 0.0) * b)


def slope(curve: Curve, p: float, b: FloatArray) -> FloatArray:
    """Right derivative: the rate, and 0 once the ceiling is reached."""
    rate = curve.rate or 0.0
    return np.where(p + rate * b < curve.ceiling, rate, 0.0)
