"""The skills of Cleanup as data: one primitive each, and good parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping

from deliberate_practice.domains.cleanup.parameters import PARAMETERS, search_prior
from deliberate_practice.domains.cleanup.scene import Thing, slot, things
from deliberate_practice.domains.cleanup.task import DRAWERS
from deliberate_practice.robots.mujoco.impedance import WIDEST
from deliberate_practice.robots.mujoco.primitive import Primitive, Shift, Turn, Vector, Waypoint

SLANT = math.radians(58)
"""How far the hand looks down at handles [rad]; the arm cannot point level at low ones."""

DOWN = math.pi / 2

GENTLE = 40.0
"""Bound on each component of the hand's force where it picks and places [N]."""

_X: Vector = (1.0, 0.0, 0.0)
_Y: Vector = (0.0, 1.0, 0.0)
_Z: Vector = (0.0, 0.0, 1.0)
_LOW: Vector = (0.0, 0.0, -0.012)  # below the middle of a handle, away from the one above it
_BACK: Vector = (-math.cos(SLANT), 0.0, math.sin(SLANT))


def primitives(objects: int) -> dict[str, Primitive]:
    """The primitive of every skill of the task, by its name."""
    return {
        **{f"Open({drawer})": _open(drawer) for drawer in DRAWERS},
        **{f"Close({drawer})": _close(drawer) for drawer in DRAWERS},
        **{f"Pick({name})": _pick(name) for name in things(objects)},
        **{
            f"Place({name},{drawer})": _place(drawer, thing, slot(number, objects))
            for number, (name, thing) in enumerate(things(objects).items())
            for drawer in DRAWERS
        },
    }


def good(skill: str) -> Mapping[str, float]:
    """Good parameters of a skill, for tests and for preparing starts."""
    return {name: value for name, (value, *_) in PARAMETERS[parts(skill)[0]].items()}


def parts(skill: str) -> tuple[str, list[str]]:
    """Verb and arguments of a skill: ``Place(object,top)`` is Place with object and top."""
    verb, _, names = skill.rstrip(")").partition("(")
    return verb, names.split(",")


def _open(drawer: str) -> Primitive:
    every = ("near", "reach", "grasp", "pull", "release", "away")
    return Primitive(
        frame=f"{drawer}_handle",
        pitch=SLANT,
        waypoints=(
            Waypoint("near", _along(_BACK, 0.08), 0.0, WIDEST),
            Waypoint("reach", _LOW, 0.35, WIDEST),
            Waypoint("grasp", _LOW, 0.2, 0.0),
            Waypoint("pull", _LOW, 1.0, 0.0),
            Waypoint("release", _LOW, 0.12, WIDEST),
            Waypoint("away", _along(_BACK, 0.08), 0.22, WIDEST),
        ),
        parameters=search_prior("Open"),
        shifts=(
            Shift("side", _Y, every),
            Shift("depth", _X, every),
            Shift("pull", (-1.0, 0.0, 0.0), ("pull", "release", "away")),
        ),
        stiffness="stiffness",
    )


def _close(drawer: str) -> Primitive:
    every = ("near", "push", "away")
    return Primitive(
        frame=f"{drawer}_handle",
        pitch=SLANT,
        waypoints=(
            Waypoint("near", (-0.05, 0.0, 0.03), 0.0, 0.0),
            Waypoint("push", (0, 0, 0), "duration", 0.0, even=True),
            Waypoint("away", (-0.08, 0.0, 0.06), 0.4, 0.0),
        ),
        parameters=search_prior("Close"),
        shifts=(
            Shift("side", _Y, every),
            Shift("height", _Z, every),
            Shift("push", _X, ("push", "away")),
        ),
        stiffness="stiffness",
    )


def _pick(name: str) -> Primitive:
    every = ("above", "hover", "reach", "grasp", "lift")
    return Primitive(
        frame=name,
        pitch=DOWN,
        waypoints=(
            Waypoint("above", (0, 0, 0.12), 0.0, WIDEST),
            Waypoint("hover", (0, 0, 0.05), 0.35, WIDEST),
            Waypoint("reach", (0, 0, 0), 0.7, WIDEST, even=True),
            Waypoint("grasp", (0, 0, 0), 0.3, 0.0),
            Waypoint("lift", (0, 0, 0.15), 0.5, 0.0),
        ),
        parameters=search_prior("Pick"),
        shifts=(
            Shift("x", _X, every),
            Shift("y", _Y, every),
            Shift("height", _Z, ("hover", "reach", "grasp")),
        ),
        turns=(Turn("yaw", "yaw", every),),
        turning=True,
        force=GENTLE,
    )


def _place(drawer: str, thing: Thing, at: tuple[float, float]) -> Primitive:
    down = thing.half_height + 0.01
    every = ("above", "lower", "release", "away")
    return Primitive(
        frame=f"{drawer}_inside",
        pitch=DOWN,
        waypoints=(
            Waypoint("above", (*at, 0.14), 0.0, 0.0),
            Waypoint("lower", (*at, down), 0.7, 0.0),
            Waypoint("release", (*at, down), 0.2, WIDEST),
            Waypoint("away", (*at, 0.14), 0.4, WIDEST),
        ),
        parameters=search_prior("Place"),
        shifts=(
            Shift("x", _X, every),
            Shift("y", _Y, every),
            Shift("height", _Z, ("lower", "release")),
        ),
        turns=(Turn("yaw", "yaw", every), Turn("tilt", "pitch", every)),
        force=GENTLE,
    )


def _along(direction: Vector, distance: float) -> Vector:
    x, y, z = direction
    return (distance * x, distance * y, distance * z)
