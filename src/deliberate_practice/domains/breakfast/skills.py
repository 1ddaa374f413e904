"""The skills of Breakfast as data: one primitive each, and good parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from deliberate_practice.domains.breakfast.parameters import search_prior
from deliberate_practice.domains.breakfast.perception import PerceivedDoor
from deliberate_practice.domains.breakfast.scene import BREAD, GRIP, HANDLE_Z, LEFT, RIGHT
from deliberate_practice.robots.mujoco.impedance import WIDEST
from deliberate_practice.robots.mujoco.primitive import Primitive, Shift, Vector, Waypoint

DOWN = math.pi / 2
BOWL_PITCH = math.radians(62)
BUTTON_PITCH = math.radians(45)
LEVER_PITCH = math.radians(75)
"""How far the hand looks down [rad]."""

PUSH_FORCE = 20.0
"""Bound on each component of the force with which lever, button and door are pushed [N]."""

FORCE_LIMIT = 60.0
"""The force that no hand exceeds in a learned skill [N]: the commanded force, the parameters and
the speeds of the motions are bounded."""

ELBOWS = (0.0, 0.5, -0.5, 0.9)
"""How far the right elbow may be swung to the side, in this order [rad]."""

SPREAD = 0.05
"""How far the hand opens to let go [m]."""

TIP = 0.012
"""From the tool to where closed fingers touch something [m]."""

HOLD = BREAD[2] / 2 - 0.018
"""Where the slice is taken, above its middle [m]."""

PUSHED_AT = 0.27
"""Where the door is pushed, from its hinge [m]."""

AJAR = math.radians(4)
"""Up to where the door is swung quickly [rad]; from there on slowly."""

BELOW_TOP = 0.026
"""How far below the door's upper edge the tool is when it pushes [m]."""

_X: Vector = (1.0, 0.0, 0.0)
_Y: Vector = (0.0, 1.0, 0.0)
_IN_OVEN = 0.01 + GRIP  # where the hand puts the bowl, from the middle of the oven
_DOWN_IN_SLOT = BREAD[2] / 2 + HOLD + 0.004  # where the hand lets go of the slice


def primitives() -> dict[str, Primitive]:
    """The primitive of every skill of the task, by its name.

    That of CloseMicrowave depends on where the door is; here it is the one for a door that stands
    open at a right angle in the origin. See ``close_microwave``.
    """
    return {**_PRIMITIVES, "CloseMicrowave": close_microwave(_EXAMPLE)}


def good(skill: str) -> Mapping[str, float]:
    """Good parameters of a skill, for tests and for preparing starts."""
    return _GOOD.get(skill, {})


_GOOD = {
    "StartToaster": {"side": 0.0, "press": 0.08, "stiffness": 350.0},
    "OpenMicrowave": {"side": 0.0, "press": 0.05, "stiffness": 350.0},
    "CloseMicrowave": {"side": 0.0, "push": 0.06, "stiffness": 350.0},
}


def close_microwave(door: PerceivedDoor) -> Primitive:
    """Push the door shut from outside, on an arc around its hinge, as far as it was seen open.

    The waypoints are relative to the middle of the hinge on the door's inner side. The hand points
    straight down, above the door, and only the fingers reach below its upper edge: the hand is too
    wide to go beside the door.

    Args:
        door: Where it was seen.
    """
    height = door.height / 2 - BELOW_TOP
    w, _, _, z = door.quaternion
    facing = 2 * math.atan2(z, w)
    # Where the door's inner side looks to when it is shut.
    shut = math.atan2(math.sin(facing), math.cos(facing)) - door.angle
    waypoints, shifts = [], []

    def add(
        name: str,
        angle: float,
        off: float,
        seconds: float,
        up: float = 0.0,
        passing: bool = False,
        even: bool = False,
    ) -> None:
        """A point outside the door, were it open at an angle, and how parameters move it."""
        heading = shut + angle
        inwards = (math.cos(heading), math.sin(heading), 0.0)
        along = (-inwards[1], inwards[0], 0.0)
        x, y, _ = np.multiply(PUSHED_AT, along) - np.multiply(door.thickness + off, inwards)
        waypoints.append(
            Waypoint(name, (float(x), float(y), height + up), seconds, 0.0, passing, even)
        )
        shifts.append(Shift("side", along, (name,)))
        if name == "push":
            shifts.append(Shift("push", inwards, (name,)))

    add("near", door.angle, 0.10, 0.0)
    add("touch", door.angle, TIP + 0.006, 0.35)
    add("swing", 0.7 * door.angle, TIP, 0.4, passing=True)
    add("follow", 0.4 * door.angle, TIP, 0.4, passing=True)
    add("ajar", AJAR, TIP, 0.45)
    add("push", 0.0, TIP, 1.6, even=True)
    add("away", 0.0, 0.09, 0.4, 0.05)
    return Primitive(
        frame="door",
        pitch=DOWN,
        waypoints=tuple(waypoints),
        parameters=search_prior("CloseMicrowave"),
        shifts=tuple(shifts),
        arm=RIGHT,
        elbows=ELBOWS,
        stiffness="stiffness",
        force=PUSH_FORCE,
    )


_PRIMITIVES = {
    "PickBread": Primitive(
        frame="bread",
        pitch=DOWN,
        waypoints=(
            Waypoint("above", (0, 0, HOLD + 0.10), 0.0, WIDEST),
            Waypoint("reach", (0, 0, HOLD), 0.5, WIDEST),
            Waypoint("grasp", (0, 0, HOLD), 0.3, 0.0),
            Waypoint("lift", (0, 0, HOLD + 0.15), 0.5, 0.0),
        ),
        turning=True,
        arm=LEFT,
    ),
    "PlaceBread": Primitive(
        frame="slot",
        pitch=DOWN,
        waypoints=(
            Waypoint("above", (0, 0, _DOWN_IN_SLOT + 0.12), 0.0, 0.0),
            Waypoint("lower", (0, 0, _DOWN_IN_SLOT), 0.7, 0.0),
            Waypoint("release", (0, 0, _DOWN_IN_SLOT), 0.25, SPREAD),
            Waypoint("away", (0, 0, _DOWN_IN_SLOT + 0.12), 0.4, SPREAD),
        ),
        arm=LEFT,
    ),
    "StartToaster": Primitive(
        frame="lever",
        pitch=LEVER_PITCH,
        waypoints=(
            Waypoint("near", (0, 0, 0.05), 0.0, 0.0),
            Waypoint("touch", (0, 0, TIP + 0.006), 0.4, 0.0),
            Waypoint("press", (0, 0, TIP), 1.6, 0.0, even=True),
            Waypoint("away", (-0.02, 0, 0.08), 0.5, 0.0),
        ),
        parameters=search_prior("StartToaster"),
        shifts=(
            Shift("side", _Y, ("near", "touch", "press", "away")),
            Shift("press", (0.0, 0.0, -1.0), ("press",)),
        ),
        arm=LEFT,
        stiffness="stiffness",
        force=PUSH_FORCE,
    ),
    "OpenMicrowave": Primitive(
        frame="button",
        pitch=BUTTON_PITCH,
        waypoints=(
            Waypoint("near", (-0.05, 0, 0), 0.0, 0.0),
            Waypoint("touch", (-TIP - 0.008, 0, 0), 0.4, 0.0),
            Waypoint("press", (-TIP, 0, 0), 1.3, 0.0, even=True),
            Waypoint("away", (-0.12, 0.03, 0.20), 0.9, 0.0),
        ),
        parameters=search_prior("OpenMicrowave"),
        shifts=(
            Shift("side", _Y, ("near", "touch", "press", "away")),
            Shift("press", _X, ("press",)),
        ),
        arm=RIGHT,
        elbows=ELBOWS,
        stiffness="stiffness",
        force=PUSH_FORCE,
    ),
    "PickBowl": Primitive(
        frame="bowl",
        pitch=BOWL_PITCH,
        waypoints=(
            Waypoint("above", (GRIP - 0.03, 0, HANDLE_Z + 0.08), 0.0, WIDEST),
            Waypoint("reach", (GRIP, 0, HANDLE_Z), 0.5, WIDEST),
            Waypoint("grasp", (GRIP, 0, HANDLE_Z), 0.3, 0.0),
            Waypoint("lift", (GRIP, 0, HANDLE_Z + 0.12), 0.5, 0.0),
        ),
        turning=True,
        arm=RIGHT,
        elbows=ELBOWS,
    ),
    "PlaceBowl": Primitive(
        frame="microwave_inside",
        pitch=BOWL_PITCH,
        waypoints=(
            Waypoint("near", (_IN_OVEN - 0.17, 0, HANDLE_Z + 0.04), 0.0, 0.0),
            Waypoint("in", (_IN_OVEN, 0, HANDLE_Z + 0.03), 0.7, 0.0),
            Waypoint("lower", (_IN_OVEN, 0, HANDLE_Z + 0.005), 0.5, 0.0),
            Waypoint("release", (_IN_OVEN, 0, HANDLE_Z + 0.005), 0.25, SPREAD),
            Waypoint("away", (_IN_OVEN - 0.17, 0, HANDLE_Z + 0.04), 0.6, SPREAD),
        ),
        arm=RIGHT,
        elbows=ELBOWS,
    ),
}

_EXAMPLE = PerceivedDoor(
    angle=math.pi / 2,
    position=(0.0, 0.0, 0.0),
    quaternion=(math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)),
    width=0.327,
    height=0.264,
    thickness=0.022,
    markers=(),
    error=0.0,
)
