"""Curves: their formulas, ceilings and slopes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deliberate_practice.curves import competence_table, predict, slope
from deliberate_practice.practice.domain import load_task
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.task.skill import Curve


def test_formulas() -> None:
    b = np.array([0.0, 1.0, 10.0, 100.0])
    assert predict(Curve("linear", 0.03), 0.1, b) == pytest.approx([0.1, 0.13, 0.4, 1.0])
    assert predict(Curve("linear", 0.03, 0.8), 0.1, b)[-1] == 0.8
    expected = 0.1 + 0.8 * (1 - np.exp(-0.05 * b))
    assert predict(Curve("exponential", 0.05, 0.9), 0.1, b) == pytest.approx(expected)
    assert predict(Curve("table", values=[0.1, 0.3, 0.45]), 0.1, b).tolist() == [
        0.1,
        0.3,
        0.45,
        0.45,
    ]
    assert predict(None, 0.7, b).tolist() == [0.7] * 4


def test_a_truth_starts_where_it_says() -> None:
    truth = Curve("exponential", 0.05, 0.97, competence=0.15)
    assert predict(truth, 0.1, np.array([0.0]))[0] == pytest.approx(0.15)


def test_twice_the_speed_is_twice_the_rate() -> None:
    b = np.arange(40.0)
    for kind in ("piecewise-linear", "exponential"):
        fast = predict(Curve(kind, 0.04), 0.2, b)
        assert predict(Curve(kind, 0.02), 0.2, b, speed=2.0) == pytest.approx(fast)


@given(
    kind=st.sampled_from(["piecewise-linear", "exponential"]),
    p=st.floats(0, 1),
    rate=st.floats(0, 0.5),
    room=st.floats(0, 1),
    b=st.floats(0, 200),
)
def test_rises_within_limits_and_slope_is_the_derivative(
    kind: str, p: float, rate: float, room: float, b: float
) -> None:
    curve = Curve(kind, rate, p + (1 - p) * room)
    at = np.array([b, b + 1e-6])
    low, high = predict(curve, p, at)
    assert p - 1e-12 <= low <= high + 1e-12 <= curve.ceiling + 1e-9
    if low < curve.ceiling - 1e-5:
        assert (high - low) / 1e-6 == pytest.approx(slope(curve, p, at)[0], abs=1e-4)


def test_table_of_a_policy() -> None:
    policy = load_task("breakfast").policies["StartToaster"]
    assert competence_table(policy, 3) == pytest.approx([0.1, 0.13, 0.16, 0.19])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "cubic"}, "'cubic' is not one of: piecewise-linear"),
        ({"kind": "linear"}, "'rate' is missing"),
        ({"kind": "linear", "rate": -1}, "outside the valid range"),
        ({"kind": "linear", "rate": 0.1, "ceiling": 1.2}, "ceiling: 1.2"),
        ({"kind": "linear", "rate": 0.1, "values": [0.1]}, "only kind"),
        ({"kind": "table"}, "'values' is missing"),
        ({"kind": "table", "values": []}, "empty"),
        ({"kind": "table", "values": [0.3, 0.2]}, "0.2 is below the value before it"),
        ({"kind": "table", "values": [0.3], "rate": 0.1}, "leave out rate"),
    ],
)
def test_refuses_a_curve_that_makes_no_sense(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(TaskError, match=message):
        Curve(**arguments)  # type: ignore[arg-type]
