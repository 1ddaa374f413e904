"""What ends a motion of the robot early: the limits at which a real Panda stops.

Commanded motions keep the joints' limits of speed and acceleration, because they are slowed down
where they would not; torques saturate at theirs. Contact can still press too hard, or throw a joint
forward. Then the robot's reflex ends the motion, and the attempt has failed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.kinematics import Arm
from deliberate_practice.robots.mujoco.trajectory import VELOCITY

FORCE = 100.0
"""The net contact force of the hand at which the reflex ends a motion [N] ..."""

WINDOW = 0.012
"""... as a mean over this time [s]."""

LIMITS = {"force": FORCE, "speed": 1.0}
"""The limits of what every result measures: force [N], joint speed as a part of its limit."""


@dataclass(frozen=True)
class Load:
    """How hard a motion was for the robot.

    Attributes:
        steps: How many steps were executed, the one that met a limit included.
        force: The largest mean force of the hand [N].
        speed: The largest joint speed as a part of its limit.
        stopped: The limit that ended the motion: ``force``, ``speed``, ``position`` or none.
    """

    steps: int
    force: float
    speed: float
    stopped: str


def load(arm: Arm, forces: FloatArray, qpos: FloatArray, qvel: FloatArray, timestep: float) -> Load:
    """Where a motion has to end, and the largest force and speed up to there.

    Args:
        arm: The robot.
        forces: Net contact force of its hand after every step [N], n x 3.
        qpos: Positions of the whole model, n rows.
        qvel: Velocities of the whole model, n rows.
        timestep: Of the simulation [s].
    """
    force = _means(np.linalg.norm(forces, axis=1), max(1, round(WINDOW / timestep)))
    speed = np.max(np.abs(qvel[:, arm.dof_at]) / VELOCITY, axis=1)
    angles = qpos[:, arm.qpos_at]
    outside = np.any((angles < arm.low) | (angles > arm.high), axis=1)
    met = {"force": force > FORCE, "speed": speed > 1.0, "position": outside}
    first = {name: int(np.argmax(over)) for name, over in met.items() if over.any()}
    stopped = min(first, key=lambda name: first[name], default="")
    steps = first[stopped] + 1 if stopped else len(force)
    return Load(steps, float(force[:steps].max()), float(speed[:steps].max()), stopped)


def _means(values: FloatArray, window: int) -> FloatArray:
    """The mean over the latest ``window`` steps, fewer at the beginning."""
    sums = np.cumsum(values)
    sums[window:] = sums[window:] - sums[:-window]
    return np.asarray(sums / np.minimum(np.arange(1, len(values) + 1), window))
