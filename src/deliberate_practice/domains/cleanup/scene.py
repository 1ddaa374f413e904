"""The scene of Cleanup: a Panda at a table, a cabinet with three drawers, objects to put away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mujoco

from deliberate_practice.domains.cleanup.appearance import MATERIALS
from deliberate_practice.domains.cleanup.task import DRAWERS
from deliberate_practice.robots.mujoco.impedance import Gains, add_impedance
from deliberate_practice.robots.mujoco.panda import ROBOT, SCENE, VISUAL_GROUP, panda
from deliberate_practice.robots.mujoco.room import (
    add_box,
    add_materials,
    add_surroundings,
    add_table,
    set_physics,
)

TABLE = (0.40, 0.62, 0.56)
"""Centre in x, and half sizes in x and y, of the table top, whose surface is at z = 0 [m]."""

FRONT = 0.80
"""Where the fronts of closed drawers are [m]."""

TRAVEL = 0.24
"""How far a drawer opens [m]."""

HEIGHT = 0.105
"""From one drawer to the next [m]."""

LIFT = 0.04
"""Height of the lowest drawer's underside over the table [m]."""

DRAWER = (0.225, 0.23, 0.062)
"""Inner depth, width and height of a drawer's sides [m]."""

PLACE = (0.0375, 0.052)
"""Half the room of each of four objects that share a drawer, in x and y [m]."""

MIDDLE = -0.0475
"""Middle of the four, from that of the drawer in x [m]: the hand does not reach the far end."""

STAND_OFF = 0.042
"""From a front to the middle of its handle's bar [m]."""

_PANEL, _SIDE, _FLOOR, _WALL = 0.014, 0.008, 0.006, 0.012
_BAR, _BAR_HALF = 0.008, 0.028


@dataclass(frozen=True)
class Thing:
    """An object to put away.

    Attributes:
        shape: ``box`` or ``cylinder``, standing upright.
        size: Half sizes in x, y, z, or radius and half height [m].
        mass: [kg].
        colour: Red, green, blue, 0 to 1.
    """

    shape: str
    size: tuple[float, ...]
    mass: float
    colour: tuple[float, float, float]

    @property
    def half_height(self) -> float:
        """From the table to the middle [m]."""
        return self.size[-1]


BLOCK = Thing("box", (0.024, 0.022, 0.027), 0.12, (0.85, 0.26, 0.20))
CAN = Thing("cylinder", (0.022, 0.032), 0.15, (0.20, 0.47, 0.78))
SLAB = Thing("box", (0.030, 0.016, 0.022), 0.10, (0.95, 0.70, 0.16))
TIN = Thing("box", (0.026, 0.024, 0.016), 0.10, (0.25, 0.62, 0.38))


def things(objects: int) -> dict[str, Thing]:
    """The objects on the table by their names in the task: one, or up to four."""
    if objects == 1:
        return {"object": BLOCK}
    return {f"object{i + 1}": thing for i, thing in enumerate((BLOCK, CAN, SLAB, TIN)[:objects])}


@dataclass(frozen=True)
class Cabinet:
    """A cabinet, and the figures that Cleanup needs of it.

    In the scene it is the body ``cabinet``. Its drawers are bodies, and slide joints that count
    how far they are open [m], by the names of the task, each with the sites ``..._handle``, at the
    middle of its bar, and ``..._inside``, at the middle of its floor.

    Attributes:
        add: Puts it into a scene.
        travel: How far a drawer opens [m].
        drawer: Inner depth, width and height of a drawer [m].
        opened: A drawer is open from here on [m].
        closed: It is closed up to here [m].
    """

    add: Callable[[mujoco.MjSpec], None]
    travel: float
    drawer: tuple[float, float, float]
    opened: float
    closed: float


def scene(
    objects: int = 1,
    gains: Gains | None = None,
    visual: bool = False,
    cabinet: Cabinet | None = None,
) -> mujoco.MjSpec:
    """Robot, table, cabinet and objects; compile it with ``.compile()``.

    Args:
        objects: The number of objects on the table, 1 or 4.
        gains: How stiffly the robot is controlled.
        visual: Whether to add what only pictures need.
        cabinet: Another one than ours.
    """
    spec = panda(visual)
    spec.modelname = "cleanup"
    set_physics(spec)
    add_materials(spec, MATERIALS)
    add_table(spec, TABLE, "oak")
    (cabinet or OURS).add(spec)
    _let_drawers_slide(spec)
    for name, thing in things(objects).items():
        _add_thing(spec, name, thing)
    add_impedance(spec, gains or Gains())
    if visual:
        add_surroundings(spec, TABLE)
    return spec


def slot(number: int, objects: int) -> tuple[float, float]:
    """Place of an object in a drawer: x and y from its middle [m]; four stand two by two."""
    if objects == 1:
        return (-0.045, 0.0)
    across, along = PLACE
    x = -across if number < 2 else across
    return (round(MIDDLE + x, 4), -along if number % 2 else along)


def underside(drawer: str) -> float:
    """Height of a drawer's underside over the table [m]."""
    return LIFT + HEIGHT * (len(DRAWERS) - 1 - DRAWERS.index(drawer))


def _add_cabinet(spec: mujoco.MjSpec) -> None:
    depth, width, _ = DRAWER
    half = width / 2 + _SIDE + 0.004 + _WALL / 2
    length = depth + 2 * _SIDE + 0.02
    height = LIFT + 3 * HEIGHT
    cabinet = spec.worldbody.add_body(name="cabinet", pos=(FRONT, 0, 0))
    for side in (-1, 1):
        at = (length / 2, side * half, (height + _WALL) / 2)
        add_box(cabinet, at, (length / 2, _WALL / 2, (height + _WALL) / 2), "lacquer")
    add_box(cabinet, (length, 0, height / 2), (_WALL / 2, half, height / 2), "lacquer")
    add_box(cabinet, (length / 2, 0, height + _WALL / 2), (length / 2, half, _WALL / 2), "lacquer")
    plinth = (LIFT - 0.004) / 2
    add_box(cabinet, (length / 2, 0, plinth), (length / 2 - 0.01, half, plinth), "lacquer")
    for name in DRAWERS:
        _add_drawer(cabinet, name)


def _add_drawer(cabinet: mujoco.MjsBody, name: str) -> None:
    """A box without a lid; its frame is at the middle of the front's face, at its underside."""
    depth, width, side = DRAWER
    drawer = cabinet.add_body(name=name, pos=(0, 0, underside(name)))
    drawer.add_joint(
        name=name,
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=(-1, 0, 0),
        range=(0, TRAVEL),
        limited=True,
        damping=8.0,
        frictionloss=8.0,
    )
    front = (HEIGHT - 0.006) / 2
    add_box(drawer, (_PANEL / 2, 0, front), (_PANEL / 2, width / 2 + 0.018, front), f"front_{name}")
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
        drawer,
        (-STAND_OFF, 0, front),
        (_BAR, _BAR, _BAR_HALF),
        "steel",
        name=f"{name}_bar",
    )
    bar.friction = (1.0, 0.01, 0.001)
    for sign in (-1, 1):
        at = (-STAND_OFF / 2, 0, front + sign * (_BAR_HALF - _BAR))
        add_box(drawer, at, (STAND_OFF / 2, 0.005, 0.005), "steel")
    drawer.add_site(name=f"{name}_handle", pos=(-STAND_OFF, 0, front), group=4)
    drawer.add_site(name=f"{name}_inside", pos=(middle, 0, _FLOOR), group=4)


def _let_drawers_slide(spec: mujoco.MjSpec) -> None:
    for number, name in enumerate(DRAWERS):
        for other in ("cabinet", *DRAWERS[:number], "table"):
            spec.add_exclude(bodyname1=other, bodyname2=name)


def _add_thing(spec: mujoco.MjSpec, name: str, thing: Thing) -> None:
    body = spec.worldbody.add_body(name=name, pos=(0.4, 0, thing.half_height))
    body.add_freejoint(name=name)
    box = thing.shape == "box"
    body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX if box else mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=thing.size if box else (*thing.size, 0),
        mass=thing.mass,
        rgba=(*thing.colour, 1),
        friction=(0.9, 0.01, 0.001),
        contype=SCENE,
        conaffinity=ROBOT | SCENE,
        group=VISUAL_GROUP,
    )


OURS = Cabinet(_add_cabinet, TRAVEL, DRAWER, opened=0.16, closed=0.015)
"""The cabinet on which the priors were measured."""
