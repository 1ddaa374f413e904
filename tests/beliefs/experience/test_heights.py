"""Heights and evidence, against computations that share no shortcut with them."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from deliberate_practice.beliefs.experience.axes import axes
from deliberate_practice.beliefs.experience.evidence import Evidence, Seen, Shares
from deliberate_practice.beliefs.experience.heights import KIND, LAB, Axis, Heights
from deliberate_practice.beliefs.experience.populations import WIDE
from deliberate_practice.beliefs.hypotheses import CEILINGS, hypotheses
from deliberate_practice.beliefs.population import USUAL_RATE, USUAL_START, Population, Usual
from deliberate_practice.beliefs.prior import (
    QUALITIES,
    prior_weights,
    spread,
    statement_evidence,
)
from deliberate_practice.beliefs.stated import Stated
from deliberate_practice.foundation.arrays import FloatArray


def _normal(points: FloatArray, mean: float, sd: float) -> FloatArray:
    density = np.exp(-((points - mean) ** 2) / (2 * sd**2))
    return np.asarray(density / density.sum())


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_heights_are_the_sum_over_all_combinations(seed: int) -> None:
    """Two kinds on a grid: every height of the lab and of each kind, one after the other."""
    rng = np.random.default_rng(seed)
    usual = axes("curve").usual
    start, speed = Axis.around(usual.start), Axis.around(usual.speed)
    count = len(start.points)
    log_likelihood = {kind: 3 * rng.normal(size=(count, count)) for kind in "ab"}
    found = Heights.of(usual, log_likelihood)

    expected = {kind: np.zeros((count, count)) for kind in "abc"}  # nothing was seen of c
    total = 0.0
    for i, g in enumerate(start.points):
        for j, h in enumerate(speed.points):
            lab = _normal(start.points, USUAL_START.mean, LAB * USUAL_START.sd)[i]
            lab *= _normal(speed.points, USUAL_RATE.mean, LAB * USUAL_RATE.sd)[j]
            around = np.outer(
                _normal(start.points, g, KIND * USUAL_START.sd),
                _normal(speed.points, h, KIND * USUAL_RATE.sd),
            )
            joint = {kind: around * np.exp(each) for kind, each in log_likelihood.items()}
            a, b = joint["a"].sum(), joint["b"].sum()
            expected["a"] += lab * joint["a"] * b
            expected["b"] += lab * joint["b"] * a
            expected["c"] += lab * around * a * b
            total += lab * a * b
    for kind, weights in expected.items():
        assert found.kind(kind) == pytest.approx(weights / total)
    assert found.log_evidence == pytest.approx(np.log(total))


@settings(max_examples=15, deadline=None)
@given(
    st.floats(0.02, 0.9),
    st.floats(0.003, 0.12),
    st.integers(0, 4),
    st.integers(0, 12),
    st.integers(0, 12),
    st.integers(0, 10_000),
)
def test_evidence_is_that_of_the_belief(
    p: float, rate: float, c: int, i: int, j: int, seed: int
) -> None:
    """Given the heights, P(stated, seen) = P(stated) Σ_h P(h | stated) P(seen | h)."""
    rng, usual, said = np.random.default_rng(seed), axes("curve").usual, Stated(p, rate, 1.0, rate)
    start, speed = Axis.around(usual.start), Axis.around(usual.speed)
    quality = [*QUALITIES.values()][c]
    ceilings = spread(CEILINGS, 1.0, 0.05)  # as stated, so that it counts the same either way
    log_likelihood = -5 * rng.random(len(hypotheses().start))
    seen = Seen("curve", "one", said, log_likelihood)
    shares = Shares(ceilings, np.asarray(usual.shapes), 0.0)
    found = Evidence(seen, quality, start, speed, repeated=1).log_likelihood(shares)[i, j]

    mu, nu = float(start.points[i]), float(speed.points[j])
    population = Population(
        Usual(mu, start.sd, WIDE * start.sd),
        Usual(nu, speed.sd, WIDE * speed.sd),
        tuple(ceilings.tolist()),
        usual.shapes,
        0.0,
    )
    weights = prior_weights(said, population)[c]
    expected = np.log(weights @ np.exp(log_likelihood - log_likelihood.max()))
    assert found == pytest.approx(expected + statement_evidence(said, population)[c])
