"""A stroke through the air, and a Panda that makes it, for tests of primitives and motions."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.impedance import WIDEST, Gains, add_impedance
from deliberate_practice.robots.mujoco.kinematics import Arm
from deliberate_practice.robots.mujoco.motion import Motion, build
from deliberate_practice.robots.mujoco.panda import READY, panda
from deliberate_practice.robots.mujoco.primitive import Primitive, Shift, Waypoint
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
START = np.array(READY)
TIMESTEP = 0.004


def stroking_arm() -> Arm:
    """A Panda, and something in the air that has a knob."""
    spec = panda(visual=False)
    thing = spec.worldbody.add_body(name="thing", pos=ORIGIN)
    thing.add_site(name="knob", pos=(0, 0, 0.02))
    spec.option.timestep = TIMESTEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    add_impedance(spec, Gains())
    return Arm(spec.compile())


def straight(start: FloatArray, end: FloatArray) -> FloatArray:
    """The corners of a path where nothing is in the way."""
    return np.stack([start, end])


def stroke(
    arm: Arm,
    primitive: Primitive = STROKE,
    values: dict[str, float] | None = None,
    yaw: float = 0.0,
    origin: FloatArray = ORIGIN,
) -> Motion:
    """The motion of a primitive from the ready posture."""
    return build(primitive, values or {}, origin, arm, START, START, straight, Gains(), yaw)
