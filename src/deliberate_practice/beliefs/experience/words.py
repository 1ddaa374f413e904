"""Experience in figures for people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from deliberate_practice.beliefs.hypotheses import CEILINGS
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.task.experience import ANY, Experience


@dataclass(frozen=True)
class KindSeen:
    """What is expected of a skill of one kind, with one standard deviation to either side.

    Attributes:
        kind: The kind of skill; ``any other`` for all that were not seen. With policies that
            improve in several ways, the way is named, too.
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
    """Each kind of skill, averaged over the qualities of the stated figures; all others last."""
    shares = np.array([*experience.qualities.values()])
    for model, learned in experience.models.items():
        way = f" ({model})" if len(experience.models) > 1 else ""
        names = next(iter(learned.kinds.values()))
        for name in sorted(names, key=lambda name: name == ANY):
            kinds = [learned.kind(quality, name) for quality in experience.qualities]
            start, start_sd = _mixed(shares, [kind.start for kind in kinds])
            rate, rate_sd = _mixed(shares, [kind.rate for kind in kinds])
            ceilings = shares @ [kind.ceilings for kind in kinds]
            starts = [_competence(y) for y in (start, start - start_sd, start + start_sd)]
            speeds = [math.exp(y) for y in (rate, rate - rate_sd, rate + rate_sd)]
            yield KindSeen(
                ("any other" if name == ANY else name) + way,
                kinds[0].skills if name != ANY else 0,
                *(starts[0], starts[1], starts[2]),
                *(speeds[0], speeds[1], speeds[2]),
                float(ceilings @ CEILINGS),
                float(shares @ [kind.impossible for kind in kinds]),
            )


def _mixed(shares: FloatArray, figures: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Mean and standard deviation of a mixture."""
    means, sds = np.array(figures).T
    mean = float(shares @ means)
    return mean, float(np.sqrt(shares @ (sds**2 + (means - mean) ** 2)))


def _competence(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))
