"""From the attempts of earlier sessions to experience.

The model is that of the belief without experience, with one more level: the skills of a kind have
a population of their own, and those of all kinds lie around what is usual. A statement is a
measurement of the truth with an error that depends on the quality of all statements.

    quality of all statements     its probability from the evidence
    heights of a kind             :mod:`.heights`, exactly on a grid
    ceilings, shapes, no effect   by kind, drawn to those of all kinds: posterior means in turns
                                  with the heights
    one skill                     :mod:`.evidence`, exactly on its table of hypotheses

Everything is learned once for each quality, as if all statements had it, because they are evidence
about kinds. So an experience has a population of each kind under each quality.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deliberate_practice.beliefs.experience.axes import axes
from deliberate_practice.beliefs.experience.evidence import Counts, Evidence, Seen, Shares
from deliberate_practice.beliefs.experience.heights import Axis, Heights
from deliberate_practice.beliefs.population import Population
from deliberate_practice.beliefs.prior import QUALITIES, Quality
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.task.experience import ANY, Experience, Kind, Learned

ROUNDS = 4
"""Rounds of the fit; later ones change less than the uncertainty by far."""

CEILING_COUNT, SHAPE_COUNT, IMPOSSIBLE_COUNT = 4.0, 6.0, 12.0
"""As how many skills the usual probabilities count."""
QUALITY_COUNT = 0.3
"""As how many sessions the usual weights of the qualities count, so that none is ruled out."""
KIND_COUNT = 3.0
"""As how many skills of a kind the probabilities of all kinds count."""


def fit(sessions: Sequence[Sequence[Seen]]) -> Experience:
    """The experience of some sessions.

    Args:
        sessions: The policies of each of them, practised or not.
    """
    seen = [one for session in sessions for one in session]
    fits: dict[str, dict[str, Fit]] = {}
    for model in dict.fromkeys(one.model for one in seen):
        alike = [one for one in seen if one.model == model]
        fits[model] = {name: _fit(model, alike, each) for name, each in QUALITIES.items()}
    usual = np.array([quality.weight for quality in QUALITIES.values()])
    usual /= usual.sum()
    log_joint = np.log(usual)
    for by_quality in fits.values():
        log_joint = log_joint + [found.heights.log_evidence for found in by_quality.values()]
    qualities = np.exp(log_joint - np.logaddexp.reduce(log_joint))
    shares = QUALITY_COUNT * usual + len(sessions) * qualities
    learned = {
        model: Learned({name: found.kinds() for name, found in by_quality.items()})
        for model, by_quality in fits.items()
    }
    return Experience(len(sessions), dict(zip(QUALITIES, _listed(shares), strict=True)), learned)


@dataclass(frozen=True, eq=False)
class Fit:
    """What is known about the skills that improve in one way, if statements have a quality.

    Attributes:
        skills: What was stated and seen.
        shares: Ceilings, shapes and "no effect" of each kind, and of any other.
        heights: The posterior of the heights.
    """

    skills: Sequence[Evidence]
    shares: Mapping[str, Shares]
    heights: Heights

    def kinds(self) -> dict[str, Kind]:
        """The population of each kind, and of any other."""
        return {kind: self._kind(kind) for kind in self.shares}

    def _kind(self, kind: str) -> Kind:
        heights, shares = self.heights.kind(kind), self.shares[kind]
        practised = [skill for skill in self.skills if skill.seen.practised]
        return Kind(
            skills=sum(kind in (ANY, skill.seen.kind) for skill in practised),
            start=self.heights.start.moments(heights.sum(axis=1)),
            rate=self.heights.speed.moments(heights.sum(axis=0)),
            ceilings=_listed(shares.ceilings),
            shapes=_listed(shares.shapes),
            impossible=shares.impossible,
        )


def _fit(model: str, seen: Sequence[Seen], quality: Quality) -> Fit:
    """Heights and shares in turns, each given the other."""
    usual = axes(model).usual
    start, speed = Axis.around(usual.start), Axis.around(usual.speed)
    said = [one.stated for one in seen]
    skills = [Evidence(one, quality, start, speed, said.count(one.stated)) for one in seen]
    kinds = [ANY, *sorted({one.kind for one in seen})]
    shares = _shares(usual, {kind: [] for kind in kinds})
    for _ in range(ROUNDS):
        heights = _heights(usual, skills, shares)
        counted: dict[str, list[Counts]] = {kind: [] for kind in kinds}
        for skill in skills:
            if skill.seen.practised:
                kind = skill.seen.kind
                counted[kind].append(skill.counts(shares[kind], heights.kind(kind)))
        shares = _shares(usual, counted)
    return Fit(skills, shares, _heights(usual, skills, shares))


def _heights(
    usual: Population, skills: Sequence[Evidence], shares: Mapping[str, Shares]
) -> Heights:
    by_kind: dict[str, FloatArray] = {}
    for skill in skills:
        kind = skill.seen.kind
        by_kind[kind] = by_kind.get(kind, 0.0) + skill.log_likelihood(shares[kind])
    return Heights.of(usual, by_kind)


def _shares(usual: Population, counted: Mapping[str, Sequence[Counts]]) -> dict[str, Shares]:
    """Posterior means: all kinds are drawn to the usual shares, and each kind to all of them."""
    every = [counts for found in counted.values() for counts in found]
    assert usual.impossible is not None  # axes state it for every model
    first = Shares(np.asarray(usual.ceilings), np.asarray(usual.shapes), usual.impossible)
    overall = _drawn(first, (CEILING_COUNT, SHAPE_COUNT, IMPOSSIBLE_COUNT), every)
    each = (KIND_COUNT, KIND_COUNT, KIND_COUNT)
    by_kind = {kind: _drawn(overall, each, found) for kind, found in counted.items()}
    return {**by_kind, ANY: overall}


def _drawn(to: Shares, weights: tuple[float, float, float], counted: Sequence[Counts]) -> Shares:
    ceilings = sum((c.ceilings for c in counted), start=weights[0] * to.ceilings)
    shapes = sum((c.shapes for c in counted), start=weights[1] * to.shapes)
    dead = sum((1 - c.effect for c in counted), start=weights[2] * to.impossible)
    share = dead / (weights[2] + len(counted))
    return Shares(ceilings / ceilings.sum(), shapes / shapes.sum(), float(share))


def _listed(shares: FloatArray) -> tuple[float, ...]:
    return tuple((shares / shares.sum()).tolist())
