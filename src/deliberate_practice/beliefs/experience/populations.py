"""From experience to the population that a skill of a kind is taken from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deliberate_practice.beliefs.belief import EvidenceModel
from deliberate_practice.beliefs.population import USUAL, Population, Usual
from deliberate_practice.beliefs.prior import QUALITIES
from deliberate_practice.beliefs.search import usual_searches
from deliberate_practice.beliefs.stated import Stated
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.task.experience import Experience

LEARNED = "learned "
"""Before the name of a quality: skills are as in earlier sessions, and the statements about them
have that quality."""

SHARE = 0.5
"""Probability that skills are as in earlier sessions, before anything is stated or seen."""

WIDE = 2.0
"""Standard deviation of the unusual skills of a kind, relative to that of the ordinary ones."""


def learned_rows(
    make: Callable[[Stated, Population], FloatArray],
    experience: Experience,
    model: EvidenceModel,
    kind: str,
    stated: Stated,
) -> FloatArray:
    """What a function of populations gives for each quality with its own population.

    Args:
        make: Gives a row (or a number) for each quality from a statement and a population.
        experience: Earlier sessions.
        model: How the policy improves.
        kind: The kind of skill.
        stated: The statement about it.
    """
    rows = [
        make(stated, population(experience, model, quality, kind))[c]
        for c, quality in enumerate(QUALITIES)
    ]
    return np.array(rows)


def population(experience: Experience, model: EvidenceModel, quality: str, kind: str) -> Population:
    """The skills of a kind; the usual ones if none that improve in this way were practised."""
    if model not in experience.models:
        return usual_searches() if model == "search" else USUAL
    seen = experience.models[model].kind(quality, kind)
    start, rate = (Usual(mean, sd, WIDE * sd) for mean, sd in (seen.start, seen.rate))
    return Population(start, rate, tuple(seen.ceilings), tuple(seen.shapes), seen.impossible)
