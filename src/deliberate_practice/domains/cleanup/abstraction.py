"""From physics to the abstract state of Cleanup."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from deliberate_practice.domains.cleanup.scene import OURS, PLACE, TABLE, Cabinet, slot
from deliberate_practice.domains.cleanup.task import DRAWERS
from deliberate_practice.robots.mujoco.contacts import touched
from deliberate_practice.robots.mujoco.panda import TOOL

BROKEN = "broken"
"""The value for poses without an abstract state: a drawer ajar, an object on the floor."""

FINGERS = {"left_finger", "right_finger"}


def abstract(
    model: mujoco.MjModel, data: mujoco.MjData, objects: Sequence[str], cabinet: Cabinet = OURS
) -> dict[str, str]:
    """The abstract state of forwarded physics: a value for every drawer and object.

    Args:
        model: The compiled scene.
        data: After ``mj_forward``, so that contacts are known.
        objects: Names of the objects to put away.
        cabinet: The cabinet of the scene.
    """
    contacts = touched(model, data)
    return {
        **{drawer: _drawer(float(data.joint(drawer).qpos[0]), cabinet) for drawer in DRAWERS},
        **{
            name: _place(data, name, contacts[name], cabinet, shared_place(number, len(objects)))
            for number, name in enumerate(objects)
        },
    }


def distance(
    data: mujoco.MjData, name: str, drawer: str, own: tuple[float, float] | None = None
) -> float:
    """Distance from an object to its place in a drawer [m], rounded to the centimetre.

    Args:
        data: Of the forwarded physics.
        name: The object.
        drawer: The drawer.
        own: Offset of its place from the drawer's centre [m]; the centre by default.
    """
    way = data.body(name).xpos - data.site(f"{drawer}_inside").xpos - (*(own or (0.0, 0.0)), 0.0)
    return round(float(np.linalg.norm(way)), 2)


def off_centre(data: mujoco.MjData, name: str) -> float:
    """Distance from the middle of a held object to the point between the finger tips [m].

    It is rounded to the centimetre, because smaller differences are noise.
    """
    return round(float(np.linalg.norm(data.body(name).xpos - data.site(TOOL).xpos)), 2)


def _drawer(opening: float, cabinet: Cabinet) -> str:
    if opening >= cabinet.opened:
        return "open"
    return "closed" if opening <= cabinet.closed else BROKEN


def shared_place(number: int, objects: int) -> tuple[float, float] | None:
    """Offset of an object's place from the drawer's middle [m], if several share a drawer."""
    return slot(number, objects) if objects > 1 else None


def _place(
    data: mujoco.MjData,
    name: str,
    near: set[str],
    cabinet: Cabinet,
    own: tuple[float, float] | None,
) -> str:
    if near & FINGERS:
        return "hand" if near >= FINGERS else BROKEN
    at = np.array(data.body(name).xpos)
    for drawer in DRAWERS:
        x, y, z = at - data.site(f"{drawer}_inside").xpos
        depth, width, height = cabinet.drawer
        if abs(x) < depth / 2 and abs(y) < width / 2 and 0.0 < z < height:
            off_x, off_y = (x - own[0], y - own[1]) if own else (0.0, 0.0)
            return drawer if abs(off_x) < PLACE[0] and abs(off_y) < PLACE[1] else BROKEN
    centre, depth, width = TABLE
    if "table" in near and abs(at[0] - centre) < depth and abs(at[1]) < width and at[2] < 0.1:
        return "table"
    return BROKEN
