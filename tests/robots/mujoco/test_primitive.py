from __future__ import annotations

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given, strategies as st
from stroke import ORIGIN, STROKE, stroking_arm

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.robots.mujoco.primitive import (
    Primitive,
    Swing,
    Turn,
    frame_position,
    frame_yaw,
    physical,
    resolve,
)
from deliberate_practice.task.skill import Parameter


def test_parameters_shift_the_waypoints_they_name() -> None:
    near, down, across = resolve(STROKE, {"side": 0.02, "length": 0.05}, ORIGIN)
    np.testing.assert_allclose(near.position, [0.45, 0.12, 0.4])
    np.testing.assert_allclose(down.position, [0.45, 0.12, 0.3])
    np.testing.assert_allclose(across.position, [0.50, 0.12, 0.3])


def test_parameters_turn_the_hand_at_the_waypoints_they_name() -> None:
    near, down, across = STROKE.waypoints
    turned = replace(
        STROKE,
        waypoints=(near, down, replace(across, pitch=0.1)),
        parameters=(
            *STROKE.parameters,
            Parameter("tilt", 0.0, 0.1, -0.3, 0.3, "rad"),
            Parameter("yaw", 0.0, 0.1, -0.3, 0.3, "rad"),
        ),
        turns=(
            Turn("tilt", "pitch", ("down", "across")),
            Turn("yaw", "yaw", ("across",)),
        ),
    )
    found = resolve(turned, {"tilt": 0.2, "yaw": 9.0}, ORIGIN)
    assert [w.pitch for w in found] == pytest.approx([0.0, 0.2, 0.3])
    assert [w.yaw for w in found] == pytest.approx([0.0, 0.0, 0.3])  # clipped
    still = resolve(turned, {}, ORIGIN)
    assert [w.position for w in found] == [w.position for w in still]


def _door(grip: float = 1.0) -> Primitive:
    """A stroke whose last waypoints are on an arc about a hinge 0.3 m to the left."""
    return replace(
        STROKE,
        parameters=(*STROKE.parameters, Parameter("swing", 0.0, 0.2, -2.0, 2.0, "rad")),
        swings=(Swing("swing", (0.0, 0.3), (("down", 0.5), ("across", 1.0)), grip),),
    )


@given(angle=st.floats(-2.0, 2.0), side=st.floats(-0.05, 0.05))
def test_a_parameter_swings_the_hand_about_a_hinge(angle: float, side: float) -> None:
    values = {"side": side, "length": 0.0}
    near, down, across = resolve(_door(), {**values, "swing": angle}, ORIGIN)
    still = resolve(_door(), values, ORIGIN)
    assert near == still[0]
    hinge = np.add(ORIGIN[:2], (0.0, 0.3))
    for waypoint, share in ((down, 0.5), (across, 1.0)):
        x, y = np.subtract(waypoint.position[:2], hinge)
        assert math.hypot(x, y) == pytest.approx(0.3 - side)  # shifts come first
        assert math.atan2(x, -y) == pytest.approx(share * angle, abs=1e-9)
        assert waypoint.position[2] == still[1].position[2]
        assert waypoint.yaw == pytest.approx(share * angle)


def test_a_hand_that_slips_turns_less_than_the_door() -> None:
    *_, across = resolve(_door(grip=0.25), {"swing": 1.0}, ORIGIN)
    assert across.yaw == pytest.approx(0.25)


def test_an_arc_turns_with_the_frame() -> None:
    plain, turned = (
        resolve(_door(), {"swing": 0.7, "length": 0.05}, ORIGIN, yaw) for yaw in (0.0, math.pi / 2)
    )
    for one, other in zip(plain, turned, strict=True):
        x, y = np.subtract(one.position, ORIGIN)[:2]
        np.testing.assert_allclose(np.subtract(other.position, ORIGIN)[:2], [-y, x], atol=1e-12)
        assert other.yaw == one.yaw


@given(octaves=st.floats(-3.0, 4.0))
def test_a_parameter_sets_a_duration_in_seconds_or_in_doublings(octaves: float) -> None:
    near, down, across = STROKE.waypoints
    for unit, value in (("log2 s", octaves), ("s", 2.0**octaves)):
        pace = Parameter("pace", value, 1.0, value - 1, value + 1, unit)
        paced = replace(
            STROKE,
            waypoints=(near, replace(down, seconds="pace"), across),
            parameters=(*STROKE.parameters, pace),
        )
        assert [w.seconds for w in resolve(paced, {}, ORIGIN)] == pytest.approx(
            [0.0, 2.0**octaves, 0.6]
        )
        assert physical(paced, {"pace": value}, "pace") == pytest.approx(2.0**octaves)
    assert physical(STROKE, {}, 3.5) == 3.5


def test_parameters_are_clipped_to_their_bounds() -> None:
    assert resolve(STROKE, {"side": 9.0, "length": -9.0}, ORIGIN) == resolve(
        STROKE, {"side": 0.05, "length": 0.0}, ORIGIN
    )


def test_a_parameter_that_is_not_given_has_its_mean() -> None:
    assert resolve(STROKE, {"side": 0.0}, ORIGIN) == resolve(
        STROKE, {"side": 0.0, "length": 0.1}, ORIGIN
    )


def test_an_unknown_parameter_is_named() -> None:
    with pytest.raises(ArgumentError, match="'lenght' is not one of: side, length"):
        resolve(STROKE, {"lenght": 0.1}, ORIGIN)


def test_waypoints_turn_with_their_frame() -> None:
    near, _, across = resolve(STROKE, {"side": 0.02, "length": 0.05}, ORIGIN, math.pi / 2)
    np.testing.assert_allclose(near.position, [0.43, 0.1, 0.4], atol=1e-12)
    np.testing.assert_allclose(across.position, [0.43, 0.15, 0.3], atol=1e-12)


def test_frames_are_sites_or_bodies() -> None:
    model = stroking_arm().model
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(frame_position(model, data, "thing"), ORIGIN)
    np.testing.assert_allclose(frame_position(model, data, "knob"), ORIGIN + np.array([0, 0, 0.02]))
    assert frame_yaw(model, data, "knob") == 0.0
    with pytest.raises(ArgumentError, match="'nothing' is neither"):
        frame_position(model, data, "nothing")
