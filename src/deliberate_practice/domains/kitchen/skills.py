"""The skills of Kitchen as data: one primitive each, and good parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping

from deliberate_practice.domains.kitchen.parameters import GOOD, search_prior
from deliberate_practice.domains.kitchen.scene import FACING, PANDA
from deliberate_practice.domains.kitchen.task import POLICIES
from deliberate_practice.robots.mujoco.impedance import WIDEST
from deliberate_practice.robots.mujoco.primitive import (
    Primitive,
    Shift,
    Swing,
    Turn,
    Vector,
    Waypoint,
)

UPENDED = -math.pi / 2
"""Roll of a hand whose closed fingers push sideways: narrow in the direction of the push [rad]."""

SLANT = math.radians(20)
"""How far the hand looks down where it pushes sideways [rad]."""

STEEP = math.radians(92)
"""How far the hand looks down at the kettle [rad]."""

BESIDE = 0.06
"""How far beside a thing the hand begins to push it [m]."""

KETTLE_ELBOWS = (0.0, 0.5, -0.5)
ELBOWS = (-0.6, -0.3, 0.0, 0.6)
DOOR_ELBOWS = (-1.0, -0.6, 0.0, 0.6)
"""How far the elbow may be swung to the side, in this order [rad]."""

APART = 0.14
"""How far from a handle the hand begins [m]."""

_RIGHT: Vector = (1.0, 0.0, 0.0)
_AHEAD: Vector = (0.0, 1.0, 0.0)
_UP: Vector = (0.0, 0.0, 1.0)


def primitives() -> dict[str, Primitive]:
    """The primitive of every skill of the task, by its name."""
    return {
        "Flip(light)": _shove("Flip(light)", "light_site", -1.0, roll=UPENDED),
        # Over the top knob is room for the hand, and below the bottom knob.
        "Turn(top)": _shove("Turn(top)", "knob4_site", 1.0, up=1.0),
        "Turn(bottom)": _shove("Turn(bottom)", "knob2_site", -1.0, up=-1.0),
        "Slide(cabinet)": _shove("Slide(cabinet)", "slide_site", 1.0, roll=UPENDED),
        "Push(kettle)": _push_kettle(),
        "Open(microwave)": _open(
            "Open(microwave)", "microhandle_site", MICROWAVE_HINGE, -1.0, math.radians(52), 1.0, 0.1
        ),
        "Open(hinge)": _open(
            "Open(hinge)", "hinge_site2", CABINET_HINGE, 1.0, 0.0, 0.7, 0.5
        ),
    }


def good(skill: str) -> Mapping[str, float]:
    """Good parameters of a skill, for tests and for preparing starts."""
    return {name: value for name, (value, _) in GOOD[policy(skill)].items()}


def policy(skill: str) -> str:
    """The policy of a skill."""
    return POLICIES.get(skill, skill)


_TILT = 0.3
MICROWAVE_HINGE = (
    -0.475 * math.cos(_TILT) - 0.108 * math.sin(_TILT),
    -0.475 * math.sin(_TILT) + 0.108 * math.cos(_TILT),
)
CABINET_HINGE = (0.302, 0.128)
"""Hinges of the doors from the middles of their handles, in x and y [m]."""


def _shove(
    skill: str, frame: str, sense: float, up: float = 1.0, roll: float = 0.0
) -> Primitive:
    """Push something sideways with closed fingers.

    Args:
        skill: Its name.
        frame: The site that is pushed.
        sense: 1 to the right, -1 to the left.
        up: 1 if the height counts upwards, -1 if it counts downwards.
        roll: Turn of the hand about the direction it looks in [rad].
    """
    wanted = search_prior(policy(skill))
    known = [parameter.name for parameter in wanted]
    start: Vector = (-sense * BESIDE, 0.0, 0.0)
    off: Vector = (start[0], -0.12 * math.cos(SLANT), 0.12 * math.sin(SLANT))
    shifts = (
        Shift("depth", _AHEAD, ("in", "push")),
        Shift("height", (0.0, 0.0, up), ("near", "in", "push", "away")),
        Shift("push", (sense, 0.0, 0.0), ("push", "away")),
    )
    swings = (Swing("heading", (start[0], 0.0), (("push", 1.0),), grip=0.0),)
    return Primitive(
        frame=frame,
        pitch=SLANT,
        yaw=FACING,
        roll=roll,
        waypoints=(
            Waypoint("near", off, 0.0, 0.0),
            Waypoint("in", start, 0.5, 0.0),
            Waypoint("push", start, "duration", 0.0, even=True),
            Waypoint("away", off, 0.5, 0.0),
        ),
        parameters=wanted,
        shifts=tuple(shift for shift in shifts if shift.parameter in known),
        swings=tuple(swing for swing in swings if swing.parameter in known),
        stiffness="stiffness",
        arm=PANDA,
        elbows=ELBOWS,
    )


def _push_kettle() -> Primitive:
    """Push the kettle back with the fingers closed and pointing down, below its middle."""
    start: Vector = (0.0, -0.17, -0.16)
    every = ("near", "in", "push", "away")
    return Primitive(
        frame="kettle_site",
        pitch=STEEP,
        yaw=FACING,
        waypoints=(
            Waypoint("near", (0.0, -0.17, -0.05), 0.0, 0.0),
            Waypoint("in", start, 0.5, 0.0),
            Waypoint("push", start, "duration", 0.0, even=True),
            Waypoint("away", (0.0, -0.22, 0.0), 0.6, 0.0),
        ),
        parameters=search_prior("Push(kettle)"),
        shifts=(
            Shift("side", _RIGHT, every),
            Shift("height", _UP, ("in", "push")),
            Shift("push", _AHEAD, ("push", "away")),
        ),
        swings=(Swing("heading", (0.0, -0.17), (("push", 1.0), ("away", 1.0)), grip=0.0),),
        stiffness="stiffness",
        arm=PANDA,
        elbows=KETTLE_ELBOWS,
    )


def _open(
    skill: str,
    frame: str,
    hinge: tuple[float, float],
    sense: float,
    pitch: float,
    yaw: float,
    grip: float,
) -> Primitive:
    """Grasp a handle and swing its door open.

    Args:
        skill: Its name.
        frame: The middle of the handle.
        hinge: x and y of the hinge from there [m].
        sense: 1 if the door swings counter-clockwise, seen from above; -1 otherwise.
        pitch: How far the hand looks down [rad].
        yaw: How far the hand looks to the left [rad].
        grip: How much of the door's angle the hand turns with it; the handle is round.
    """
    heading = FACING + yaw
    ahead: Vector = (math.cos(heading), math.sin(heading), 0.0)
    right: Vector = (ahead[1], -ahead[0], 0.0)
    off: Vector = (
        -APART * math.cos(pitch) * ahead[0],
        -APART * math.cos(pitch) * ahead[1],
        APART * math.sin(pitch),
    )
    every = ("near", "reach", "grasp", "third", "ajar", "open", "release", "away")
    return Primitive(
        frame=frame,
        pitch=pitch,
        yaw=heading,
        waypoints=(
            Waypoint("near", off, 0.0, WIDEST),
            Waypoint("reach", (0, 0, 0), 1.2, WIDEST),
            Waypoint("grasp", (0, 0, 0), 0.3, 0.0),
            Waypoint("third", (0, 0, 0), 0.9, 0.0, passing=True),
            Waypoint("ajar", (0, 0, 0), 0.9, 0.0, passing=True),
            Waypoint("open", (0, 0, 0), 0.9, 0.0),
            Waypoint("release", (0, 0, 0), 0.25, WIDEST),
            Waypoint("away", off, 0.5, WIDEST),
        ),
        parameters=search_prior(policy(skill)),
        shifts=(Shift("side", right, every), Shift("depth", ahead, every)),
        turns=(Turn("yaw", "yaw", every),),
        swings=(
            Swing(
                "swing",
                hinge,
                (
                    ("third", sense / 3),
                    ("ajar", sense * 2 / 3),
                    ("open", sense),
                    ("release", sense),
                    ("away", sense),
                ),
                grip=grip,
            ),
        ),
        stiffness="stiffness",
        arm=PANDA,
        elbows=DOOR_ELBOWS,
    )

