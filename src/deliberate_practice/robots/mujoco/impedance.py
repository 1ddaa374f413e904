"""Cartesian impedance control of the Panda, as actuators inside the model.

The hand is drawn to a desired pose by a spring and a damper, force and torque bounded:

    F = clip(K (x_d - x) - D dx/dt, -F_max, F_max)

for the position x of the tool in the world, and the same for its rotation vector relative to a
fixed reference orientation. Beside it pulls a weak spring on every joint (the posture, which
settles the elbow) and a position controller of the gripper. All are MuJoCo actuators, so a command
is one row of controls, and a skill is a matrix of them that ``mujoco.rollout`` runs in C.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass

import mujoco
import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.panda import ARM_JOINTS, FINGER_JOINTS, FINGER_TRAVEL, TOOL

POSITION, ROTATION, POSTURE, WIDTH = slice(0, 3), slice(3, 6), slice(6, 13), 13
"""Columns of a control: tool position [m], rotation vector, joints [rad], gripper width [m]."""

CONTROLS = 14
"""How many there are. With several robots each has its own block of them, see ``block``."""

WIDEST = 2 * FINGER_TRAVEL
"""Distance between the open fingers [m]."""

REFERENCE = "reference"
"""The site to which orientations of the hand are relative."""

REFERENCE_PITCH = math.radians(72)  # rotation vectors stay short for hands from level to downward


@dataclass(frozen=True)
class Gains:
    """Gains of the controller.

    Attributes:
        stiffness: Of the tool's position [N/m].
        rotational_stiffness: Of its orientation [Nm/rad].
        damping_ratio: 1 is critical, for ``mass`` and ``inertia``.
        mass: Apparent mass of the arm at the tool [kg].
        inertia: The same for rotation [kg m²].
        force: Bound on each component of the force [N].
        torque: Bound on each component of the torque [Nm].
        posture: Stiffness of every joint [Nm/rad].
        posture_damping: Damping of every joint [Nms/rad].
        grip_stiffness: Of the gripper's width [N/m].
        grip_force: Bound on the force of a finger [N].
    """

    stiffness: float = 630.0
    rotational_stiffness: float = 30.0
    damping_ratio: float = 0.7
    mass: float = 8.0
    inertia: float = 0.3
    force: float = 60.0
    torque: float = 12.0
    posture: float = 4.0
    posture_damping: float = 1.0
    grip_stiffness: float = 5000.0
    grip_force: float = 80.0

    @property
    def damping(self) -> float:
        """Of the tool's position [Ns/m]."""
        return 2 * self.damping_ratio * math.sqrt(self.stiffness * self.mass)

    @property
    def rotational_damping(self) -> float:
        """Of the tool's orientation [Nms/rad]."""
        return 2 * self.damping_ratio * math.sqrt(self.rotational_stiffness * self.inertia)


def add_impedance(
    spec: mujoco.MjSpec, gains: Gains, prefix: str = "", reference_yaw: float = 0.0
) -> None:
    """Give the robot in a scene its controller: the actuators in the order of the columns.

    Args:
        spec: A scene that holds the robot.
        gains: Its gains.
        prefix: Prefix of the robot's names.
        reference_yaw: Usual direction of its hand [rad]; orientations are commanded relative to
            it, and should be less than about 2 rad away from it.
    """
    origin, reference = f"{prefix}origin", f"{prefix}{REFERENCE}"
    spec.worldbody.add_site(name=origin, group=4)
    quaternion = tool_quaternion(REFERENCE_PITCH, reference_yaw)
    spec.worldbody.add_site(name=reference, quat=quaternion, group=4)
    for column in range(6):
        turning = column >= 3
        _add_spring(
            spec,
            f"{prefix}{'rxryrz'[2 * column - 6 :][:2] if turning else 'xyz'[column]}",
            gains.rotational_stiffness if turning else gains.stiffness,
            gains.rotational_damping if turning else gains.damping,
            gains.torque if turning else gains.force,
            trntype=mujoco.mjtTrn.mjTRN_SITE,
            target=prefix + TOOL,
            refsite=reference if turning else origin,
            gear=np.eye(6)[column],
        )
    for joint in ARM_JOINTS:
        _add_spring(
            spec,
            f"{prefix}posture_{joint}",
            gains.posture,
            gains.posture_damping,
            gains.torque,
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            target=prefix + joint,
        )
    width = spec.add_tendon(name=f"{prefix}width")
    for joint in FINGER_JOINTS:
        width.wrap_joint(prefix + joint, 1.0)
    _add_spring(
        spec,
        f"{prefix}gripper",
        gains.grip_stiffness,
        0.0,  # the joints of the fingers are damped: a bounded actuator with damping would rattle
        gains.grip_force,
        trntype=mujoco.mjtTrn.mjTRN_TENDON,
        target=width.name,
    )


def block(model: mujoco.MjModel, prefix: str = "") -> slice:
    """The columns of one robot in the controls of the whole model."""
    first = int(model.actuator(f"{prefix}x").id)
    return slice(first, first + CONTROLS)


def with_gains(model: mujoco.MjModel, gains: Gains, prefix: str = "") -> mujoco.MjModel:
    """A copy of the model with other gains of one robot."""
    changed = copy.copy(model)
    first = block(model, prefix).start
    for columns, stiffness, damping, bound in (
        (POSITION, gains.stiffness, gains.damping, gains.force),
        (ROTATION, gains.rotational_stiffness, gains.rotational_damping, gains.torque),
    ):
        rows = slice(first + columns.start, first + columns.stop)
        changed.actuator_gainprm[rows, 0] = stiffness
        changed.actuator_biasprm[rows, 1:3] = (-stiffness, -damping)
        changed.actuator_forcerange[rows] = (-bound, bound)
    return changed


def tool_quaternion(pitch: float, yaw: float = 0.0, roll: float = 0.0) -> FloatArray:
    """Orientation of a hand that looks down by ``pitch`` [rad] (pi/2: straight down).

    Args:
        pitch: Angle of the fingers below the horizon [rad].
        yaw: Turn about the vertical [rad]; at 0 the fingers close along the world's y axis.
        roll: Turn of the hand about the direction it looks in [rad]; at pi/2 the fingers of a level
            hand close along the vertical.
    """
    turn, tilt, out = np.empty(4), np.empty(4), np.empty(4)
    mujoco.mju_axisAngle2Quat(turn, np.array([0.0, 0.0, 1.0]), yaw)
    mujoco.mju_axisAngle2Quat(tilt, np.array([0.0, 1.0, 0.0]), pitch - math.pi / 2)
    mujoco.mju_mulQuat(out, turn, tilt)
    mujoco.mju_mulQuat(out, out.copy(), np.array([0.0, 1.0, 0.0, 0.0]))
    if roll:
        mujoco.mju_axisAngle2Quat(turn, np.array([0.0, 0.0, 1.0]), roll)
        mujoco.mju_mulQuat(out, out.copy(), turn)
    return out


def rotation_control(quaternion: FloatArray, reference: FloatArray) -> FloatArray:
    """The rotation vector that commands an orientation of the tool.

    Args:
        quaternion: The orientation.
        reference: That of the robot's reference, see ``Arm.reference``.
    """
    out = np.empty(3)
    mujoco.mju_subQuat(out, quaternion, reference)
    return out


def _add_spring(
    spec: mujoco.MjSpec, name: str, stiffness: float, damping: float, bound: float, **target: object
) -> None:
    spec.add_actuator(
        name=name,
        gaintype=mujoco.mjtGain.mjGAIN_FIXED,
        biastype=mujoco.mjtBias.mjBIAS_AFFINE,
        gainprm=[stiffness, *[0.0] * 9],
        biasprm=[0.0, -stiffness, -damping, *[0.0] * 7],
        forcerange=(-bound, bound),
        forcelimited=True,
        ctrllimited=False,
        **target,
    )
