"""Motions of a robot: from a primitive, values and perceived poses to a matrix of controls.

The matrix can be inspected before anything moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from scipy.interpolate import CubicSpline

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.robots.mujoco import impedance
from deliberate_practice.robots.mujoco.impedance import Gains, rotation_control, tool_quaternion
from deliberate_practice.robots.mujoco.kinematics import (
    Arm,
    Pose,
    forward_kinematics,
    inverse_kinematics,
)
from deliberate_practice.robots.mujoco.motion_planning import NoPath
from deliberate_practice.robots.mujoco.primitive import (
    Primitive,
    Waypoint,
    bounded,
    physical,
    resolve,
)
from deliberate_practice.robots.mujoco.trajectory import ACCELERATION, VELOCITY

FreePath: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""Corners of a path from joints to joints [rad] that touches nothing; raises ``NoPath``."""

STRIDE = 8  # steps between two poses computed along a free path; between them they are interpolated

RAMP = 0.15
"""Part of an even motion for acceleration, and the same for deceleration."""

CARE = 0.8
"""An interaction uses at most this part of the joints' limits; a faster one is slowed down ..."""

ROUNDED = 1.05
"""... and may then still be so many times too fast, because it takes whole steps."""


@dataclass(frozen=True)
class Motion:
    """The planned motion of a robot.

    Attributes:
        path: Corners of the free path to the first waypoint, n x 7 joint angles [rad].
        controls: The interaction: one row per step, see the columns in ``impedance``.
        waypoints: The tool's waypoints in the world [m].
        gains: Those of the interaction.
    """

    path: FloatArray
    controls: FloatArray
    waypoints: tuple[Waypoint, ...]
    gains: Gains


def build(
    primitive: Primitive,
    values: Mapping[str, float],
    origin: FloatArray,
    arm: Arm,
    start: FloatArray,
    posture: FloatArray,
    free_path: FreePath,
    gains: Gains,
    yaw: float = 0.0,
) -> Motion:
    """The free path to the object, and the controls of the interaction with it.

    A motion that would be too fast for a joint is slowed down.

    Args:
        primitive: The primitive.
        values: Value of each parameter; clipped to its bounds.
        origin: Position of the primitive's frame [m], as perceived.
        arm: The robot in its model.
        start: Where the joints are [rad].
        posture: Joints to stay close to [rad].
        free_path: Plans the path to the first waypoint.
        gains: Those of the controller, whose damping the controls compensate.
        yaw: Turn of the primitive's frame [rad], as perceived; used only if the primitive turns.

    Raises:
        NoPath: The arm does not reach a waypoint, or there is no free path to the first one.
    """
    yaw = yaw if primitive.turning else 0.0
    waypoints = resolve(primitive, values, origin, yaw)
    poses = _poses(primitive, waypoints, yaw)
    joints, path = _approach(primitive, arm, poses, start, posture, free_path)
    controls = _interaction_controls(arm, waypoints, poses, joints)
    touching = _touching(primitive, values, gains)
    _lead(controls, arm.model.opt.timestep, touching)
    return Motion(path, controls, waypoints, touching)


def go(arm: Arm, path: FloatArray, width: float, gains: Gains) -> FloatArray:
    """Controls that follow a free path, one row per step, with the fingers at some width [m]."""
    controls = _free_controls(arm, path, width)
    _lead(controls, arm.model.opt.timestep, gains)
    return controls


def hold(arm: Arm, joints: FloatArray, width: float) -> FloatArray:
    """The one row of controls with which the robot stays at some joints [rad]."""
    return np.asarray(_free_controls(arm, joints[None], width)[0])


def smooth(steps: int) -> FloatArray:
    """From 0 (left out) to 1 in so many steps, starting and stopping softly (least jerk)."""
    t = np.arange(1, steps + 1) / steps
    return np.asarray(t**3 * (10 - 15 * t + 6 * t**2))


def steady(steps: int) -> FloatArray:
    """From 0 (left out) to 1 in so many steps, at an even speed but for the ends."""
    t = np.arange(1, steps + 1) / steps
    speed = np.minimum(1.0, np.minimum(t, 1 + 1 / steps - t) / RAMP)
    way = np.cumsum(speed * speed * (3 - 2 * speed))
    return np.asarray(way / way[-1])


def _touching(primitive: Primitive, values: Mapping[str, float], gains: Gains) -> Gains:
    """The gains of the interaction."""
    wanted = primitive.stiffness
    return replace(
        gains,
        stiffness=gains.stiffness
        if wanted is None
        else physical(primitive, bounded(primitive, values), wanted),
        force=gains.force if primitive.force is None else primitive.force,
    )


def _poses(primitive: Primitive, waypoints: tuple[Waypoint, ...], yaw: float) -> list[Pose]:
    """The tool's poses at resolved waypoints."""
    return [
        Pose(
            np.array(waypoint.position),
            tool_quaternion(
                primitive.pitch + waypoint.pitch,
                primitive.yaw + yaw + waypoint.yaw,
                primitive.roll,
            ),
        )
        for waypoint in waypoints
    ]


def _approach(
    primitive: Primitive,
    arm: Arm,
    poses: Sequence[Pose],
    start: FloatArray,
    posture: FloatArray,
    free_path: FreePath,
) -> tuple[list[FloatArray], FloatArray]:
    """Joints at the waypoints, and the free path to the first."""
    for number, elbow in enumerate(primitive.elbows, 1):
        try:
            joints = _postures(arm, poses, _swung(posture, elbow))
            return joints, free_path(start, joints[0])
        except NoPath:
            if number == len(primitive.elbows):
                raise
    raise ArgumentError("elbows: there must be one at least; 0 leaves the posture as it is.")


def _swung(posture: FloatArray, elbow: float) -> FloatArray:
    """A posture with the elbow swung to the side."""
    swung = posture.copy()
    swung[[0, 2]] += (-elbow, elbow)  # opposite turns below and above the shoulder
    return swung


def _postures(arm: Arm, poses: Sequence[Pose], posture: FloatArray) -> list[FloatArray]:
    """Joints at the waypoints, each near those of the one before."""
    joints: list[FloatArray] = []
    for pose in poses:
        start = joints[-1] if joints else posture
        answer = inverse_kinematics(arm, pose, start, posture, restarts=0)
        if answer is None:
            raise NoPath(f"the arm does not reach {np.round(pose.position, 3).tolist()}.")
        joints.append(answer)
    return joints


def _free_controls(arm: Arm, path: FloatArray, width: float) -> FloatArray:
    controls = np.empty((len(path), impedance.CONTROLS))
    controls[:, impedance.POSTURE] = path
    controls[:, impedance.WIDTH] = width
    knots = np.unique(np.append(np.arange(0, len(path), STRIDE), len(path) - 1))
    poses = np.empty((len(knots), 6))
    for row, knot in enumerate(knots):
        pose = forward_kinematics(arm, path[knot])
        poses[row, :3] = pose.position
        poses[row, 3:] = rotation_control(pose.quaternion, arm.reference)
    controls[:, :6] = poses if len(knots) < 2 else CubicSpline(knots, poses)(np.arange(len(path)))
    return controls


def _interaction_controls(
    arm: Arm,
    waypoints: tuple[Waypoint, ...],
    poses: Sequence[Pose],
    joints: list[FloatArray],
) -> FloatArray:
    timestep = float(arm.model.opt.timestep)
    knots = np.empty((len(waypoints), impedance.CONTROLS))
    for row, (waypoint, pose, angles) in enumerate(zip(waypoints, poses, joints, strict=True)):
        knots[row, impedance.POSITION] = pose.position
        knots[row, impedance.ROTATION] = rotation_control(pose.quaternion, arm.reference)
        knots[row, impedance.POSTURE] = angles
        knots[row, impedance.WIDTH] = waypoint.width
    stops = [index for index, waypoint in enumerate(waypoints) if index and not waypoint.passing]
    parts, start = [], 0
    for stop in stops:
        seconds = np.array([w.seconds for w in waypoints[start + 1 : stop + 1]], dtype=float)
        between, profile = knots[start : stop + 1], steady if waypoints[stop].even else smooth
        part = _along(between, seconds, profile, timestep)
        most = 1.0
        while (hurry := _hurry(part[:, impedance.POSTURE], joints[start], timestep)) > most:
            seconds = hurry * seconds
            part = _along(between, seconds, profile, timestep)
            most = ROUNDED
        part[:, impedance.WIDTH] = waypoints[stop].width
        parts.append(part)
        start = stop
    return np.concatenate(parts)


def _along(
    knots: FloatArray,
    seconds: FloatArray,
    profile: Callable[[int], FloatArray],
    timestep: float,
) -> FloatArray:
    """Controls through some knots, from rest to rest."""
    times = np.append(0.0, np.cumsum(seconds))
    s = profile(max(1, round(float(times[-1]) / timestep)))
    if len(knots) == 2:
        return np.asarray(knots[0] + s[:, None] * (knots[1] - knots[0]))
    return np.asarray(CubicSpline(times, knots)(times[-1] * s))


def _hurry(path: FloatArray, start: FloatArray, timestep: float) -> float:
    """How many times too fast a motion of the joints is; at most 1 if it keeps their limits."""
    velocity = np.diff(path, axis=0, prepend=start[None]) / timestep
    acceleration = np.diff(velocity, axis=0, prepend=0.0) / timestep
    speed = float(np.max(np.abs(velocity) / VELOCITY))
    push = float(np.max(np.abs(acceleration) / ACCELERATION))
    return max(speed / CARE, math.sqrt(push / CARE))


def _lead(controls: FloatArray, timestep: float, gains: Gains) -> None:
    """Add a feed-forward to follow the path, in place: x_d + (D dx_d/dt + M d²x_d/dt²) / K."""
    if len(controls) < 2:
        return
    for columns, stiffness, damping, mass in (
        (impedance.POSITION, gains.stiffness, gains.damping, gains.mass),
        (impedance.ROTATION, gains.rotational_stiffness, gains.rotational_damping, gains.inertia),
        (impedance.POSTURE, gains.posture, gains.posture_damping, 0.0),
    ):
        desired = controls[:, columns]
        velocity = np.gradient(desired, timestep, axis=0)
        acceleration = np.gradient(velocity, timestep, axis=0)
        controls[:, columns] = desired + (damping * velocity + mass * acceleration) / stiffness
