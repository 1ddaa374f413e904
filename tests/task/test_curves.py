"""Curves: their formulas, ceilings and slopes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.curves import (
    NEVER,
    Curve,
    Exponential,
    PiecewiseLinear,
    Table,
    read_curve,
)

RATED = (PiecewiseLinear, Exponential)


def test_formulas() -> None:
    b = np.array([0.0, 1.0, 10.0, 100.0])
    assert PiecewiseLinear(0.03).predict(0.1, b) == pytest.approx([0.1, 0.13, 0.4, 1.0])
    assert PiecewiseLinear(0.03, 0.8).predict(0.1, b)[-1] == 0.8
    expected = 0.1 + 0.8 * (1 - np.exp(-0.05 * b))
    assert Exponential(0.05, 0.9).predict(0.1, b) == pytest.approx(expected)
    assert Table([0.1, 0.3, 0.45]).predict(0.1, b).tolist() == [0.1, 0.3, 0.45, 0.45]


def test_a_policy_without_a_curve_stays_as_it_is() -> None:
    policy = load_task("breakfast").policies["PickBread"]
    assert policy.table(3).tolist() == [policy.competence] * 4
    assert policy.slope(np.arange(3.0)).tolist() == [0.0] * 3


def test_a_truth_starts_where_it_says() -> None:
    truth = Exponential(0.05, 0.97, competence=0.15)
    assert truth.start(0.1) == 0.15
    assert truth.predict(0.1, np.array([0.0]))[0] == pytest.approx(0.15)


def test_twice_the_speed_is_twice_the_rate() -> None:
    b = np.arange(40.0)
    for kind in RATED:
        fast = kind(0.04).predict(0.2, b)
        assert kind(0.02).predict(0.2, b, speed=2.0) == pytest.approx(fast)
        assert kind(0.02).with_rate(0.04) == kind(0.04)


@given(
    kind=st.sampled_from(RATED),
    p=st.floats(0, 1),
    rate=st.floats(0, 0.5),
    room=st.floats(0, 1),
    b=st.floats(0, 200),
)
def test_rises_within_limits_and_slope_is_the_derivative(
    kind: type[PiecewiseLinear | Exponential], p: float, rate: float, room: float, b: float
) -> None:
    curve = kind(rate, p + (1 - p) * room)
    at = np.array([b, b + 1e-6])
    low, high = curve.predict(p, at)
    assert p - 1e-12 <= low <= high + 1e-12 <= curve.ceiling + 1e-9
    if low < curve.ceiling - 1e-5:
        assert (high - low) / 1e-6 == pytest.approx(curve.slope(p, at)[0], abs=1e-4)


@pytest.mark.parametrize(
    "curve", [PiecewiseLinear(0.03, 0.8), Exponential(0.05, 0.9), Table([0.1, 0.1, 0.4, 0.7])]
)
def test_nothing_rises_after_saturation(curve: Curve) -> None:
    last = curve.predict(0.1, np.array([curve.saturation]))[0]
    assert last == pytest.approx(curve.ceiling, abs=1e-15)
    assert last == pytest.approx(curve.predict(0.1, np.array([1e6]))[0], abs=1e-15)


def test_a_curve_that_hardly_rises_never_saturates() -> None:
    assert PiecewiseLinear(1e-300).saturation == NEVER
    assert Exponential(0.0).saturation == 0.0


def test_segments_are_the_straight_pieces() -> None:
    assert Exponential(0.05).segments(0.1) is None
    for curve in (PiecewiseLinear(0.03, 0.4), Table([0.1, 0.2, 0.2, 0.5])):
        segments = curve.segments(0.1)
        assert segments is not None
        slopes, ends = segments
        lengths = np.diff(ends, prepend=0.0)
        assert 0.1 + np.cumsum(slopes * lengths) == pytest.approx(curve.predict(0.1, ends))


def test_table_of_a_policy() -> None:
    policy = load_task("breakfast").policies["StartToaster"]
    assert policy.table(3) == pytest.approx([0.1, 0.13, 0.16, 0.19])


@pytest.mark.parametrize(
    "entry",
    [
        {"kind": "piecewise-linear", "rate": 0.03},
        {"kind": "exponential", "competence": 0.2, "rate": 0.03, "ceiling": 0.9},
        {"kind": "table", "values": [0.1, 0.4]},
    ],
)
def test_entries_of_task_files_are_read_and_written_alike(entry: dict[str, object]) -> None:
    written = read_curve(entry).entry()
    assert list(written.items()) == list(entry.items())


def test_linear_is_another_name_of_piecewise_linear() -> None:
    assert read_curve({"kind": "linear", "rate": 0.1}) == PiecewiseLinear(0.1)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"kind": "cubic"}, "'cubic' is not one of: piecewise-linear"),
        ({"kind": ["linear"]}, "'linear'. is not one of: piecewise-linear"),
        ({"rate": 0.1}, "kind: None is not one of: piecewise-linear"),
        ({"kind": "linear"}, "'rate' is missing; required: rate"),
        ({"kind": "linear", "rate": -1}, "outside the valid range"),
        ({"kind": "linear", "rate": 0.1, "ceiling": 1.2}, "ceiling: 1.2"),
        ({"kind": "linear", "rate": 0.1, "values": [0.1]}, "'values' is not one of: rate, ceil"),
        ({"kind": "table"}, "'values' is missing"),
        ({"kind": "table", "values": []}, "empty"),
        ({"kind": "table", "values": [0.3, 0.2]}, "0.2 is below the value before it"),
        ({"kind": "table", "values": [0.3], "rate": 0.1}, "'rate' is not one of: values"),
    ],
)
def test_refuses_a_curve_that_makes_no_sense(entry: dict[str, object], message: str) -> None:
    with pytest.raises(TaskError, match=message):
        read_curve(entry)


def test_a_curve_of_no_kind_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Curve()  # type: ignore[abstract]
