"""From the attempts of earlier sessions to experience.

The model is hierarchical. A session's stated figures have one quality. A skill's true start and
speed lie around a line through the stated figure, whose height varies by kind
(:class:`~deliberate_practice.task.experience.Line`). Ceiling, shape and "no effect" have
probabilities by kind. All of this is uncertain, with the priors below, and kinds resemble each
other.

Each skill's posterior over the table of hypotheses is exact. The figures they share are found by
variational Bayes: lines in closed form with their uncertainty, probabilities as posterior means.
``tests/beliefs/experience`` compares that with Monte Carlo sampling.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deliberate_practice.beliefs.experience.axes import Axes, axes, stated_speed
from deliberate_practice.beliefs.experience.weights import experienced_weights
from deliberate_practice.beliefs.hypotheses import CEILINGS, STARTS
from deliberate_practice.beliefs.prior import QUALITIES, logit, spread, stated_start
from deliberate_practice.beliefs.stated import Stated
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.task.experience import ANY, Experience, Kind, Learned, Line

ROUNDS = 30
"""Rounds of the fit; later ones change less than the uncertainty by far."""

SD, SD_COUNT = 0.45, 4.0
"""Usual standard deviation of skills around the line, and as how many skills that counts."""

HEIGHT_SD, KIND_SD = 1.0, 0.5
"""How far the line may be off the stated figures in all, and kinds from each other."""

SLOPE, SLOPE_SD = 0.6, 0.4
"""Usual slope of the line, and its standard deviation."""

IMPOSSIBLE_COUNT = 12.0
TRUST, TRUST_COUNT = 0.7, 5.0
CEILING_COUNT, SHAPE_COUNT, KIND_COUNT, QUALITY_COUNT = 4.0, 6.0, 3.0, 3.0
"""As how many skills, or sessions, the usual probabilities count; for a kind, those of all."""


@dataclass(frozen=True, eq=False)
class Seen:
    """A policy that was practised in an earlier session.

    Attributes:
        model: How it improves.
        kind: The kind of skill.
        stated: The curve that its task stated.
        log_likelihood: Of its attempts under each hypothesis of the model's table.
    """

    model: str
    kind: str
    stated: Stated
    log_likelihood: FloatArray


def fit(sessions: Sequence[Sequence[Seen]], evidence: Sequence[FloatArray]) -> Experience:
    """The experience of some sessions.

    Args:
        sessions: The policies that each of them practised.
        evidence: Logarithm of the probability of each session's attempts under each quality.
    """
    seen = [one for session in sessions for one in session]
    models = dict.fromkeys(one.model for one in seen)
    learned = {model: _learned(model, [o for o in seen if o.model == model]) for model in models}
    return Experience(len(sessions), _qualities(evidence), learned)


def _qualities(evidence: Sequence[FloatArray]) -> Mapping[str, float]:
    """How often each quality occurs: its expected count, with the usual ones as a prior."""
    usual = np.array([quality.weight for quality in QUALITIES.values()])
    usual /= usual.sum()
    shares = usual
    for _ in range(ROUNDS):
        counts = QUALITY_COUNT * usual
        for one in evidence:
            joint = np.log(shares) + one
            counts = counts + np.exp(joint - np.logaddexp.reduce(joint))
        shares = counts / counts.sum()
    return _named(shares)


def _learned(model: str, seen: Sequence[Seen]) -> Learned:
    kinds = sorted({one.kind for one in seen})
    member = np.array([[one.kind == kind for kind in kinds] for one in seen], dtype=float)
    figures = [
        np.array([stated_start(one.stated) for one in seen]),
        np.array([stated_speed(one.stated, model) for one in seen]),
    ]
    lines = [_Regression.usual(stated, member) for stated in figures]
    shares = _Shares.before(model, len(kinds))
    learned = _assembled(kinds, member, lines, shares)
    for _ in range(ROUNDS):
        posteriors = [_posterior(model, one, learned) for one in seen]
        effect = np.array([sum(p.ceilings) + p.trusted for p in posteriors])
        lines = [
            line.given(np.array([p.figures[d] for p in posteriors]), effect)
            for d, line in enumerate(lines)
        ]
        shares = shares.given(posteriors, member, effect)
        learned = _assembled(kinds, member, lines, shares)
    return learned


@dataclass(frozen=True, eq=False)
class _Posterior:
    """What one policy's attempts say, with the experience so far as the prior.

    Attributes:
        figures: Mean and variance of the true start, and of the speed, if practice has an effect.
        ceilings: Probability of each ceiling without one that was stated rightly.
        trusted: Probability that the stated ceiling is right.
        stated: Whether there is a stated ceiling below 1.
        shapes: Probability of each shape.
    """

    figures: tuple[tuple[float, float], tuple[float, float]]
    ceilings: FloatArray
    trusted: float
    stated: bool
    shapes: FloatArray


def _posterior(model: str, one: Seen, learned: Learned) -> _Posterior:
    table = axes(model)
    prior = experienced_weights(learned, model, one.kind, one.stated)
    joint = prior * np.exp(one.log_likelihood - one.log_likelihood.max())
    weights = (joint / joint.sum())[: table.alive]
    effect = max(float(weights.sum()), 1e-12)
    figures = []
    for levels, place in ((logit(STARTS), table.i), (table.speeds, table.j)):
        shares = _sums(place, weights, len(levels)) / effect
        mean = float(shares @ levels)
        figures.append((mean, float(shares @ (levels - mean) ** 2)))
    ceilings = _sums(table.k, weights, len(CEILINGS))
    trusted, says = 0.0, one.stated.ceiling < 1
    if says:
        near = learned.trust * spread(CEILINGS, one.stated.ceiling, table.ceiling_sd)
        other = (1 - learned.trust) * np.asarray(learned.kind(one.kind).ceilings)
        right = ceilings * near / (near + other)
        trusted, ceilings = float(right.sum()), ceilings - right
    shapes = _sums(table.f, weights, len(table.shapes))
    return _Posterior((figures[0], figures[1]), ceilings, trusted, says, shapes)


def _sums(place: IntArray, weights: FloatArray, count: int) -> FloatArray:
    """Weights summed by place."""
    return np.asarray(np.bincount(place, weights, count), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Regression:
    """Bayesian regression of a true figure on the stated one, with an offset for each kind.

    Attributes:
        design: Columns 1, stated - centre, and membership in each kind; one row a policy.
        centre: Mean of the stated figures.
        mean, covariance: Of the coefficients.
        variance: Of policies around the line.
    """

    design: FloatArray
    centre: float
    mean: FloatArray
    covariance: FloatArray
    variance: float

    @classmethod
    def usual(cls, stated: FloatArray, member: FloatArray) -> _Regression:
        centre = float(stated.mean())
        design = np.column_stack([np.ones(len(stated)), stated - centre, member])
        count = member.shape[1]
        mean = np.array([centre, SLOPE, *[0.0] * count])
        spreads = np.array([HEIGHT_SD, SLOPE_SD, *[KIND_SD] * count])
        return cls(design, centre, mean, np.diag(spreads**2), SD**2)

    def given(self, figures: FloatArray, effect: FloatArray) -> _Regression:
        """The regression on the figures of policies, each weighted by its chance of an effect."""
        usual = _Regression.usual(self.design[:, 1] + self.centre, self.design[:, 2:])
        precision = np.linalg.inv(usual.covariance)
        weighted = self.design * effect[:, None]
        inverse = precision + weighted.T @ self.design / self.variance
        covariance: FloatArray = np.asarray(np.linalg.inv(inverse), dtype=np.float64)
        pulled = precision @ usual.mean + weighted.T @ figures[:, 0] / self.variance
        mean = covariance @ pulled
        unsure = np.einsum("ni,ij,nj->n", self.design, covariance, self.design)
        squares = (figures[:, 0] - self.design @ mean) ** 2 + figures[:, 1] + unsure
        variance = (SD_COUNT * SD**2 + effect @ squares) / (SD_COUNT + effect.sum())
        return _Regression(self.design, self.centre, mean, covariance, float(variance))

    def line(self) -> Line:
        slope_sd = float(np.sqrt(self.covariance[1, 1]))
        return Line(self.centre, float(self.mean[1]), slope_sd, float(np.sqrt(self.variance)))

    def height(self, kind: int | None) -> tuple[float, float]:
        """Mean and standard deviation of the height of the line of a kind, or of a new one."""
        picked = np.zeros(len(self.mean))
        picked[0] = 1.0
        more = KIND_SD**2
        if kind is not None:
            picked[2 + kind], more = 1.0, 0.0
        variance = picked @ self.covariance @ picked + more
        return float(picked @ self.mean), float(np.sqrt(variance))


@dataclass(frozen=True, eq=False)
class _Shares:
    """Probabilities of ceilings, shapes and "no effect": of all kinds, then of each.

    Attributes:
        ceilings, shapes, impossible: One row for all kinds, then one for each.
        trust: Probability that a stated ceiling is right.
        usual: Those before any session.
    """

    ceilings: FloatArray
    shapes: FloatArray
    impossible: FloatArray
    trust: float
    usual: Axes

    @classmethod
    def before(cls, model: str, kinds: int) -> _Shares:
        table = axes(model)
        return cls(
            np.tile(table.ceilings, (kinds + 1, 1)),
            np.tile(table.shapes, (kinds + 1, 1)),
            np.full((kinds + 1, 1), table.impossible),
            TRUST,
            table,
        )

    def given(
        self, posteriors: Sequence[_Posterior], member: FloatArray, effect: FloatArray
    ) -> _Shares:
        """The posterior means, with the expected counts of all policies."""
        alike = np.column_stack([np.ones(len(member)), member])  # all kinds, then each
        counted = [
            (np.stack([p.ceilings for p in posteriors]), self.usual.ceilings, CEILING_COUNT),
            (np.stack([p.shapes for p in posteriors]), self.usual.shapes, SHAPE_COUNT),
            (np.column_stack([1 - effect, effect]), _both(self.usual.impossible), IMPOSSIBLE_COUNT),
        ]
        ceilings, shapes, impossible = (
            _shrunk(alike.T @ counts, usual, weight) for counts, usual, weight in counted
        )
        says = np.array([p.stated for p in posteriors])
        trusted = np.array([p.trusted for p in posteriors])
        total = TRUST_COUNT + float(effect[says].sum())
        trust = (TRUST_COUNT * TRUST + float(trusted[says].sum())) / total
        return _Shares(ceilings, shapes, impossible[:, :1], trust, self.usual)


def _both(share: float) -> FloatArray:
    return np.array([share, 1 - share])


def _shrunk(counts: FloatArray, usual: FloatArray, weight: float) -> FloatArray:
    """Probabilities from counts: of all kinds drawn to the usual ones, of each kind to all."""
    overall = (weight * usual + counts[0]) / (weight + counts[0].sum())
    kinds = KIND_COUNT * overall + counts[1:]
    return np.vstack([overall, kinds / kinds.sum(axis=1, keepdims=True)])


def _assembled(
    kinds: Sequence[str], member: FloatArray, lines: Sequence[_Regression], shares: _Shares
) -> Learned:
    counts = [len(member), *member.sum(axis=0).astype(int).tolist()]
    found = {
        name: Kind(
            skills=counts[row],
            start=lines[0].height(row - 1 if row else None),
            rate=lines[1].height(row - 1 if row else None),
            ceilings=_shares(shares.ceilings[row]),
            shapes=_shares(shares.shapes[row]),
            impossible=float(shares.impossible[row, 0]),
        )
        for row, name in enumerate([ANY, *kinds])
    }
    return Learned(lines[0].line(), lines[1].line(), shares.trust, found)


def _shares(values: FloatArray) -> tuple[float, ...]:
    return tuple((values / values.sum()).tolist())


def _named(shares: FloatArray) -> dict[str, float]:
    return dict(zip(QUALITIES, _shares(shares), strict=True))
