"""Our cabinet: three drawers on runners that can rack, with a catch each and places for objects.

What makes a drawer hard to close is in here: dry friction and damping, runners with side play that
jam under a push off the middle, and a sprung roller that the drawer has to lift in its last three
centimetres. What makes placing hard is a low wall around the place of each object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import mujoco

from deliberate_practice.domains.cleanup.task import DRAWERS
from deliberate_practice.robots.mujoco.panda import VISUAL_GROUP
from deliberate_practice.robots.mujoco.room import add_box

FRONT = 0.84
"""Where the fronts of closed drawers are [m]."""

TRAVEL = 0.30
"""How far a drawer opens [m]."""

HEIGHT = 0.105
"""From one drawer to the next [m]."""

LIFT = 0.04
"""Height of the lowest drawer's underside over the table [m]."""

DRAWER = (0.285, 0.28, 0.062)
"""Inner depth, width and height of a drawer's sides [m]."""

STAND_OFF = 0.042
"""From a front to the middle of its handle's bar [m]."""

WALL = (0.004, 0.02)
"""Thickness and height of the wall around the place of an object [m]."""

FRICTION, DAMPING = 12.0, 50.0
"""Dry friction [N] and damping [Ns/m] of a drawer."""

PLAY, RUBBING = 0.002, 0.5
"""Side play of the runners [m], and their coefficient of friction."""

PRELOAD, SPRING = 33.0, 1000.0
"""Of the catch: the force on its roller at rest [N], and the stiffness of its spring [N/m]."""

ROLLER, OVERLAP, SNAP = 0.010, 0.006, 0.008
"""Radius of the roller and of the cam that lifts it, how far it is lifted, and how far the drawer
is still open when roller and cam are level [m]."""

QUICK, FIRM = (0.008, 1), (0.98, 0.998, 0.0005, 0.5, 2)
"""Compliance of steel (``solref`` and ``solimp``)."""

_PANEL, _SIDE, _FLOOR, _CASE = 0.014, 0.008, 0.006, 0.012
_BAR, _BAR_HALF = 0.008, 0.028
_BEHIND = 0.02  # how far the runners reach behind a drawer
_GUIDE = 0.012  # where the guides are, behind the front
_RAIL = (0.002, 0.006)  # half thickness and half height of a rail
_BALL = 0.004  # radius of guides and rear rollers

Place = tuple[float, float, float, float]
"""Middle of an object's place from that of its drawer in x and y, and its half sizes there [m]."""


@dataclass(frozen=True)
class Cabinet:
    """A cabinet, and the figures that Cleanup needs of it.

    In the scene it is the body ``cabinet``. Its drawers are bodies, and slide joints that count
    how far they are open [m], by the names of the task, each with the sites ``..._handle``, at the
    middle of its bar, and ``..._inside``, at the middle of its floor.

    Attributes:
        name: What sessions record.
        add: Puts it into a scene, with the places of the objects in each drawer.
        travel: How far a drawer opens [m].
        drawer: Inner depth, width and height of a drawer [m].
        opened: A drawer is open from here on [m].
        closed: It is closed up to here [m].
    """

    name: str
    add: Callable[[mujoco.MjSpec, Mapping[str, Place]], None]
    travel: float
    drawer: tuple[float, float, float]
    opened: float
    closed: float


def underside(drawer: str) -> float:
    """Height of a drawer's underside over the table [m]."""
    return LIFT + HEIGHT * (len(DRAWERS) - 1 - DRAWERS.index(drawer))


def _add_cabinet(spec: mujoco.MjSpec, places: Mapping[str, Place]) -> None:
    depth, width, _ = DRAWER
    half = width / 2 + _SIDE + 0.012 + _CASE / 2
    length = depth + 2 * _SIDE + _BEHIND + 0.02
    height = LIFT + 3 * HEIGHT
    cabinet = spec.worldbody.add_body(name="cabinet", pos=(FRONT, 0, 0))
    for side in (-1, 1):
        at = (length / 2, side * half, (height + _CASE) / 2)
        add_box(cabinet, at, (length / 2, _CASE / 2, (height + _CASE) / 2), "lacquer")
    add_box(cabinet, (length, 0, height / 2), (_CASE / 2, half, height / 2), "lacquer")
    add_box(cabinet, (length / 2, 0, height + _CASE / 2), (length / 2, half, _CASE / 2), "lacquer")
    plinth = (LIFT - 0.004) / 2
    add_box(cabinet, (length / 2, 0, plinth), (length / 2 - 0.01, half, plinth), "lacquer")
    for name in DRAWERS:
        drawer = _add_drawer(cabinet, name)
        for place in places.values():
            _add_walls(drawer, place)
        _add_runners(spec, cabinet, drawer, name)
        _add_catch(spec, cabinet, drawer, name)


def _add_drawer(cabinet: mujoco.MjsBody, name: str) -> mujoco.MjsBody:
    """A box without a lid; its frame is at the middle of the front's face, at its underside."""
    depth, width, side = DRAWER
    drawer = cabinet.add_body(name=name, pos=(0, 0, underside(name)))
    drawer.add_joint(
        name=name,
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=(-1, 0, 0),
        range=(0, TRAVEL),
        limited=True,
        damping=DAMPING,
        frictionloss=FRICTION,
        solref_limit=(0.04, 1),
    )
    for way, kind, axis in (
        ("aside", mujoco.mjtJoint.mjJNT_SLIDE, (0, 1, 0)),
        ("askew", mujoco.mjtJoint.mjJNT_HINGE, (0, 0, 1)),
    ):
        drawer.add_joint(
            name=f"{name}_{way}",
            type=kind,
            axis=axis,
            pos=(_PANEL + depth / 2, 0, 0),
            damping=20.0 if way == "aside" else 0.5,
        )
    front = (HEIGHT - 0.006) / 2
    add_box(drawer, (_PANEL / 2, 0, front), (_PANEL / 2, width / 2 + 0.022, front), f"front_{name}")
    middle = _PANEL + depth / 2
    add_box(
        drawer, (middle, 0, _FLOOR / 2), (depth / 2 + _SIDE / 2, width / 2, _FLOOR / 2), "birch"
    )
    add_box(
        drawer, (_PANEL + depth + _SIDE / 2, 0, side / 2), (_SIDE / 2, width / 2, side / 2), "birch"
    )
    for sign in (-1, 1):
        at = (middle, sign * (width / 2 + _SIDE / 2), side / 2)
        add_box(drawer, at, (depth / 2 + _SIDE / 2, _SIDE / 2, side / 2), "birch")
    bar = add_box(
        drawer, (-STAND_OFF, 0, front), (_BAR, _BAR, _BAR_HALF), "steel", name=f"{name}_bar"
    )
    bar.friction = (1.0, 0.01, 0.001)
    for sign in (-1, 1):
        at = (-STAND_OFF / 2, 0, front + sign * (_BAR_HALF - _BAR))
        add_box(drawer, at, (STAND_OFF / 2, 0.005, 0.005), "steel")
    drawer.add_site(name=f"{name}_handle", pos=(-STAND_OFF, 0, front), group=4)
    drawer.add_site(name=f"{name}_inside", pos=(middle, 0, _FLOOR), group=4)
    return drawer


def _add_walls(drawer: mujoco.MjsBody, place: Place) -> None:
    """A low wall around the place of an object."""
    x, y, half_x, half_y = place
    thickness, height = WALL
    x += _PANEL + DRAWER[0] / 2
    z, t = _FLOOR + height / 2, thickness / 2
    for sign in (-1, 1):
        at = (x + sign * (half_x + t), y, z)
        add_box(drawer, at, (t, half_y + thickness, height / 2), "felt")
        add_box(drawer, (x, y + sign * (half_y + t), z), (half_x, t, height / 2), "felt")


def _add_runners(
    spec: mujoco.MjSpec, cabinet: mujoco.MjsBody, drawer: mujoco.MjsBody, name: str
) -> None:
    """Rails on the drawer between guides at the front, and rollers at their ends in the cabinet."""
    depth, width, _ = DRAWER
    thickness, height = _RAIL
    length = _PANEL + depth + _SIDE + _BEHIND
    z = 0.035
    for sign, side in ((-1, "right"), (1, "left")):
        y = width / 2 + _SIDE + thickness
        rail = _part(drawer, f"{name}_{side}_rail", (length / 2, sign * y, z))
        rail.type, rail.size = mujoco.mjtGeom.mjGEOM_BOX, (length / 2, thickness, height)
        guide = _ball(cabinet, f"{name}_{side}_guide")
        guide.pos = (_GUIDE, sign * (y + thickness + PLAY + _BALL), underside(name) + z)
        roller = _ball(drawer, f"{name}_{side}_roller")
        roller.pos = (length, sign * y, z)
        channel = _part(cabinet, f"{name}_{side}_channel", (0, 0, 0))
        channel.type = mujoco.mjtGeom.mjGEOM_BOX
        channel.size = (length / 2, 0.004, 0.008)
        channel.pos = (length / 2 + _GUIDE, sign * (y + _BALL + PLAY + 0.004), underside(name) + z)
        for one, other in ((guide, rail), (roller, channel)):
            spec.add_pair(
                name=f"{one.name}_rubs",
                geomname1=one.name,
                geomname2=other.name,
                condim=3,
                friction=(RUBBING, RUBBING, 0.001, 0.0001, 0.0001),
                solref=QUICK,
                solimp=FIRM,
            )


def _add_catch(
    spec: mujoco.MjSpec, cabinet: mujoco.MjsBody, drawer: mujoco.MjsBody, name: str
) -> None:
    """A roller on a spring above the rear of the drawer, and the cam that lifts it."""
    at = _PANEL + DRAWER[0] + _SIDE / 2
    top = DRAWER[2] + ROLLER
    cam = _ball(drawer, f"{name}_cam", ROLLER)
    cam.pos = (at, 0, top)
    holder = cabinet.add_body(
        name=f"{name}_catch", pos=(at - SNAP, 0, underside(name) + top + 2 * ROLLER - OVERLAP)
    )
    holder.add_joint(
        name=f"{name}_catch",
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=(0, 0, 1),
        range=(0, 0.01),
        limited=True,
        stiffness=SPRING,
        springref=-PRELOAD / SPRING,
        damping=10.0,
        solref_limit=QUICK,
        solimp_limit=FIRM,
    )
    roller = _ball(holder, f"{name}_catch", ROLLER)
    roller.mass = 0.1
    spec.add_pair(
        name=f"{name}_catches",
        geomname1=cam.name,
        geomname2=roller.name,
        condim=3,
        friction=(0.05, 0.05, 0.001, 0.0001, 0.0001),
        solref=QUICK,
        solimp=FIRM,
    )


def _part(body: mujoco.MjsBody, name: str, pos: tuple[float, float, float]) -> mujoco.MjsGeom:
    """A part of steel that touches only what it is paired with."""
    return body.add_geom(
        name=name,
        pos=pos,
        mass=0.02,
        material="steel",
        contype=0,
        conaffinity=0,
        group=VISUAL_GROUP,
    )


def _ball(body: mujoco.MjsBody, name: str, radius: float = _BALL) -> mujoco.MjsGeom:
    ball = _part(body, name, (0, 0, 0))
    ball.type, ball.size = mujoco.mjtGeom.mjGEOM_SPHERE, (radius, 0, 0)
    return ball


OURS = Cabinet("ours", _add_cabinet, TRAVEL, DRAWER, opened=0.20, closed=0.005)
"""The cabinet on which the priors were measured."""
