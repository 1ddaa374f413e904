"""The scene of Cleanup: a Panda at a table, a cabinet with three drawers, objects to put away."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from deliberate_practice.domains.cleanup.appearance import MATERIALS
from deliberate_practice.domains.cleanup.cabinet import DRAWER, OURS, Cabinet, Place
from deliberate_practice.domains.cleanup.task import DRAWERS
from deliberate_practice.robots.mujoco.impedance import Gains, add_impedance
from deliberate_practice.robots.mujoco.panda import ROBOT, SCENE, VISUAL_GROUP, panda
from deliberate_practice.robots.mujoco.room import (
    add_materials,
    add_surroundings,
    add_table,
    add_touch_sensors,
    set_physics,
)

TABLE = (0.40, 0.62, 0.56)
"""Centre in x, and half sizes in x and y, of the table top, whose surface is at z = 0 [m]."""

ROOM = 0.015
"""Room on each side of an object in its place [m]."""

RIDGE = 0.004
"""From the place of one object to that of the next [m]."""


@dataclass(frozen=True)
class Thing:
    """An object to put away: a box.

    Attributes:
        size: Half sizes in x, y, z [m].
        mass: [kg].
        colour: Red, green, blue, 0 to 1.
    """

    size: tuple[float, float, float]
    mass: float
    colour: tuple[float, float, float]

    @property
    def half_height(self) -> float:
        """From the table to the middle [m]."""
        return self.size[-1]


BLOCK = Thing((0.032, 0.031, 0.030), 0.25, (0.85, 0.26, 0.20))
CARTON = Thing((0.031, 0.031, 0.032), 0.30, (0.20, 0.47, 0.78))
SLAB = Thing((0.032, 0.031, 0.030), 0.20, (0.95, 0.70, 0.16))
TIN = Thing((0.031, 0.031, 0.031), 0.35, (0.25, 0.62, 0.38))


def things(objects: int) -> dict[str, Thing]:
    """The objects on the table by their names in the task: one, or up to four."""
    if objects == 1:
        return {"object": BLOCK}
    return {f"object{i + 1}": thing for i, thing in enumerate((BLOCK, CARTON, SLAB, TIN)[:objects])}


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
    present = things(objects)
    (cabinet or OURS).add(spec, {name: room(name, objects) for name in present})
    _let_drawers_slide(spec)
    for name, thing in present.items():
        _add_thing(spec, name, thing)
    pairs = [("hand", body) for body in (*DRAWERS, *present)]
    add_touch_sensors(spec, pairs + [(name, drawer) for name in present for drawer in DRAWERS])
    add_impedance(spec, gains or Gains())
    if visual:
        add_surroundings(spec, TABLE)
    return spec


def slot(number: int, objects: int) -> tuple[float, float]:
    """Place of an object in a drawer: x and y from its middle [m]; four stand two by two."""
    if objects == 1:
        return (-0.025, 0.0)
    front, back = (
        max(thing.size[0] for thing in row) + ROOM for row in ((BLOCK, CARTON), (SLAB, TIN))
    )
    begin = -DRAWER[0] / 2 + RIDGE
    x = begin + front if number < 2 else begin + 2 * front + RIDGE + back
    return (round(x, 4), -0.07 if number % 2 else 0.07)


def room(name: str, objects: int) -> Place:
    """Where an object belongs in a drawer, and half of the room that it has there [m]."""
    present = things(objects)
    number, thing = list(present).index(name), present[name]
    return (*slot(number, objects), thing.size[0] + ROOM, thing.size[1] + ROOM)


def _let_drawers_slide(spec: mujoco.MjSpec) -> None:
    for number, name in enumerate(DRAWERS):
        for other in ("cabinet", *DRAWERS[:number], "table"):
            spec.add_exclude(bodyname1=other, bodyname2=name)


def _add_thing(spec: mujoco.MjSpec, name: str, thing: Thing) -> None:
    body = spec.worldbody.add_body(name=name, pos=(0.4, 0, thing.half_height))
    body.add_freejoint(name=name)
    body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=thing.size,
        mass=thing.mass,
        rgba=(*thing.colour, 1),
        friction=(0.9, 0.01, 0.001),
        contype=SCENE,
        conaffinity=ROBOT | SCENE,
        group=VISUAL_GROUP,
    )
