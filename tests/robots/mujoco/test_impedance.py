from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.impedance import (
    CONTROLS,
    POSITION,
    POSTURE,
    REFERENCE_PITCH,
    ROTATION,
    WIDEST,
    WIDTH,
    Gains,
    add_impedance,
    rotation_control,
    tool_quaternion,
)
from deliberate_practice.robots.mujoco.kinematics import (
    Arm,
    Pose,
    forward_kinematics,
    inverse_kinematics,
)
from deliberate_practice.robots.mujoco.panda import READY, panda


class Held:
    """A robot in empty space that is told to hold a pose."""

    def __init__(self, gains: Gains | None = None) -> None:
        spec = panda(visual=False)
        add_impedance(spec, gains or Gains())
        spec.option.timestep = 0.004
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.data.qpos[:7] = READY
        arm = Arm(self.model)
        self.pose = forward_kinematics(arm, np.array(READY))
        self.arm = arm
        self.hold(self.pose, np.array(READY))

    def hold(self, pose: Pose, joints: FloatArray) -> None:
        self.data.ctrl[POSITION] = pose.position
        self.data.ctrl[ROTATION] = rotation_control(pose.quaternion, self.arm.reference)
        self.data.ctrl[POSTURE] = joints
        self.data.ctrl[WIDTH] = WIDEST

    def settle(self, seconds: float = 3.0) -> FloatArray:
        for _ in range(round(seconds / 0.004)):
            mujoco.mj_step(self.model, self.data)
        mujoco.mj_forward(self.model, self.data)
        return np.array(self.data.site("tool").xpos)


def test_columns_are_the_actuators() -> None:
    model = Held().model
    assert model.nu == CONTROLS
    assert [model.actuator(i).name for i in (0, 2, 3, 5, 6, 12, 13)] == [
        "x", "z", "rx", "rz", "posture_joint1", "posture_joint7", "gripper",
    ]  # fmt: skip


def test_a_pose_that_is_commanded_is_reached() -> None:
    held = Held()
    target = Pose(
        held.pose.position + np.array([0.1, 0.15, -0.2]), tool_quaternion(math.radians(60))
    )
    joints = inverse_kinematics(held.arm, target, np.array(READY))
    assert joints is not None
    held.hold(target, joints)
    np.testing.assert_allclose(held.settle(), target.position, atol=1e-3)
    found = np.empty(4)
    mujoco.mju_mat2Quat(found, held.data.site("tool").xmat)
    assert abs(found @ target.quaternion) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_push_displaces_the_hand_by_force_over_stiffness(axis: int) -> None:
    held = Held()
    push = 6.0 * np.eye(3)[axis]
    # Without a torque about the tool, the hand only yields in the direction it is pushed.
    for _ in range(1000):
        mujoco.mj_forward(held.model, held.data)
        held.data.qfrc_applied[:] = 0
        mujoco.mj_applyFT(
            held.model,
            held.data,
            push,
            np.zeros(3),
            held.data.site("tool").xpos,
            held.model.body("hand").id,
            held.data.qfrc_applied,
        )
        mujoco.mj_step(held.model, held.data)
    moved = held.data.site("tool").xpos - held.pose.position
    # The posture helps a little: at most its stiffness, seen from half a metre away.
    assert 6.0 / (Gains().stiffness + 60) < moved[axis] < 6.0 / Gains().stiffness


def test_force_is_bounded_however_far_the_target() -> None:
    held = Held()
    held.data.ctrl[POSITION] += [1.0, -1.0, 1.0]
    mujoco.mj_forward(held.model, held.data)
    np.testing.assert_allclose(held.data.actuator_force[:3], [60, -60, 60])
    held.data.ctrl[ROTATION] += 2.0
    mujoco.mj_forward(held.model, held.data)
    np.testing.assert_allclose(held.data.actuator_force[3:6], 12)


def test_it_is_damped_as_stated() -> None:
    held = Held()
    heights = []
    held.data.ctrl[2] -= 0.1
    for _ in range(500):
        heights.append(held.settle(0.004)[2])
    overshoot = (held.pose.position[2] - 0.1 - min(heights)) / 0.1
    assert overshoot < 0.1  # a ratio of 0.7 overshoots by 5 %, the real mass is not the nominal one


def test_gripper_opens_and_closes() -> None:
    held = Held()
    held.settle(0.6)
    assert held.data.qpos[7] + held.data.qpos[8] == pytest.approx(WIDEST, abs=1e-3)
    held.data.ctrl[WIDTH] = 0.0
    held.settle(0.6)
    assert held.data.qpos[7] + held.data.qpos[8] == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("pitch", [math.radians(a) for a in (0, 30, 55, 90)])
def test_tool_looks_down_by_its_pitch(pitch: float) -> None:
    matrix = np.empty(9)
    mujoco.mju_quat2Mat(matrix, tool_quaternion(pitch))
    x, y, z = matrix.reshape(3, 3).T
    np.testing.assert_allclose(z, [math.cos(pitch), 0, -math.sin(pitch)], atol=1e-12)
    np.testing.assert_allclose(y, [0, -1, 0], atol=1e-12)
    np.testing.assert_allclose(np.cross(x, y), z, atol=1e-12)


def test_yaw_turns_the_fingers() -> None:
    matrix = np.empty(9)
    mujoco.mju_quat2Mat(matrix, tool_quaternion(math.pi / 2, yaw=0.3))
    np.testing.assert_allclose(
        matrix.reshape(3, 3)[:, 1], [math.sin(0.3), -math.cos(0.3), 0], atol=1e-12
    )


def test_the_reference_orientation_is_commanded_by_zero() -> None:
    reference = tool_quaternion(REFERENCE_PITCH)
    np.testing.assert_allclose(Held().arm.reference, reference, atol=1e-12)
    np.testing.assert_allclose(rotation_control(reference, reference), 0, atol=1e-12)


@pytest.mark.parametrize(("pitch", "yaw"), [(0.0, 0.0), (0.3, 1.6), (1.2, -0.4)])
def test_roll_turns_the_hand_about_the_direction_it_looks_in(pitch: float, yaw: float) -> None:
    plain, rolled = np.empty(9), np.empty(9)
    mujoco.mju_quat2Mat(plain, tool_quaternion(pitch, yaw))
    mujoco.mju_quat2Mat(rolled, tool_quaternion(pitch, yaw, math.pi / 2))
    np.testing.assert_allclose(rolled[[2, 5, 8]], plain[[2, 5, 8]], atol=1e-12)
    np.testing.assert_allclose(rolled[[0, 3, 6]], plain[[1, 4, 7]], atol=1e-12)
    assert plain[7] == pytest.approx(0.0, abs=1e-12)  # it closes level ...
    assert abs(rolled[7]) == pytest.approx(math.cos(pitch))  # ... or up and down
