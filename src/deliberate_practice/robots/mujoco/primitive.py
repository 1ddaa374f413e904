"""Composable interaction primitives: plan to a pose near an object, interact, plan away.

There is one kind of primitive; skills differ in its data. ``build`` turns a primitive, values of
its parameters and the perceived poses into the whole matrix of controls, which can be inspected
before anything moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import mujoco
import numpy as np
from scipy.interpolate import CubicSpline

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError, choose_from
from deliberate_practice.robots.mujoco import impedance
from deliberate_practice.robots.mujoco.impedance import Gains, rotation_control, tool_quaternion
from deliberate_practice.robots.mujoco.kinematics import (
    Arm,
    Pose,
    forward_kinematics,
    inverse_kinematics,
)
from deliberate_practice.robots.mujoco.motion_planning import NoPath
from deliberate_practice.task.skill import Parameter

Vector: TypeAlias = tuple[float, float, float]

FreePath: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""From joints to joints [rad] without touching anything, one row per step of the simulation; raises
``NoPath``."""

STRIDE = 8  # steps between two poses computed along a free path; between them they are interpolated


RAMP = 0.15
"""Part of an even motion for acceleration, and the same for deceleration."""


@dataclass(frozen=True)
class Waypoint:
    """A position of the tool, relative to the object.

    Attributes:
        name: Name by which parameters shift it.
        position: x, y, z from the object's frame, along the world's axes [m].
        seconds: Duration of the motion from the waypoint before it.
        width: Distance of the fingers during that motion [m].
        passing: Whether the hand goes on to the next waypoint without stopping.
        even: Whether the hand moves at a constant speed, for contact; otherwise it is fastest half
            way.
    """

    name: str
    position: Vector
    seconds: float
    width: float
    passing: bool = False
    even: bool = False


@dataclass(frozen=True)
class Shift:
    """How a parameter acts: its value times the direction is added to some waypoints."""

    parameter: str
    direction: Vector
    waypoints: tuple[str, ...]


@dataclass(frozen=True)
class Primitive:
    """A contact-rich skill as data.

    Attributes:
        frame: Name of the site or body the waypoints are relative to.
        pitch: How far the fingers look down [rad].
        waypoints: The first is reached by a free path, as is home from the last.
        parameters: The parameters that can be learned.
        shifts: The effects of the parameters.
        yaw: Turn of the hand about the vertical [rad].
        turning: Whether hand and waypoints turn with the frame about the vertical.
        arm: Prefix of the acting robot's names.
        stiffness: Of the tool's position during the interaction [N/m], or the name of the
            parameter that sets it; None leaves it as it is.
        force: Bound on each component of the hand's force during the interaction [N]; None leaves
            it as it is.
        elbows: Sideways swings of the elbow [rad], tried one after the other until there is a path.
    """

    frame: str
    pitch: float
    waypoints: tuple[Waypoint, ...]
    parameters: tuple[Parameter, ...] = ()
    shifts: tuple[Shift, ...] = ()
    yaw: float = 0.0
    turning: bool = False
    arm: str = ""
    stiffness: float | str | None = None
    force: float | None = None
    elbows: tuple[float, ...] = (0.0,)


@dataclass(frozen=True)
class Motion:
    """The planned motion of a robot.

    Attributes:
        controls: One row per step, see the columns in ``impedance``.
        contact: The first row of the interaction; rows before it are free motion.
        waypoints: The tool's waypoints in the world [m].
        gains: Those of the interaction.
    """

    controls: FloatArray
    contact: int
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
    """Controls that bring the robot to the object and interact with it.

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

    Returns:
        The controls; afterwards ``go`` moves the robot away.

    Raises:
        NoPath: The arm cannot reach the first waypoint.
    """
    yaw = yaw if primitive.turning else 0.0
    waypoints = resolve(primitive, values, origin, yaw)
    quaternion = tool_quaternion(primitive.pitch, primitive.yaw + yaw)
    joints, there = _approach(primitive, arm, waypoints, quaternion, start, posture, free_path)
    interaction = _interaction_controls(arm, waypoints, joints, quaternion)
    controls = np.concatenate([_free_controls(arm, there, waypoints[0].width), interaction])
    touching = _touching(primitive, values, gains)
    if touching == gains:
        _lead(controls, arm.model.opt.timestep, gains)
    else:  # the hand is at rest in between
        _lead(controls[: len(there)], arm.model.opt.timestep, gains)
        _lead(controls[len(there) :], arm.model.opt.timestep, touching)
    return Motion(controls, len(there), waypoints, touching)


def go(arm: Arm, path: FloatArray, width: float, gains: Gains) -> FloatArray:
    """Controls that follow a free path, one row per step, with the fingers at some width [m]."""
    controls = _free_controls(arm, path, width)
    _lead(controls, arm.model.opt.timestep, gains)
    return controls


def hold(arm: Arm, joints: FloatArray, width: float) -> FloatArray:
    """The one row of controls with which the robot stays at some joints [rad]."""
    return np.asarray(_free_controls(arm, joints[None], width)[0])


def resolve(
    primitive: Primitive, values: Mapping[str, float], origin: FloatArray, yaw: float = 0.0
) -> tuple[Waypoint, ...]:
    """The waypoints in the world for given values of the parameters, clipped to their bounds."""
    clipped = bounded(primitive, values)
    at = {
        waypoint.name: origin + _turned(waypoint.position, yaw) for waypoint in primitive.waypoints
    }
    for shift in primitive.shifts:
        for name in shift.waypoints:
            at[name] = at[name] + clipped[shift.parameter] * _turned(shift.direction, yaw)
    return tuple(
        replace(waypoint, position=tuple(at[waypoint.name].tolist()))
        for waypoint in primitive.waypoints
    )


def bounded(primitive: Primitive, values: Mapping[str, float]) -> dict[str, float]:
    """A value for every parameter, clipped to its bounds; its mean if none is given."""
    names = [parameter.name for parameter in primitive.parameters]
    for name in values:
        if name not in names:
            raise ArgumentError("parameter: " + choose_from(name, names))
    return {
        p.name: min(max(values.get(p.name, p.mean), p.low), p.high) for p in primitive.parameters
    }


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


def _turned(vector: Vector, yaw: float) -> FloatArray:
    x, y, z = vector
    if yaw == 0.0:
        return np.asarray(vector)
    cosine, sine = math.cos(yaw), math.sin(yaw)
    return np.array([cosine * x - sine * y, sine * x + cosine * y, z])


def _touching(primitive: Primitive, values: Mapping[str, float], gains: Gains) -> Gains:
    """The gains of the interaction."""
    wanted = primitive.stiffness
    if isinstance(wanted, str):
        wanted = bounded(primitive, values)[wanted]
    return replace(
        gains,
        stiffness=gains.stiffness if wanted is None else wanted,
        force=gains.force if primitive.force is None else primitive.force,
    )


def _approach(
    primitive: Primitive,
    arm: Arm,
    waypoints: tuple[Waypoint, ...],
    quaternion: FloatArray,
    start: FloatArray,
    posture: FloatArray,
    free_path: FreePath,
) -> tuple[list[FloatArray], FloatArray]:
    """Joints at the waypoints, and the free path to the first."""
    for number, elbow in enumerate(primitive.elbows, 1):
        swung = posture.copy()
        if elbow:
            swung[[0, 2]] += (-elbow, elbow)  # opposite turns below and above the shoulder
        try:
            joints = _postures(arm, waypoints, quaternion, swung)
            return joints, free_path(start, joints[0])
        except NoPath:
            if number == len(primitive.elbows):
                raise
    raise ArgumentError("elbows: there must be one at least; 0 leaves the posture as it is.")


def _postures(
    arm: Arm, waypoints: tuple[Waypoint, ...], quaternion: FloatArray, posture: FloatArray
) -> list[FloatArray]:
    """Joints at the waypoints; where the arm does not reach, those of the waypoint before."""
    joints: list[FloatArray] = []
    for waypoint in waypoints:
        pose = Pose(np.array(waypoint.position), quaternion)
        start = joints[-1] if joints else posture
        answer = inverse_kinematics(arm, pose, start, posture, restarts=0)
        if answer is None and not joints:
            raise NoPath(f"the arm does not reach {np.round(waypoint.position, 3).tolist()}.")
        joints.append(start if answer is None else answer)
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
    joints: list[FloatArray],
    quaternion: FloatArray,
) -> FloatArray:
    rotation = rotation_control(quaternion, arm.reference)
    places = np.array([waypoint.position for waypoint in waypoints])
    stops = [index for index, waypoint in enumerate(waypoints) if index and not waypoint.passing]
    parts, start = [], 0
    for stop in stops:
        times = np.cumsum(
            [0.0, *(waypoint.seconds for waypoint in waypoints[start + 1 : stop + 1])]
        )
        profile = steady if waypoints[stop].even else smooth
        s = profile(max(1, round(float(times[-1]) / arm.model.opt.timestep)))[:, None]
        part = np.empty((len(s), impedance.CONTROLS))
        for columns, knots in (
            (impedance.POSITION, places[start : stop + 1]),
            (impedance.POSTURE, np.array(joints[start : stop + 1])),
        ):
            part[:, columns] = (
                knots[0] + s * (knots[1] - knots[0])
                if len(knots) == 2
                else CubicSpline(times, knots)(times[-1] * s[:, 0])
            )
        part[:, impedance.ROTATION] = rotation
        part[:, impedance.WIDTH] = waypoints[stop].width
        parts.append(part)
        start = stop
    return np.concatenate(parts)


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


def frame_position(model: mujoco.MjModel, data: mujoco.MjData, name: str) -> FloatArray:
    """Position of a site or, if there is none of that name, a body in the world [m]."""
    return _frame(model, data, name)[0]


def frame_yaw(model: mujoco.MjModel, data: mujoco.MjData, name: str) -> float:
    """How far a site or body is turned about the vertical [rad]."""
    matrix = _frame(model, data, name)[1]
    return math.atan2(matrix[3], matrix[0])


def _frame(model: mujoco.MjModel, data: mujoco.MjData, name: str) -> tuple[FloatArray, FloatArray]:
    """Position and rotation matrix (9 numbers) of a site or body."""
    for kind, positions, rotations in (
        (mujoco.mjtObj.mjOBJ_SITE, data.site_xpos, data.site_xmat),
        (mujoco.mjtObj.mjOBJ_BODY, data.xpos, data.xmat),
    ):
        number = mujoco.mj_name2id(model, kind, name)
        if number >= 0:
            return np.array(positions[number]), np.array(rotations[number])
    raise ArgumentError(f"frame: {name!r} is neither a site nor a body of the scene.")
