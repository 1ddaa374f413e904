"""Experience in figures for people."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from deliberate_practice.beliefs.experience.weights import expected
from deliberate_practice.beliefs.hypotheses import CEILINGS
from deliberate_practice.task.experience import ANY, Experience


@dataclass(frozen=True)
class KindSeen:
    """What is expected of a skill of one kind, with one standard deviation to either side.

    Attributes:
        kind: The kind of skill; ``any other`` for all that were not seen.
        skills: Policies of it that were practised.
        start, start_low, start_high: Competence before practice.
        speed, speed_low, speed_high: Initial slope, or chance of a first success [1/attempt].
        ceiling: Mean competence after endless practice.
        impossible: Probability that practice has no effect.
    """

    kind: str
    skills: int
    start: float
    start_low: float
    start_high: float
    speed: float
    speed_low: float
    speed_high: float
    ceiling: float
    impossible: float


def kinds_seen(experience: Experience) -> Iterator[KindSeen]:
    """Each kind of skill, for stated figures as they were on average; all others come last."""
    for learned in experience.models.values():
        for name, kind in sorted(learned.kinds.items(), key=lambda item: item[0] == ANY):
            start, start_sd = expected(learned.start, kind.start, learned.start.centre)
            rate, rate_sd = expected(learned.rate, kind.rate, learned.rate.centre)
            starts = [_competence(y) for y in (start, start - start_sd, start + start_sd)]
            speeds = [math.exp(y) for y in (rate, rate - rate_sd, rate + rate_sd)]
            yield KindSeen(
                "any other" if name == ANY else name,
                kind.skills if name != ANY else 0,
                *(starts[0], starts[1], starts[2]),
                *(speeds[0], speeds[1], speeds[2]),
                float(np.dot(kind.ceilings, CEILINGS)),
                kind.impossible,
            )


def _competence(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))
