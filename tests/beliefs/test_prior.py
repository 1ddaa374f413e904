"""The prior: what the stated curves mean in terms of the table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from deliberate_practice.beliefs.hypotheses import DEAD, S_SHAPED, hypotheses
from deliberate_practice.beliefs.prior import QUALITIES, prior_weights
from deliberate_practice.beliefs.stated import Stated, stated
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.task.curves import Curve, Exponential, PiecewiseLinear, Table
from deliberate_practice.task.model import Policy


def _policy(competence: float, curve: Curve | None) -> Policy:
    return Policy("Push", competence, curve, None, 1, (), ("Push",))


def test_stated_curves_are_compared_by_their_initial_slope() -> None:
    assert stated(_policy(0.2, PiecewiseLinear(0.03, 0.8))) == Stated(0.2, 0.03, 0.8)
    assert stated(_policy(0.5, Exponential(0.04, 0.75))) == Stated(0.5, 0.01, 0.75)
    with pytest.raises(ArgumentError, match="Push"):
        stated(_policy(0.2, None))


def test_table_states_its_ends_and_the_slope_of_its_first_half() -> None:
    table = Table([0.1, 0.1, 0.2, 0.5, 0.7, 0.8, 0.9])
    fit = stated(_policy(0.1, table))
    assert (fit.start, fit.ceiling) == (0.1, 0.9)
    assert fit.rate == pytest.approx(0.4 / 3)
    assert stated(_policy(0.4, Table([0.4, 0.4]))) == Stated(0.4, 0.0, 0.4)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_weights_are_probabilities_and_rule_nothing_out(p: float, rate: float, c: float) -> None:
    weights = prior_weights(Stated(p, rate, max(p, c)))
    assert weights.shape == (len(QUALITIES), len(hypotheses().start))
    assert weights.sum(axis=1) == pytest.approx(np.ones(len(QUALITIES)))
    assert (weights > 0).all()


def test_marginals_are_those_asked_for() -> None:
    table, weights = hypotheses(), prior_weights(Stated(0.2, 0.02, 1.0))
    alive = table.family != DEAD
    logit = np.log(table.start / (1 - table.start))
    for row, quality in zip(weights, QUALITIES.values(), strict=True):
        assert row[~alive].sum() == pytest.approx(quality.dead)
        assert row[table.family == S_SHAPED].sum() == pytest.approx(0.2 * (1 - quality.dead))
        given_alive = row[alive] / row[alive].sum()
        assert given_alive[table.ceiling[alive] < 0.9].sum() == pytest.approx(0.15, abs=0.05)
        if quality.start_sd > 1:
            continue  # the table's ends cut off much of a wide normal
        start = given_alive @ logit[alive]
        assert start == pytest.approx(np.log(0.25) + quality.start_bias, abs=0.05)
        rate = given_alive @ table.log_rate[alive]
        assert rate == pytest.approx(np.log(0.02) + quality.rate_bias, abs=0.05)


def test_stated_ceiling_counts() -> None:
    table = hypotheses()
    near = (table.ceiling == 0.55) & (table.family != DEAD)
    low, high = (prior_weights(Stated(0.1, 0.02, c))[:, near].sum(axis=1) for c in (0.55, 1.0))
    assert (low > 0.45).all()
    assert (high < 0.06).all()
