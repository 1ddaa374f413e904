from __future__ import annotations

from dataclasses import replace
from functools import cache

import mujoco
import numpy as np
import pytest
from counts import examples
from hypothesis import given, settings, strategies as st
from stroke import ORIGIN, START, STROKE, TIMESTEP, straight, stroke, stroking_arm

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.impedance import (
    POSITION,
    POSTURE,
    ROTATION,
    WIDEST,
    WIDTH,
    Gains,
)
from deliberate_practice.robots.mujoco.kinematics import Arm, forward_kinematics
from deliberate_practice.robots.mujoco.motion import (
    CARE,
    ROUNDED,
    Motion,
    build,
    go,
    hold,
    smooth,
    steady,
)
from deliberate_practice.robots.mujoco.motion_planning import NoPath
from deliberate_practice.robots.mujoco.primitive import Primitive, Turn
from deliberate_practice.robots.mujoco.trajectory import ACCELERATION, VELOCITY, follow
from deliberate_practice.robots.mujoco.world import World
from deliberate_practice.task.skill import Parameter


@pytest.fixture(name="arm", scope="module")
def _arm() -> Arm:
    return stroking_arm()


def _rolled(world: World, arm: Arm, motion: Motion) -> FloatArray:
    """Every state of the interaction, which begins at rest where the free path ends."""
    data = mujoco.MjData(arm.model)
    data.qpos[:7] = motion.path[-1]
    return world.measure_all([world.state(data)], [motion.controls])[0].states


def test_controls_end_at_the_last_waypoint_with_its_grip(arm: Arm) -> None:
    motion = stroke(arm, values={"side": 0.0, "length": 0.1})
    assert len(motion.controls) == round(1.2 / TIMESTEP)
    np.testing.assert_allclose(motion.controls[-1, POSITION], [0.55, 0.1, 0.3], atol=2e-3)
    assert motion.controls[0, WIDTH] == WIDEST
    assert motion.controls[-1, WIDTH] == 0.0


def test_the_free_path_leads_to_the_first_waypoint(arm: Arm) -> None:
    motion = stroke(arm)
    np.testing.assert_array_equal(motion.path[0], START)
    end = forward_kinematics(arm, motion.path[-1])
    np.testing.assert_allclose(end.position, motion.waypoints[0].position, atol=1e-3)


def test_the_hand_follows(arm: Arm) -> None:
    motion = stroke(arm, values={"side": 0.03, "length": 0.1})
    world = World(arm.model)
    states = _rolled(world, arm, motion)
    for row, waypoint in ((round(0.6 / TIMESTEP) - 1, 1), (-1, 2)):
        tool = world.view(states[row]).site("tool").xpos
        np.testing.assert_allclose(tool, motion.waypoints[waypoint].position, atol=0.012)


def test_going_ends_where_the_path_does(arm: Arm) -> None:
    path = follow(np.stack([START, START + 0.2]))
    controls = go(arm, path, 0.03, Gains())
    world = World(arm.model)
    data = mujoco.MjData(arm.model)
    data.qpos[:7] = START
    final = world.view(world.run(world.state(data), controls))
    np.testing.assert_allclose(final.qpos[:7], path[-1], atol=0.05)
    assert (controls[:, WIDTH] == 0.03).all()
    np.testing.assert_array_equal(go(arm, path[:1], 0.0, Gains())[0, POSTURE], path[0])


def test_where_the_arm_does_not_reach_there_is_no_path(arm: Arm) -> None:
    with pytest.raises(NoPath, match="does not reach"):
        stroke(arm, origin=np.array([1.5, 0.0, 0.3]))


def test_smooth_starts_and_stops_softly() -> None:
    s = smooth(100)
    assert s[-1] == 1.0
    assert (np.diff(s) > 0).all()
    assert s[0] < 1e-4
    assert 1 - s[-2] < 1e-4


def test_even_motion_is_as_fast_as_it_must_be_and_no_faster() -> None:
    s = np.append(0.0, steady(200))
    assert s[-1] == 1.0
    speed = np.diff(s) * 200
    assert (speed > 0).all()
    assert speed.max() < 1.2
    assert speed[0] < 0.05
    assert speed[-1] < 0.05


def test_a_primitive_that_turns_takes_the_hand_along(arm: Arm) -> None:
    turning = replace(STROKE, turning=True)
    straight_on, turned, fixed = (
        stroke(arm, primitive, yaw=yaw)
        for primitive, yaw in ((STROKE, 0.0), (turning, 0.3), (STROKE, 0.3))
    )
    assert not np.allclose(straight_on.controls[-1, ROTATION], turned.controls[-1, ROTATION])
    np.testing.assert_array_equal(straight_on.controls, fixed.controls)


@pytest.mark.parametrize("angle", ["pitch", "yaw"])
def test_a_parameter_turns_the_hand(arm: Arm, angle: str) -> None:
    tilt = Parameter("tilt", 0.0, 0.1, -0.3, 0.3, "rad")
    turn = Turn("tilt", "pitch" if angle == "pitch" else "yaw", ("across",))
    primitive = replace(STROKE, parameters=(*STROKE.parameters, tilt), turns=(turn,))
    plain, turned = (stroke(arm, primitive, {"tilt": value}) for value in (0.0, 0.25))
    ends = [
        forward_kinematics(arm, motion.controls[-1, POSTURE]).quaternion
        for motion in (plain, turned)
    ]
    assert 2 * np.arccos(abs(ends[0] @ ends[1])) == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize(("asked", "used"), [(200.0, 200.0), (9e9, 630.0), (-5.0, 60.0)])
def test_stiffness_is_a_parameter_like_any_other_and_bounded(
    arm: Arm, asked: float, used: float
) -> None:
    soft = Parameter("stiffness", 200.0, 50.0, 60.0, 630.0, "N/m")
    primitive = replace(
        STROKE, parameters=(*STROKE.parameters, soft), stiffness="stiffness", force=20.0
    )
    motion = stroke(arm, primitive, {"stiffness": asked})
    assert motion.gains == replace(Gains(), stiffness=used, force=20.0)


def test_without_stiffness_the_gains_are_those_of_free_motion(arm: Arm) -> None:
    assert stroke(arm).gains == Gains()


def test_the_hand_passes_waypoints_that_are_not_stops(arm: Arm) -> None:
    near, down, across = STROKE.waypoints
    over = replace(STROKE, waypoints=(near, replace(down, passing=True), across))
    stopping, passing = (stroke(arm, p, {"length": 0.1}) for p in (STROKE, over))
    assert len(stopping.controls) == len(passing.controls)
    half, world, speeds = 150, World(arm.model), []
    for motion in (stopping, passing):
        states = _rolled(world, arm, motion)
        ends = [world.view(states[row]).site("tool").xpos.copy() for row in (half - 10, half + 9)]
        speeds.append(np.linalg.norm(ends[1] - ends[0]) / (19 * TIMESTEP))
    assert speeds[0] < 0.05 < 0.1 < speeds[1]
    rows = passing.controls[:, POSITION]
    assert np.linalg.norm(rows - passing.waypoints[1].position, axis=1).min() < 0.03
    np.testing.assert_allclose(rows[-1], passing.waypoints[2].position, atol=3e-3)


def _paced(seconds: float, passing: bool, even: bool) -> Primitive:
    near, down, across = STROKE.waypoints
    down = replace(down, seconds=seconds, passing=passing, even=even)
    return replace(STROKE, waypoints=(near, down, replace(across, seconds=seconds, even=even)))


STIFF = replace(Gains(), posture_damping=0.0)
"""Gains without a lead of the posture: the commanded one is the desired one."""


@cache
def _strokes() -> Arm:
    return stroking_arm()


@settings(max_examples=examples(50), deadline=None)
@given(
    seconds=st.floats(0.004, 1.5),
    passing=st.booleans(),
    even=st.booleans(),
    side=st.floats(-0.05, 0.05),
    length=st.floats(0.0, 0.15),
)
def test_a_too_fast_interaction_is_slowed_down(
    seconds: float, passing: bool, even: bool, side: float, length: float
) -> None:
    """The joints keep within CARE of their limits; what keeps them anyway is left as it is."""
    arm, primitive = _strokes(), _paced(seconds, passing, even)
    values = {"side": side, "length": length}
    motion = build(primitive, values, ORIGIN, arm, START, START, straight, STIFF)
    rows = np.vstack([motion.path[-1], motion.controls[:, POSTURE]])
    velocity = np.diff(rows, axis=0) / TIMESTEP
    acceleration = np.diff(velocity, axis=0, prepend=0.0) / TIMESTEP
    speed = float(np.max(np.abs(velocity) / VELOCITY)) / CARE
    push = float(np.max(np.abs(acceleration) / ACCELERATION)) / CARE
    assert speed <= ROUNDED
    assert push <= ROUNDED**2
    steps = sum(max(1, round(part / TIMESTEP)) for part in (seconds, seconds))
    assert len(motion.controls) >= steps - 1
    assert max(speed, push) > 0.75 or len(motion.controls) <= steps + 1


def test_another_elbow_is_tried_where_there_is_no_path(arm: Arm) -> None:
    tried: list[FloatArray] = []

    def blocked_at_first(start: FloatArray, end: FloatArray) -> FloatArray:
        tried.append(end)
        if len(tried) == 1:
            raise NoPath("something is in the way.")
        return straight(start, end)

    swung = replace(STROKE, elbows=(0.0, 0.6))
    build(swung, {}, ORIGIN, arm, START, START, blocked_at_first, Gains())
    assert len(tried) == 2
    assert np.abs(tried[1] - tried[0]).max() > 0.2
    np.testing.assert_allclose(
        forward_kinematics(arm, tried[1]).position,
        forward_kinematics(arm, tried[0]).position,
        atol=1e-3,
    )
    tried.clear()
    with pytest.raises(NoPath, match="in the way"):
        build(STROKE, {}, ORIGIN, arm, START, START, blocked_at_first, Gains())


def test_holding_is_where_going_ends(arm: Arm) -> None:
    path = np.repeat(START[None], 20, axis=0)
    np.testing.assert_allclose(hold(arm, START, 0.03), go(arm, path, 0.03, Gains())[-1], atol=1e-9)
