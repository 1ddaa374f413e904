"""Forward and inverse kinematics of the tool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError, choose_from
from deliberate_practice.robots.mujoco.impedance import REFERENCE
from deliberate_practice.robots.mujoco.panda import ARM_JOINTS, TOOL

POSITION_TOLERANCE = 1e-4  # [m]
ROTATION_TOLERANCE = 1e-3  # [rad]
ITERATIONS = 25  # of one descent; those that succeed need 8 in the median
RESTARTS = 20
STEP = 1.0  # the longest step of a joint in one iteration [rad]
DAMPING = 0.1  # times the squared error ...
LEAST_DAMPING = 1e-6  # ... and what remains of it at the target
HOLDS = 3  # how often a step is computed again without joints that would leave their limits
POSTURE_GAIN = 0.2
FAR = 0.1  # error from which on the posture counts fully; it fades out towards the target
IDENTITY = np.eye(6)
ONE = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True)
class Pose:
    """A position and an orientation in the world.

    Attributes:
        position: x, y, z [m].
        quaternion: Unit quaternion w, x, y, z.
    """

    position: FloatArray
    quaternion: FloatArray


class Arm:
    """The joints and the tool of one robot in a compiled model, with scratch memory of its own.

    Args:
        model: The whole scene (``mujoco.MjModel``).
        prefix: Prefix of the robot's names, if a scene has several robots.
        joints: Names of its joints, from the base.
        site: Name of the tool's site.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        prefix: str = "",
        joints: Sequence[str] = ARM_JOINTS,
        site: str = TOOL,
    ) -> None:
        self.model = model
        self.prefix = prefix
        ids = [_named(model, mujoco.mjtObj.mjOBJ_JOINT, prefix + name) for name in joints]
        self.qpos_at = model.jnt_qposadr[ids].copy()
        self.dof_at = model.jnt_dofadr[ids].copy()
        self.low: FloatArray = model.jnt_range[ids, 0].copy()
        self.high: FloatArray = model.jnt_range[ids, 1].copy()
        self.site = _named(model, mujoco.mjtObj.mjOBJ_SITE, prefix + site)
        reference = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, prefix + REFERENCE)
        # What orientations are commanded relative to; a robot without its controller has none.
        self.reference: FloatArray = model.site_quat[reference].copy() if reference >= 0 else ONE
        self.base = int(model.jnt_bodyid[ids[0]])
        self.data = mujoco.MjData(model)
        self._jacobian = np.empty((6, model.nv))

    def place(self, q: FloatArray) -> None:
        """Set the joint angles of the arm in scratch memory; everything else stays."""
        self.data.qpos[self.qpos_at] = q
        mujoco.mj_kinematics(self.model, self.data)

    def jacobian(self) -> FloatArray:
        """Derivative of the tool's position and rotation (world frame) by the joints, 6 x n."""
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_jacSite(self.model, self.data, self._jacobian[:3], self._jacobian[3:], self.site)
        return self._jacobian[:, self.dof_at]

    def pose_error(self, target: Pose) -> FloatArray:
        """Pose error of the placed tool: translation [m] and rotation vector [rad], world frame."""
        error = np.empty(6)
        error[:3] = target.position - self.data.site_xpos[self.site]
        present, back, turn = np.empty(4), np.empty(4), np.empty(4)
        mujoco.mju_mat2Quat(present, self.data.site_xmat[self.site])
        mujoco.mju_negQuat(back, present)
        mujoco.mju_mulQuat(turn, target.quaternion, back)
        mujoco.mju_quat2Vel(error[3:], turn, 1.0)
        return error


def forward_kinematics(arm: Arm, q: FloatArray) -> Pose:
    """Pose of the tool at the joint angles ``q`` [rad]."""
    arm.place(q)
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, arm.data.site_xmat[arm.site])
    return Pose(arm.data.site_xpos[arm.site].copy(), quaternion)


def inverse_kinematics(
    arm: Arm,
    target: Pose,
    start: FloatArray,
    posture: FloatArray | None = None,
    restarts: int = RESTARTS,
) -> FloatArray | None:
    """Joint angles within their limits that bring the tool to a pose.

    Damped least squares, the damping λ falling with the error as in Sugihara (2011), and the
    posture in the null space, fading out with the error so that it does not disturb the end:

        dq = Jᵀ (J Jᵀ + λ I)⁻¹ (e - J w) + w,   λ = |e|² / 10 + 1e-6,   w ~ posture - q

    Joints at a limit are taken out of J while the step pushes them further. Descents that fail are
    begun again at angles drawn with a fixed seed: the same question has the same answer.

    Args:
        arm: The robot.
        target: Where the tool should be.
        start: Where the descent begins [rad]; the answer is usually the solution near it.
        posture: Angles to stay close to where the pose leaves a choice; default ``start``.
        restarts: How many more descents there may be.

    Returns:
        The joint angles [rad], or None if no descent reached the pose.
    """
    posture = start if posture is None else posture
    rng = np.random.default_rng(0)
    q = np.clip(start, arm.low, arm.high)
    for _ in range(1 + restarts):
        answer = _descend(arm, target, q, posture)
        if answer is not None:
            return answer
        q = rng.uniform(arm.low, arm.high)
    return None


def _descend(arm: Arm, target: Pose, q: FloatArray, posture: FloatArray) -> FloatArray | None:
    for _ in range(ITERATIONS):
        arm.place(q)
        error = arm.pose_error(target)
        if _length(error[:3]) < POSITION_TOLERANCE and _length(error[3:]) < ROTATION_TOLERANCE:
            return q
        q = np.clip(q + _step(arm, q, error, posture - q), arm.low, arm.high)
    return None


def _step(arm: Arm, q: FloatArray, error: FloatArray, away: FloatArray) -> FloatArray:
    jacobian = arm.jacobian()
    wish = POSTURE_GAIN * min(1.0, _length(error) / FAR) * away
    damping = (DAMPING * float(error @ error) + LEAST_DAMPING) * IDENTITY
    low, high = q <= arm.low, q >= arm.high
    at_limit = bool((low | high).any())
    for _ in range(HOLDS):
        push = np.linalg.solve(jacobian @ jacobian.T + damping, error - jacobian @ wish)
        step: FloatArray = push @ jacobian + wish
        beyond = (low & (step < 0)) | (high & (step > 0)) if at_limit else low
        if not beyond.any():
            break
        step[beyond] = jacobian[:, beyond] = wish[beyond] = 0.0
    longest = float(np.abs(step).max())
    return step * (STEP / longest) if longest > STEP else step


def _length(vector: FloatArray) -> float:
    return float(np.sqrt(vector @ vector))


def _named(model: mujoco.MjModel, kind: mujoco.mjtObj, name: str) -> int:
    found = mujoco.mj_name2id(model, kind, name)
    if found >= 0:
        return int(found)
    number = {mujoco.mjtObj.mjOBJ_JOINT: model.njnt, mujoco.mjtObj.mjOBJ_SITE: model.nsite}[kind]
    names = [mujoco.mj_id2name(model, kind, index) or "(unnamed)" for index in range(number)]
    raise ArgumentError("arm: " + choose_from(name, names))
