"""Composable interaction primitives: plan to a pose near an object, interact, plan away.

There is one kind of primitive; skills differ in its data.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import mujoco
import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError, choose_from
from deliberate_practice.task.skill import Parameter

Vector: TypeAlias = tuple[float, float, float]

OCTAVES = "log2 "
"""A unit that begins like this counts in doublings: 9 with the unit ``log2 N/m`` is 512 N/m."""


@dataclass(frozen=True)
class Waypoint:
    """A pose of the tool, relative to the object.

    Attributes:
        name: Name by which parameters move it.
        position: x, y, z from the object's frame, along the world's axes [m].
        seconds: Duration of the motion from the waypoint before it, or the name of the parameter
            that sets it.
        width: Distance of the fingers during that motion [m].
        passing: Whether the hand goes on to the next waypoint without stopping.
        even: Whether the hand moves at a constant speed, for contact; otherwise it is fastest half
            way.
        pitch: How much further down the hand looks than the primitive says [rad].
        yaw: How much further it is turned about the vertical [rad].
    """

    name: str
    position: Vector
    seconds: float | str
    width: float
    passing: bool = False
    even: bool = False
    pitch: float = 0.0
    yaw: float = 0.0


@dataclass(frozen=True)
class Shift:
    """How a parameter acts: its value times the direction is added to some waypoints."""

    parameter: str
    direction: Vector
    waypoints: tuple[str, ...]


@dataclass(frozen=True)
class Turn:
    """How a parameter turns the hand: its value is added to an angle of some waypoints."""

    parameter: str
    angle: Literal["pitch", "yaw"]
    waypoints: tuple[str, ...]


@dataclass(frozen=True)
class Swing:
    """How a parameter moves the hand on an arc, such as that of a door.

    Its value times a share of the waypoint is the angle about a vertical axis. The hand turns with
    it.

    Attributes:
        parameter: The angle at a share of 1 [rad].
        pivot: x and y of the axis from the object's frame, along the world's axes [m].
        shares: The waypoints on the arc, each with its share of the angle.
        grip: How much of the angle the hand turns; less than 1 if the fingers slip around a bar.
    """

    parameter: str
    pivot: tuple[float, float]
    shares: tuple[tuple[str, float], ...]
    grip: float = 1.0


@dataclass(frozen=True)
class Primitive:
    """A contact-rich skill as data.

    Attributes:
        frame: Name of the site or body the waypoints are relative to.
        pitch: How far the fingers look down [rad].
        waypoints: The first is reached by a free path, as is home from the last.
        parameters: The parameters that can be learned.
        shifts: The parameters that move waypoints.
        turns: The parameters that turn the hand there.
        swings: The parameters that move waypoints on arcs, after all shifts.
        yaw: Turn of the hand about the vertical [rad].
        roll: Its turn about the direction it looks in [rad].
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
    turns: tuple[Turn, ...] = ()
    swings: tuple[Swing, ...] = ()
    yaw: float = 0.0
    roll: float = 0.0
    turning: bool = False
    arm: str = ""
    stiffness: float | str | None = None
    force: float | None = None
    elbows: tuple[float, ...] = (0.0,)


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
    turned = {(w.name, "pitch"): w.pitch for w in primitive.waypoints}
    turned |= {(w.name, "yaw"): w.yaw for w in primitive.waypoints}
    for turn in primitive.turns:
        for name in turn.waypoints:
            turned[name, turn.angle] += clipped[turn.parameter]
    for swing in primitive.swings:
        pivot = origin + _turned((*swing.pivot, 0.0), yaw)
        for name, share in swing.shares:
            angle = share * clipped[swing.parameter]
            x, y, z = at[name] - pivot
            at[name] = pivot + _turned((x, y, z), angle)
            turned[name, "yaw"] += swing.grip * angle
    return tuple(
        replace(
            waypoint,
            position=tuple(at[waypoint.name].tolist()),
            seconds=physical(primitive, clipped, waypoint.seconds),
            pitch=turned[waypoint.name, "pitch"],
            yaw=turned[waypoint.name, "yaw"],
        )
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


def _turned(vector: Vector, yaw: float) -> FloatArray:
    x, y, z = vector
    if yaw == 0.0:
        return np.asarray(vector)
    cosine, sine = math.cos(yaw), math.sin(yaw)
    return np.array([cosine * x - sine * y, sine * x + cosine * y, z])


def physical(primitive: Primitive, values: Mapping[str, float], wanted: float | str) -> float:
    """A number, or the value of the parameter that sets it, in its physical unit."""
    if not isinstance(wanted, str):
        return wanted
    unit = next(p.unit for p in primitive.parameters if p.name == wanted)
    return 2.0 ** values[wanted] if unit.startswith(OCTAVES) else values[wanted]


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
