"""The probability of each hypothesis about a new skill, given experience with others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deliberate_practice.beliefs.experience.axes import axes, stated_speed
from deliberate_practice.beliefs.hypotheses import CEILINGS
from deliberate_practice.beliefs.prior import spread, stated_start
from deliberate_practice.beliefs.stated import Stated
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.task.experience import Learned, Line

EXPERIENCED = "experienced"
"""Name of the explanation that skills are as earlier sessions say."""

SHARE = 0.5
"""Its probability before any attempt. The others remain, in case this robot is another one."""


def experienced_weights(learned: Learned, model: str, kind: str, stated: Stated) -> FloatArray:
    """Probability of each hypothesis of a model's table, shape (H,); they sum to 1."""
    seen = learned.kind(kind)
    ceilings = np.asarray(seen.ceilings)
    if stated.ceiling < 1:
        near = spread(CEILINGS, stated.ceiling, axes(model).ceiling_sd)
        ceilings = learned.trust * near + (1 - learned.trust) * ceilings
    return axes(model).joint(
        expected(learned.start, seen.start, stated_start(stated)),
        expected(learned.rate, seen.rate, stated_speed(stated, model)),
        ceilings,
        np.asarray(seen.shapes),
        seen.impossible,
    )


def expected(line: Line, height: Sequence[float], stated: float) -> tuple[float, float]:
    """Mean and standard deviation of a true figure, given the stated one."""
    off = stated - line.centre
    variance = line.sd**2 + height[1] ** 2 + (off * line.slope_sd) ** 2
    return height[0] + line.slope * off, float(np.sqrt(variance))
