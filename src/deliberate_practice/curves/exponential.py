"""f(b) = p + (ceiling - p)(1 - exp(-rate b)), the paper's saturating exponential."""

from __future__ import annotations

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.task.skill import Curve


def predict(curve: Curve, p: float, b: FloatArray) -> FloatArray:
    """Competence after b attempts."""
    risen = p - (curve.ceiling - p) * np.expm1(-(curve.rate or 0.0) * b)
    return np.minimum(curve.ceiling, risen)  # rounding may go beyond it


def slope(curve: Curve, p: float, b: FloatArray) -> FloatArray:
    """Derivative."""
    rate = curve.rate or 0.0
    return (curve.ceiling - p) * rate * np.exp(-rate * b)
