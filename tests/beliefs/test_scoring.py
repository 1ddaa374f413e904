"""Scores of forecasts: known values, and that honesty pays."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deliberate_practice.beliefs.scoring import Bin, brier_score, calibration, log_score
from deliberate_practice.foundation.errors import ArgumentError


def test_known_values() -> None:
    assert log_score([(0.5, True), (0.5, False)]) == pytest.approx(-math.log(2))
    assert log_score([(1.0, True), (0.0, False)]) == 0
    assert log_score([(0.0, True), (0.5, True)]) == -math.inf
    assert brier_score([(1.0, False)]) == 1
    assert brier_score([(0.9, True), (0.2, False)]) == pytest.approx((0.01 + 0.04) / 2)


@given(st.integers(1, 19), st.floats(0.01, 0.99))
def test_the_true_frequency_scores_best(successes: int, other: float) -> None:
    outcomes = [i < successes for i in range(20)]
    honest, dishonest = ([(p, outcome) for outcome in outcomes] for p in (successes / 20, other))
    assert log_score(honest) >= log_score(dishonest) - 1e-12
    assert brier_score(honest) <= brier_score(dishonest) + 1e-12


def test_calibration_bins() -> None:
    forecasts = [(0.0, False), (0.1, True), (0.75, True), (0.65, False), (1.0, True)]
    assert calibration(forecasts, bins=4) == [
        Bin(0.05, 0.5, 2),
        Bin(0.65, 0.0, 1),
        Bin(0.875, 1.0, 2),
    ]


def test_errors_teach() -> None:
    with pytest.raises(ArgumentError, match="at least one"):
        log_score([])
    with pytest.raises(ArgumentError, match=r"1\.2"):
        brier_score([(1.2, True)])
    with pytest.raises(ArgumentError, match="bins"):
        calibration([(0.5, True)], bins=0)
