"""Evaluate the curve that a task states."""

from __future__ import annotations

import numpy as np

from deliberate_practice.curves import exponential, piecewise_linear, table
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.task.model import Policy
from deliberate_practice.task.skill import Curve

NEVER = 1e15
"""More attempts than any budget allows."""

KINDS = {"piecewise-linear": piecewise_linear, "exponential": exponential, "table": table}


def predict(
    curve: Curve | None, competence: float, b: FloatArray, speed: float = 1.0
) -> FloatArray:
    """Competence after b more attempts, f_improv(p, b) of the paper.

    >>> predict(Curve("linear", rate=0.03), 0.1, np.array([0.0, 10.0, 50.0])).tolist()
    [0.1, 0.4, 1.0]

    Args:
        curve: The stated curve; None is a constant.
        competence: Competence now; a curve that states its own start overrides it.
        b: Attempts, any shape, also fractions.
        speed: Practise as if each attempt counted so often: 2 is twice the stated rate.
    """
    if curve is None:
        return np.full(np.shape(b), competence)
    start = competence if curve.competence is None else curve.competence
    attempts: FloatArray = np.asarray(b, dtype=np.float64) * speed
    with np.errstate(over="ignore"):  # beyond all numbers is beyond the ceiling
        competences: FloatArray = KINDS[curve.kind].predict(curve, start, attempts)
    return competences


def slope(curve: Curve | None, competence: float, b: FloatArray) -> FloatArray:
    """Right derivative of :func:`predict` [1/attempt]."""
    if curve is None:
        return np.zeros(np.shape(b))
    start = competence if curve.competence is None else curve.competence
    with np.errstate(over="ignore"):
        slopes: FloatArray = KINDS[curve.kind].slope(curve, start, np.asarray(b, dtype=np.float64))
    return slopes


def saturation(curve: Curve | None) -> float:
    """Attempts at the stated speed after which a curve does not rise any more, up to rounding.

    Very small rates count as :data:`NEVER`.
    """
    if curve is None or curve.rate == 0:
        return 0.0
    if curve.values is not None:
        return len(curve.values) - 1.0
    rate = curve.rate or 0.0
    return min(NEVER, (1.0 if curve.kind == "piecewise-linear" else 40.0) / rate + 1.0)


def competence_table(policy: Policy, attempts: int, speed: float = 1.0) -> FloatArray:
    """Predicted competence after 0, 1, ..., ``attempts`` more attempts, shape (attempts + 1,)."""
    return predict(policy.curve, policy.competence, np.arange(attempts + 1.0), speed)
