from __future__ import annotations

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.robots.mujoco.impedance import (
    POSITION,
    POSTURE,
    ROTATION,
    WIDEST,
    WIDTH,
    Gains,
    add_impedance,
)
from deliberate_practice.robots.mujoco.kinematics import Arm, forward_kinematics
from deliberate_practice.robots.mujoco.motion_planning import NoPath
from deliberate_practice.robots.mujoco.panda import READY, panda
from deliberate_practice.robots.mujoco.primitive import (
    Motion,
    Primitive,
    Shift,
    Waypoint,
    build,
    frame_position,
    go,
    hold,
    resolve,
    smooth,
    steady,
)
from deliberate_practice.robots.mujoco.trajectory import follow
from deliberate_practice.robots.mujoco.world import World
from deliberate_practice.task.skill import Parameter

STROKE = Primitive(
    frame="thing",
    pitch=math.radians(70),
    waypoints=(
        Waypoint("near", (0, 0, 0.1), 0.0, WIDEST),
        Waypoint("down", (0, 0, 0), 0.6, WIDEST),
        Waypoint("across", (0, 0, 0), 0.6, 0.0),
    ),
    parameters=(
        Parameter("side", 0.0, 0.02, -0.05, 0.05, "m"),
        Parameter("length", 0.1, 0.02, 0.0, 0.15, "m"),
    ),
    shifts=(
        Shift("side", (0, 1, 0), ("near", "down", "across")),
        Shift("length", (1, 0, 0), ("across",)),
    ),
)
ORIGIN = np.array([0.45, 0.1, 0.3])


@pytest.fixture(name="arm", scope="module")
def _arm() -> Arm:
    spec = panda(visual=False)
    thing = spec.worldbody.add_body(name="thing", pos=(0.45, 0.1, 0.3))
    thing.add_site(name="knob", pos=(0, 0, 0.02))
    spec.option.timestep = 0.004
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    add_impedance(spec, Gains())
    return Arm(spec.compile())


def _built(arm: Arm, values: dict[str, float], origin: FloatArray = ORIGIN) -> Motion:
    ready = np.array(READY)
    return build(
        STROKE, values, origin, arm, ready, ready, lambda a, b: follow(np.stack([a, b])), Gains()
    )


def test_parameters_shift_the_waypoints_they_name() -> None:
    near, down, across = resolve(STROKE, {"side": 0.02, "length": 0.05}, ORIGIN)
    np.testing.assert_allclose(near.position, [0.45, 0.12, 0.4])
    np.testing.assert_allclose(down.position, [0.45, 0.12, 0.3])
    np.testing.assert_allclose(across.position, [0.50, 0.12, 0.3])


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


def test_controls_end_at_the_last_waypoint_with_its_grip(arm: Arm) -> None:
    motion = _built(arm, {"side": 0.0, "length": 0.1})
    assert len(motion.controls) - motion.contact == round(1.2 / 0.004)
    np.testing.assert_allclose(motion.controls[-1, POSITION], [0.55, 0.1, 0.3], atol=2e-3)
    assert motion.controls[motion.contact, WIDTH] == WIDEST
    assert motion.controls[-1, WIDTH] == 0.0


def test_the_hand_follows(arm: Arm) -> None:
    motion = _built(arm, {"side": 0.03, "length": 0.1})
    world = World(arm.model)
    data = mujoco.MjData(arm.model)
    data.qpos[:7] = READY
    trajectory = world.measure_all([world.state(data)], [motion.controls], film=True)[0].states
    half = motion.contact + round(0.6 / 0.004) - 1
    for row, waypoint in ((motion.contact - 1, 0), (half, 1), (len(trajectory) - 1, 2)):
        tool = world.view(trajectory[row]).site("tool").xpos
        np.testing.assert_allclose(tool, motion.waypoints[waypoint].position, atol=0.012)


def test_going_ends_where_the_path_does(arm: Arm) -> None:
    path = follow(np.stack([np.array(READY), np.array(READY) + 0.2]))
    controls = go(arm, path, 0.03, Gains())
    world = World(arm.model)
    data = mujoco.MjData(arm.model)
    data.qpos[:7] = READY
    final = world.view(world.run(world.state(data), controls))
    np.testing.assert_allclose(final.qpos[:7], path[-1], atol=0.05)
    assert (controls[:, WIDTH] == 0.03).all()
    np.testing.assert_array_equal(go(arm, path[:1], 0.0, Gains())[0, POSTURE], path[0])


def test_where_the_arm_does_not_reach_there_is_no_path(arm: Arm) -> None:
    with pytest.raises(NoPath, match="does not reach"):
        _built(arm, {}, np.array([1.5, 0.0, 0.3]))


def test_smooth_starts_and_stops_softly() -> None:
    s = smooth(100)
    assert s[-1] == 1.0
    assert (np.diff(s) > 0).all()
    assert s[0] < 1e-4
    assert 1 - s[-2] < 1e-4


def test_frames_are_sites_or_bodies(arm: Arm) -> None:
    data = mujoco.MjData(arm.model)
    mujoco.mj_forward(arm.model, data)
    np.testing.assert_allclose(frame_position(arm.model, data, "thing"), ORIGIN)
    np.testing.assert_allclose(
        frame_position(arm.model, data, "knob"), ORIGIN + np.array([0, 0, 0.02])
    )
    with pytest.raises(ArgumentError, match="'nothing' is neither"):
        frame_position(arm.model, data, "nothing")


def test_a_primitive_that_turns_takes_hand_and_waypoints_along(arm: Arm) -> None:
    turning = replace(STROKE, turning=True)
    near, _, across = resolve(turning, {"side": 0.02, "length": 0.05}, ORIGIN, math.pi / 2)
    np.testing.assert_allclose(near.position, [0.43, 0.1, 0.4], atol=1e-12)
    np.testing.assert_allclose(across.position, [0.43, 0.15, 0.3], atol=1e-12)
    straight, turned, fixed = (
        _motion(arm, primitive, yaw)
        for primitive, yaw in ((STROKE, 0.0), (turning, 0.3), (STROKE, 0.3))
    )
    assert not np.allclose(straight.controls[-1, ROTATION], turned.controls[-1, ROTATION])
    np.testing.assert_array_equal(straight.controls, fixed.controls)


@pytest.mark.parametrize(("asked", "used"), [(200.0, 200.0), (9e9, 630.0), (-5.0, 60.0)])
def test_stiffness_is_a_parameter_like_any_other_and_bounded(
    arm: Arm, asked: float, used: float
) -> None:
    soft = Parameter("stiffness", 200.0, 50.0, 60.0, 630.0, "N/m")
    primitive = replace(
        STROKE, parameters=(*STROKE.parameters, soft), stiffness="stiffness", force=20.0
    )
    motion = _motion(arm, primitive, 0.0, {"stiffness": asked})
    assert motion.gains == replace(Gains(), stiffness=used, force=20.0)


def test_without_stiffness_the_gains_are_those_of_free_motion(arm: Arm) -> None:
    assert _motion(arm, STROKE, 0.0).gains == Gains()


def test_the_hand_passes_waypoints_that_are_not_stops(arm: Arm) -> None:
    near, down, across = STROKE.waypoints
    over = replace(STROKE, waypoints=(near, replace(down, passing=True), across))
    stopping, passing = (_motion(arm, p, 0.0, {"length": 0.1}) for p in (STROKE, over))
    assert len(stopping.controls) == len(passing.controls)
    half = stopping.contact + 150
    world, speeds = World(arm.model), []
    for motion in (stopping, passing):
        data = mujoco.MjData(arm.model)
        data.qpos[:7] = READY
        controls = motion.controls[: half + 10]
        states = world.measure_all([world.state(data)], [controls], film=True)[0].states
        ends = [world.view(states[row]).site("tool").xpos.copy() for row in (half - 10, half + 9)]
        speeds.append(np.linalg.norm(ends[1] - ends[0]) / (19 * 0.004))
    assert speeds[0] < 0.05 < 0.1 < speeds[1]
    rows = passing.controls[passing.contact :, :3]
    assert np.linalg.norm(rows - passing.waypoints[1].position, axis=1).min() < 0.03
    np.testing.assert_allclose(rows[-1], passing.waypoints[2].position, atol=3e-3)


def test_even_motion_is_as_fast_as_it_must_be_and_no_faster() -> None:
    s = np.append(0.0, steady(200))
    assert s[-1] == 1.0
    speed = np.diff(s) * 200
    assert (speed > 0).all()
    assert speed.max() < 1.2
    assert speed[0] < 0.05
    assert speed[-1] < 0.05


def test_another_elbow_is_tried_where_there_is_no_path(arm: Arm) -> None:
    tried: list[FloatArray] = []

    def blocked_at_first(start: FloatArray, end: FloatArray) -> FloatArray:
        tried.append(end)
        if len(tried) == 1:
            raise NoPath("something is in the way.")
        return follow(np.stack([start, end]))

    ready = np.array(READY)
    swung = replace(STROKE, elbows=(0.0, 0.6))
    build(swung, {}, ORIGIN, arm, ready, ready, blocked_at_first, Gains())
    assert len(tried) == 2
    assert np.abs(tried[1] - tried[0]).max() > 0.2
    np.testing.assert_allclose(
        forward_kinematics(arm, tried[1]).position,
        forward_kinematics(arm, tried[0]).position,
        atol=1e-3,
    )
    tried.clear()
    with pytest.raises(NoPath, match="in the way"):
        build(STROKE, {}, ORIGIN, arm, ready, ready, blocked_at_first, Gains())


def test_holding_is_where_going_ends(arm: Arm) -> None:
    ready = np.array(READY)
    path = np.repeat(ready[None], 20, axis=0)
    np.testing.assert_allclose(hold(arm, ready, 0.03), go(arm, path, 0.03, Gains())[-1], atol=1e-9)


def _motion(
    arm: Arm, primitive: Primitive, yaw: float, values: dict[str, float] | None = None
) -> Motion:
    ready = np.array(READY)
    return build(primitive, values or {}, ORIGIN, arm, ready, ready, _straight, Gains(), yaw)


def _straight(start: FloatArray, end: FloatArray) -> FloatArray:
    return follow(np.stack([start, end]))
