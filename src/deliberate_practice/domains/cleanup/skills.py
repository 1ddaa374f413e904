"""The skills of Cleanup as data: one primitive each, with its prior and with good parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping

from deliberate_practice.domains.cleanup.scene import MIDDLE, Thing, slot, things
from deliberate_practice.domains.cleanup.task import DRAWERS
from deliberate_practice.robots.mujoco.impedance import WIDEST
from deliberate_practice.robots.mujoco.primitive import Primitive, Shift, Vector, Waypoint
from deliberate_practice.task.skill import Parameter

SLANT = math.radians(58)
"""How far the hand looks down at handles [rad]; the arm cannot point level at low ones."""

DOWN = math.pi / 2

SPREAD = 0.065
"""How far the hand opens to let go, without pushing objects beside it [m]."""

ROOM = {"top": 0.35, "middle": 0.35, "bottom": 0.45}
"""Width of the search prior for placing into a shared drawer, relative to an unshared one."""

ROUND = 0.5
"""Width of the search prior for picking a round object, relative to a block, which is easier."""

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
        **{f"Pick({name})": _pick(name, thing) for name, thing in things(objects).items()},
        **{
            f"Place({name},{drawer})": _place(drawer, thing, slot(number, objects), objects > 1)
            for number, (name, thing) in enumerate(things(objects).items())
            for drawer in DRAWERS
        },
    }


def good(skill: str) -> Mapping[str, float]:
    """Good parameters of a skill, for tests and for preparing starts."""
    return _GOOD[parts(skill)[0]]


def parts(skill: str) -> tuple[str, list[str]]:
    """Verb and arguments of a skill: ``Place(object,top)`` is Place with object and top."""
    verb, _, names = skill.rstrip(")").partition("(")
    return verb, names.split(",")


_GOOD = {
    "Open": {"side": 0.0, "depth": 0.0, "pull": 0.23},
    "Close": {"side": 0.0, "height": -0.025, "push": 0.26},
    "Pick": {"x": 0.0, "y": 0.0, "height": 0.0},
    "Place": {"x": 0.0, "y": 0.0},
}

# Mean, standard deviation, bounds [m]. The means are at a corner of the region of success, where a
# few millimetres decide; the standard deviations are several times half the region's width, so that
# of the first samples one in 15 (picking) to one in 90 (the bottom drawer) succeeds; priors.toml
# has the learning curves that come of it.
_PRIOR: dict[str, dict[str, tuple[float, float, float, float]]] = {
    "Open": {
        "side": (0.033, 0.055, -0.15, 0.15),
        "depth": (-0.017, 0.038, -0.12, 0.12),
        "pull": (0.188, 0.050, 0.05, 0.4),
    },
    "Close(top)": {
        "side": (0.154, 0.590, -1.8, 1.8),
        "height": (0.017, 0.340, -1.0, 1.0),
        "push": (0.246, 0.160, -0.2, 0.7),
    },
    "Close(middle)": {
        "side": (0.150, 0.370, -1.2, 1.2),
        "height": (-0.003, 0.195, -0.6, 0.6),
        "push": (0.241, 0.135, -0.2, 0.7),
    },
    "Close(bottom)": {
        "side": (0.152, 0.370, -0.9, 0.9),
        "height": (0.001, 0.092, -0.4, 0.4),
        "push": (0.252, 0.055, 0.05, 0.45),
    },
    "Pick": {
        "x": (0.024, 0.059, -0.2, 0.2),
        "y": (-0.018, 0.042, -0.15, 0.15),
        "height": (0.029, 0.068, -0.2, 0.25),
    },
    "Place(top)": {
        "x": (-0.069, 0.180, -0.6, 0.6),
        "y": (0.118, 0.330, -1.0, 1.0),
    },
    "Place(middle)": {
        "x": (-0.070, 0.460, -1.4, 1.4),
        "y": (0.119, 0.850, -2.6, 2.6),
    },
    "Place(bottom)": {
        "x": (-0.070, 0.500, -1.5, 1.5),
        "y": (0.119, 0.920, -2.8, 2.8),
    },
}


def _open(drawer: str) -> Primitive:
    return Primitive(
        frame=f"{drawer}_handle",
        pitch=SLANT,
        waypoints=(
            Waypoint("near", _along(_BACK, 0.08), 0.0, WIDEST),
            Waypoint("reach", _LOW, 0.35, WIDEST),
            Waypoint("grasp", _LOW, 0.2, 0.0),
            Waypoint("pull", _LOW, 0.6, 0.0),
            Waypoint("release", _LOW, 0.12, WIDEST),
            Waypoint("away", _along(_BACK, 0.08), 0.22, WIDEST),
        ),
        parameters=_parameters("Open"),
        shifts=(
            Shift("side", _Y, ("near", "reach", "grasp", "pull", "release", "away")),
            Shift("depth", _X, ("near", "reach", "grasp", "pull", "release", "away")),
            Shift("pull", (-1.0, 0.0, 0.0), ("pull", "release", "away")),
        ),
    )


def _close(drawer: str) -> Primitive:
    return Primitive(
        frame=f"{drawer}_handle",
        pitch=SLANT,
        waypoints=(
            Waypoint("near", (-0.05, 0.0, 0.03), 0.0, 0.0),
            Waypoint("push", (0, 0, 0), 1.0, 0.0),
            Waypoint("away", (-0.08, 0.0, 0.06), 0.3, 0.0),
        ),
        parameters=_parameters(f"Close({drawer})"),
        shifts=(
            Shift("side", _Y, ("near", "push", "away")),
            Shift("height", _Z, ("near", "push", "away")),
            Shift("push", _X, ("push", "away")),
        ),
    )


def _pick(name: str, thing: Thing) -> Primitive:
    """Picking; with the means of the prior the fingers just miss the object or hold its corner."""
    round_ = thing.shape == "cylinder"
    # What is round slips out of fingers that do not hold it in its middle.
    x, y = thing.size[0] / 2 if round_ else thing.size[0], thing.size[-2]
    corner = {"x": x, "y": round(y - WIDEST / 2, 3), "height": round(thing.half_height + 0.002, 3)}
    # Fingers that press on the table bend the grasp: as deep as 1.5 cm is 10 N.
    lowest = {"height": -round(thing.half_height + 0.015, 3)}
    return Primitive(
        frame=name,
        pitch=DOWN,
        waypoints=(
            Waypoint("above", (0, 0, 0.12), 0.0, WIDEST),
            Waypoint("reach", (0, 0, 0), 0.6, WIDEST),
            Waypoint("grasp", (0, 0, 0), 0.25, 0.0),
            Waypoint("lift", (0, 0, 0.15), 0.5, 0.0),
        ),
        parameters=_parameters("Pick", corner, ROUND if round_ else 1.0, lowest),
        shifts=(
            Shift("x", _X, ("above", "reach", "grasp", "lift")),
            Shift("y", _Y, ("above", "reach", "grasp", "lift")),
            Shift("height", _Z, ("reach", "grasp")),
        ),
    )


def _place(drawer: str, thing: Thing, at: tuple[float, float], shared: bool) -> Primitive:
    down = thing.half_height + 0.01
    means, scale = dict[str, float](), 1.0
    if shared:  # the corner of a place is where the drawer's walls are
        means = {"x": math.copysign(0.033, at[0] - MIDDLE), "y": math.copysign(0.059, at[1])}
        scale = ROOM[drawer]
    return Primitive(
        frame=f"{drawer}_inside",
        pitch=DOWN,
        waypoints=(
            Waypoint("above", (*at, 0.17), 0.0, 0.0),
            Waypoint("lower", (*at, down), 0.6, 0.0),
            Waypoint("release", (*at, down), 0.2, SPREAD),
            Waypoint("away", (*at, 0.17), 0.4, SPREAD),
        ),
        parameters=_parameters(f"Place({drawer})", means, scale),
        shifts=(
            Shift("x", _X, ("above", "lower", "release", "away")),
            Shift("y", _Y, ("above", "lower", "release", "away")),
        ),
    )


def _parameters(
    prior: str,
    means: Mapping[str, float] = {},
    scale: float = 1.0,
    lowest: Mapping[str, float] = {},
) -> tuple[Parameter, ...]:
    """The parameters of a prior, with other means, widths and bounds for another object."""
    return tuple(
        Parameter(
            name,
            means.get(name, mean),
            scale * sd,
            lowest.get(name, scale * low),
            scale * high,
            "m",
        )
        for name, (mean, sd, low, high) in _PRIOR[prior].items()
    )


def _along(direction: Vector, distance: float) -> Vector:
    x, y, z = direction
    return (distance * x, distance * y, distance * z)
