"""The skills of Kitchen as data: one primitive each, and good parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Door:
    """A door, and how the hand opens it.

    Attributes:
        handle: The site in the middle of its handle, an upright bar.
        hinge: x and y of the hinge from there [m].
        sense: 1 if it opens counter-clockwise, seen from above; -1 otherwise.
        pitch: How far the hand looks down [rad].
        yaw: How far the hand looks to the left [rad].
        grip: How much of the door's angle the hand turns with it; the bar is round.
    """

    handle: str
    hinge: tuple[float, float]
    sense: float
    pitch: float
    yaw: float
    grip: float


_TURNED = 0.3  # how far the microwave is turned on the counter
MICROWAVE = Door(
    "microhandle_site",
    (
        -0.475 * math.cos(_TURNED) - 0.108 * math.sin(_TURNED),
        -0.475 * math.sin(_TURNED) + 0.108 * math.cos(_TURNED),
    ),
    -1.0,
    math.radians(52),
    1.0,
    0.1,
)
CABINET = Door("hinge_site2", (0.302, 0.128), 1.0, 0.0, 0.7, 0.5)

UPENDED = -math.pi / 2
"""Roll of a hand whose closed fingers push sideways: narrow in the direction of the push [rad]."""

SLANT, STEEP = math.radians(20), math.radians(92)
"""How far the hand looks down where it pushes sideways, and at the kettle [rad]."""

LOWER = -0.008
"""Where the height below the bottom knob counts from [m]: fingers that look down, and not up, touch
the lower end of a knob so much nearer to its axis than they touch the upper end."""

BESIDE = 0.06
"""How far beside a thing the hand begins to push it [m]."""

BEFORE, APART = 0.12, 0.14
"""How far in front of that place, and of a handle, the hand begins [m]."""

ELBOWS: Mapping[str, tuple[float, ...]] = {
    "shove": (-0.6, -0.3, 0.0, 0.6),
    "kettle": (0.0, 0.5, -0.5),
    "door": (-1.0, -0.6, 0.0, 0.6),
}
"""How far the elbow may be swung to the side, in this order [rad]."""

_RIGHT: Vector = (1.0, 0.0, 0.0)
_AHEAD: Vector = (0.0, 1.0, 0.0)
_UP: Vector = (0.0, 0.0, 1.0)


def primitives() -> dict[str, Primitive]:
    """The primitive of every skill of the task, by its name."""
    return {
        "Flip(light)": _shove("Flip(light)", "light_site", -1.0, roll=UPENDED),
        # Over the top knob is room for the hand, and below the bottom knob.
        "Turn(top)": _shove("Turn(top)", "knob4_site", 1.0, up=1.0),
        "Turn(bottom)": _shove("Turn(bottom)", "knob2_site", -1.0, up=-1.0, base=LOWER),
        "Slide(cabinet)": _shove("Slide(cabinet)", "slide_site", 1.0, roll=UPENDED),
        "Push(kettle)": _push_kettle(),
        "Open(microwave)": _open("Open(microwave)", MICROWAVE),
        "Open(hinge)": _open("Open(hinge)", CABINET),
    }


def good(skill: str) -> Mapping[str, float]:
    """Good parameters of a skill, for tests and for preparing starts."""
    return {name: value for name, (value, _) in GOOD[policy(skill)].items()}


def policy(skill: str) -> str:
    """The policy of a skill."""
    return POLICIES.get(skill, skill)


def _shove(
    skill: str,
    frame: str,
    sense: float,
    up: float = 1.0,
    roll: float = 0.0,
    base: float = 0.0,
) -> Primitive:
    """Push something sideways with closed fingers.

    Args:
        skill: Its name.
        frame: The site that is pushed.
        sense: 1 to the right, -1 to the left.
        up: 1 if the height counts upwards, -1 if it counts downwards.
        roll: Turn of the hand about the direction it looks in [rad].
        base: Where the height counts from, above the site [m].
    """
    wanted = search_prior(policy(skill))
    known = [parameter.name for parameter in wanted]
    start: Vector = (-sense * BESIDE, 0.0, base)
    off: Vector = (start[0], -BEFORE * math.cos(SLANT), base + BEFORE * math.sin(SLANT))
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
        elbows=ELBOWS["shove"],
    )


def _push_kettle() -> Primitive:
    """Push the kettle back with closed fingers that point down."""
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
        elbows=ELBOWS["kettle"],
    )


def _open(skill: str, door: Door) -> Primitive:
    """Grasp a handle and swing its door open."""
    heading = FACING + door.yaw
    ahead: Vector = (math.cos(heading), math.sin(heading), 0.0)
    right: Vector = (ahead[1], -ahead[0], 0.0)
    level = APART * math.cos(door.pitch)
    off: Vector = (-level * ahead[0], -level * ahead[1], APART * math.sin(door.pitch))
    opened = {"third": 1 / 3, "ajar": 2 / 3, "open": 1.0, "release": 1.0, "away": 1.0}
    shares = tuple((name, door.sense * share) for name, share in opened.items())
    every = ("near", "reach", "grasp", "third", "ajar", "open", "release", "away")
    return Primitive(
        frame=door.handle,
        pitch=door.pitch,
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
        swings=(Swing("swing", door.hinge, shares, door.grip),),
        stiffness="stiffness",
        arm=PANDA,
        elbows=ELBOWS["door"],
    )
