"""Forward kinematics against the published figures, inverse against forward."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.robots.mujoco.kinematics import (
    POSITION_TOLERANCE,
    ROTATION_TOLERANCE,
    Arm,
    Pose,
    forward_kinematics,
    inverse_kinematics,
)
from deliberate_practice.robots.mujoco.panda import READY, panda

# Franka's modified Denavit-Hartenberg parameters (Craig): a [m], d [m], alpha [rad]; the last row
# is the flange. The hand is turned by -45 degrees there, its finger tips are 0.1034 m further out.
PUBLISHED = [
    (0.0, 0.333, 0.0),
    (0.0, 0.0, -math.pi / 2),
    (0.0, 0.316, math.pi / 2),
    (0.0825, 0.0, math.pi / 2),
    (-0.0825, 0.384, -math.pi / 2),
    (0.0, 0.0, math.pi / 2),
    (0.088, 0.0, math.pi / 2),
    (0.0, 0.107, 0.0),
]
HOME = np.array(READY)


@pytest.fixture(scope="module")
def arm() -> Arm:
    return Arm(panda(visual=False).compile())


def _published(q: FloatArray) -> FloatArray:
    frame = np.eye(4)
    for (a, d, alpha), theta in zip(PUBLISHED, [*q, 0.0], strict=True):
        c, s, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
        frame = frame @ np.array(
            [
                [c, -s, 0, a],
                [s * ca, c * ca, -sa, -d * sa],
                [s * sa, c * sa, ca, d * ca],
                [0, 0, 0, 1],
            ]
        )
    c, s = math.cos(-math.pi / 4), math.sin(-math.pi / 4)
    hand = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0.1034], [0, 0, 0, 1]])
    return np.asarray(frame @ hand)


def _rotation(quaternion: FloatArray) -> FloatArray:
    w, v = quaternion[0], quaternion[1:]
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.asarray((w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * cross)


def _configurations(arm: Arm, number: int, seed: int = 0) -> FloatArray:
    return np.random.default_rng(seed).uniform(arm.low, arm.high, (number, 7))


def test_forward_kinematics_agrees_with_the_published_parameters(arm: Arm) -> None:
    for q in _configurations(arm, 200):
        pose, expected = forward_kinematics(arm, q), _published(q)
        assert pose.position == pytest.approx(expected[:3, 3], abs=1e-9)
        assert _rotation(pose.quaternion) == pytest.approx(expected[:3, :3], abs=1e-9)


def test_the_jacobian_is_the_derivative(arm: Arm) -> None:
    step = 1e-6
    for q in _configurations(arm, 20):
        arm.place(q)
        jacobian = arm.jacobian().copy()
        at = forward_kinematics(arm, q)
        for joint in range(7):
            after = forward_kinematics(arm, q + step * np.eye(7)[joint])
            translation = (after.position - at.position) / step
            turn = _rotation(after.quaternion) @ _rotation(at.quaternion).T
            rotation = np.array([turn[2, 1], turn[0, 2], turn[1, 0]]) / step
            assert jacobian[:3, joint] == pytest.approx(translation, abs=1e-5)
            assert jacobian[3:, joint] == pytest.approx(rotation, abs=1e-5)


def test_inverse_kinematics_reaches_what_can_be_reached_within_the_limits(arm: Arm) -> None:
    configurations = _configurations(arm, 200)
    reached = 0
    for q in configurations:
        target = _published(q)
        answer = inverse_kinematics(arm, forward_kinematics(arm, q), HOME)
        if answer is None:
            continue
        reached += 1
        assert np.all(answer >= arm.low)
        assert np.all(answer <= arm.high)
        there = _published(answer)
        assert np.linalg.norm(there[:3, 3] - target[:3, 3]) <= POSITION_TOLERANCE
        cosine = (np.trace(there[:3, :3].T @ target[:3, :3]) - 1) / 2
        assert cosine >= math.cos(1.01 * ROTATION_TOLERANCE)
    assert reached >= 0.99 * len(configurations)


def test_a_pose_out_of_reach_has_no_answer(arm: Arm) -> None:
    down = forward_kinematics(arm, HOME).quaternion
    assert inverse_kinematics(arm, Pose(np.array([1.3, 0.0, 0.3]), down), HOME) is None


def test_one_descent_finds_the_solution_close_by(arm: Arm) -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        q = HOME + rng.normal(0.0, 0.1, 7)
        answer = inverse_kinematics(arm, forward_kinematics(arm, q), HOME, restarts=0)
        assert answer is not None
        assert np.abs(answer - q).max() < 1.0


def test_the_posture_decides_the_elbow(arm: Arm) -> None:
    pose = forward_kinematics(arm, HOME)
    start = HOME + np.array([0.3, 0.0, -0.3, 0.0, 0.0, 0.0, 0.3])
    left, right = (
        inverse_kinematics(arm, pose, start, posture=HOME + sign * np.eye(7)[2])
        for sign in (1.0, -1.0)
    )
    assert left is not None
    assert right is not None
    assert left[2] > right[2] + 0.05


def test_the_same_question_has_the_same_answer(arm: Arm) -> None:
    other = Arm(panda(visual=False).compile())
    for q in _configurations(arm, 20, seed=3):
        pose = forward_kinematics(arm, q)
        first, second = (inverse_kinematics(robot, pose, HOME) for robot in (arm, other))
        assert (first is None) == (second is None)
        if first is not None and second is not None:
            assert first.tobytes() == second.tobytes()


def test_a_name_that_is_not_in_the_model_is_listed() -> None:
    with pytest.raises(ArgumentError, match="'left_joint1' is not one of: joint1"):
        Arm(panda(visual=False).compile(), prefix="left_")
    with pytest.raises(ArgumentError, match="'tol' is not one of: tool"):
        Arm(panda(visual=False).compile(), site="tol")
