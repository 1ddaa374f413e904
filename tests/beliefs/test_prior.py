"""The prior: what the stated curves mean in terms of the table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm

from deliberate_practice.beliefs.hypotheses import DEAD, DEAD_LEVELS, S_SHAPED, hypotheses
from deliberate_practice.beliefs.population import (
    CEILING_WEIGHTS,
    UNUSUAL,
    USUAL_RATE,
    USUAL_START,
    Usual,
)
from deliberate_practice.beliefs.prior import (
    NEVER,
    QUALITIES,
    prior_weights,
    statement_evidence,
)
from deliberate_practice.beliefs.stated import Stated, stated
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.task.curves import Curve, Exponential, PiecewiseLinear, Table
from deliberate_practice.task.model import Policy


def _policy(competence: float, curve: Curve | None) -> Policy:
    return Policy("Push", competence, curve, None, 1, (), ("Push",))


def test_stated_curves_are_compared_by_their_slope_until_half_of_the_gain() -> None:
    assert stated(_policy(0.2, PiecewiseLinear(0.03, 0.8))) == Stated(0.2, 0.03, 0.8, 0.03)
    curve = Exponential(0.04, 0.75)
    found = stated(_policy(0.5, curve))
    assert (found.start, found.rate, found.ceiling) == (0.5, 0.01, 0.75)
    half = 0.125 / found.pace
    assert curve.predict(0.5, np.array(half)) == pytest.approx(0.625)
    with pytest.raises(ArgumentError, match="Push"):
        stated(_policy(0.2, None))


def test_table_states_its_ends_and_the_slope_of_its_first_half() -> None:
    table = Table([0.1, 0.1, 0.2, 0.5, 0.7, 0.8, 0.9])
    fit = stated(_policy(0.1, table))
    assert (fit.start, fit.ceiling) == (0.1, 0.9)
    assert fit.rate == fit.pace == pytest.approx(0.4 / 3)
    assert stated(_policy(0.4, Table([0.4, 0.4]))) == Stated(0.4, 0.0, 0.4, 0.0)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_weights_are_probabilities_and_rule_nothing_out(p: float, rate: float, c: float) -> None:
    weights = prior_weights(Stated(p, rate, max(p, c), rate))
    assert weights.shape == (len(QUALITIES), len(hypotheses().start))
    assert weights.sum(axis=1) == pytest.approx(np.ones(len(QUALITIES)))
    assert (weights > 0).all()


def test_marginals_are_those_asked_for() -> None:
    table, weights = hypotheses(), prior_weights(Stated(0.2, 0.02, 1.0, 0.02))
    alive = table.family != DEAD
    logit = np.log(table.start / (1 - table.start))
    for row, quality in zip(weights, QUALITIES.values(), strict=True):
        assert row[~alive].sum() == pytest.approx(quality.dead)
        assert row[table.family == S_SHAPED].sum() == pytest.approx(0.2 * (1 - quality.dead))
        given_alive = row[alive] / row[alive].sum()
        low = (1 - quality.ceiling) * CEILING_WEIGHTS[:3].sum()  # few starts are above any of them
        assert given_alive[table.ceiling[alive] < 0.9].sum() == pytest.approx(low, abs=0.05)
        if quality.start_sd > 1:
            continue  # the table's ends cut off much of a wide normal
        start = given_alive @ logit[alive]
        said = np.log(0.25) + quality.start_bias
        assert start == pytest.approx(_mean(said, quality.start_sd, USUAL_START), abs=0.05)
        rate = given_alive @ table.log_rate[alive]
        said = np.log(0.02) + quality.rate_bias
        assert rate == pytest.approx(_mean(said, quality.rate_sd, USUAL_RATE), abs=0.05)


def _joint(said: float, sd: float, usual: Usual) -> tuple[FloatArray, FloatArray]:
    """Truths, and the density of each together with what was said, on a fine grid."""
    truth = np.linspace(said - 8 * sd, said + 8 * sd, 20_001)
    known = (1 - UNUSUAL) * norm.pdf(truth, usual.mean, usual.sd)
    known += UNUSUAL * norm.pdf(truth, usual.mean, usual.wide_sd)
    return truth, known * norm.pdf(said, truth, sd)


def _mean(said: float, sd: float, usual: Usual) -> float:
    truth, joint = _joint(said, sd, usual)
    return float(truth @ joint / joint.sum())


@pytest.mark.parametrize(("start", "rate"), [(0.2, 0.02), (0.9, 0.004), (0.03, 0.1)])
def test_statements_are_evidence_of_their_quality(start: float, rate: float) -> None:
    """Against an integral over all truths that may have been behind the statement."""
    expected = []
    for quality in QUALITIES.values():
        said = np.log(start / (1 - start)) + quality.start_bias
        truth, joint = _joint(said, quality.start_sd, USUAL_START)
        density = joint.sum() * (truth[1] - truth[0])
        truth, joint = _joint(np.log(rate) + quality.rate_bias, quality.rate_sd, USUAL_RATE)
        expected.append(np.log(density * joint.sum() * (truth[1] - truth[0])))
    found = statement_evidence(Stated(start, rate, 1.0, rate))
    assert found - found[0] == pytest.approx(np.array(expected) - expected[0], abs=0.02)


def test_the_less_a_statement_is_worth_the_more_a_policy_is_believed_to_be_usual() -> None:
    table, weights = hypotheses(), prior_weights(Stated(0.85, 0.02, 1.0, 0.02))
    alive = table.family != DEAD
    accurate, noisy, vague = (
        float(row[alive] @ table.start[alive] / row[alive].sum()) for row in weights[[0, 1, 4]]
    )
    assert accurate == pytest.approx(0.85, abs=0.03)
    assert 0.3 < vague < noisy - 0.1 < accurate


def test_dead_policies_mostly_never_succeed() -> None:
    for row in prior_weights(Stated(0.5, 0.02, 1.0, 0.02)):
        dead = row[-len(DEAD_LEVELS) :]
        assert NEVER < dead[0] / dead.sum() < NEVER + 0.05


def test_stated_ceiling_counts() -> None:
    table = hypotheses()
    near = (table.ceiling == 0.55) & (table.family != DEAD)
    low, high = (
        prior_weights(Stated(0.1, 0.02, c, 0.02))[:, near].sum(axis=1) for c in (0.55, 1.0)
    )
    assert (low > 0.45).all()
    assert (high < 0.08).all()
