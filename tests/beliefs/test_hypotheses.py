"""The table of curves: its size, shapes and ends."""

from __future__ import annotations

import numpy as np
import pytest

from deliberate_practice.beliefs.hypotheses import (
    CEILINGS,
    DEAD,
    EXPONENTIAL,
    LAST,
    LINEAR,
    LOG_RATES,
    S_SHAPED,
    STARTS,
    competence_at,
    competence_rows,
    hypotheses,
    in_pieces,
    weighted_sum,
)
from deliberate_practice.task.curves import Exponential, PiecewiseLinear


def _row(family: int, start: float, rate: int, ceiling: float) -> int:
    table = hypotheses()
    found = (
        (table.family == family)
        & (table.start == start)
        & (table.log_rate == LOG_RATES[rate])
        & (table.ceiling == ceiling)
    )
    return int(np.flatnonzero(found).item())


def test_size_and_levels() -> None:
    table = hypotheses()
    assert 1600 <= len(table.start) <= 1800
    assert (len(STARTS), len(LOG_RATES), len(CEILINGS)) == (11, 13, 5)
    assert np.exp(LOG_RATES[[0, -1]]) == pytest.approx([0.002, 0.15])
    assert (table.family == DEAD).sum() == 13
    alive = table.family != DEAD
    assert (table.start[alive] < table.ceiling[alive]).all()


def test_curves_rise_from_start_towards_ceiling() -> None:
    table, rows = hypotheses(), competence_rows(LAST)
    assert rows[:, 0] == pytest.approx(table.start)
    assert (np.diff(rows, axis=1) >= -1e-15).all()
    assert (rows <= table.ceiling[:, None] + 1e-12).all()
    assert rows[:, -1] == pytest.approx(table.ceiling, abs=0.02)
    dead = table.family == DEAD
    assert (rows[dead] == table.start[dead, None]).all()


@pytest.mark.parametrize("rate", [0, 6, 12])
def test_linear_and_exponential_agree_with_the_stated_kinds(rate: int) -> None:
    rows, b = competence_rows(300), np.arange(301.0)
    r = float(np.exp(LOG_RATES[rate]))
    linear = PiecewiseLinear(r, 0.9).predict(0.1, b)
    assert rows[_row(LINEAR, 0.1, rate, 0.9)] == pytest.approx(linear)
    curve = Exponential(2 * np.log(2) * r / 0.8, 0.9)
    assert curve.mean_slope(0.1) == pytest.approx(r)
    exponential = curve.predict(0.1, b)
    assert rows[_row(EXPONENTIAL, 0.1, rate, 0.9)] == pytest.approx(exponential)


def test_s_shape_begins_slowly_and_has_half_its_gain_with_the_exponential() -> None:
    rows = competence_rows(300)
    s, exponential = (rows[_row(family, 0.1, 4, 0.9)] for family in (S_SHAPED, EXPONENTIAL))
    half = int(np.argmin(abs(exponential - 0.5)))
    assert s[half] == pytest.approx(0.5, abs=0.03)
    steps = np.diff(s)
    assert abs(int(np.argmax(steps)) - half) <= 2
    assert steps[0] < steps.max() / 10


def test_curves_of_the_same_rate_have_half_of_their_gain_together() -> None:
    rows = competence_rows(300)
    for family in (LINEAR, EXPONENTIAL, S_SHAPED):
        half = 0.4 / float(np.exp(LOG_RATES[4]))  # of a gain of 0.8, at this mean slope
        curve = rows[_row(family, 0.1, 4, 0.9)]
        assert np.interp(half, np.arange(301.0), curve) == pytest.approx(0.5, abs=0.01)


def test_constant_after_the_last_attempt_of_the_table() -> None:
    rows = competence_rows(LAST + 10)
    assert rows.shape[1] == LAST + 11
    assert (rows[:, LAST:] == rows[:, [LAST]]).all()
    assert (competence_at(10**9) == rows[:, -1]).all()


def test_weighted_sum_is_the_matrix_product() -> None:
    rng = np.random.default_rng(1)
    weights = rng.random((3, len(hypotheses().start)))
    rows = competence_rows(127)[:, 64:]
    assert weighted_sum(in_pieces(weights), 1) == pytest.approx(weights @ rows)
    assert weighted_sum(in_pieces(weights), 1, power=2) == pytest.approx(weights @ rows**2)


def test_table_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        competence_at(3)[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        hypotheses().start[0] = 1.0
