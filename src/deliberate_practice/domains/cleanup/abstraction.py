"""From physics to the abstract state of Cleanup."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from deliberate_practice.domains.cleanup.scene import DRAWER, TABLE
from deliberate_practice.domains.cleanup.task import DRAWERS
from deliberate_practice.robots.mujoco.contacts import touched

OPEN, CLOSED = 0.16, 0.015
"""A drawer is open from here on, closed up to here [m]."""

BROKEN = "broken"
"""What the abstraction has no word for: a drawer ajar, a thing on the floor."""

FINGERS = {"left_finger", "right_finger"}


def abstract(model: mujoco.MjModel, data: mujoco.MjData, objects: Sequence[str]) -> dict[str, str]:
    """The abstract state of forwarded physics: a value for every drawer and object.

    Args:
        model: The compiled scene.
        data: After ``mj_forward``, so that contacts are known.
        objects: Names of the things to put away.
    """
    contacts = touched(model, data)
    return {
        **{drawer: _drawer(float(data.joint(drawer).qpos[0])) for drawer in DRAWERS},
        **{name: _place(data, name, contacts[name]) for name in objects},
    }


def _drawer(opening: float) -> str:
    if opening >= OPEN:
        return "open"
    return "closed" if opening <= CLOSED else BROKEN


def _place(data: mujoco.MjData, name: str, near: set[str]) -> str:
    if near & FINGERS:
        return "hand" if near >= FINGERS else BROKEN
    at = np.array(data.body(name).xpos)
    for drawer in DRAWERS:
        x, y, z = at - data.site(f"{drawer}_inside").xpos
        depth, width, height = DRAWER
        if abs(x) < depth / 2 and abs(y) < width / 2 and 0.0 < z < height:
            return drawer
    centre, depth, width = TABLE
    if "table" in near and abs(at[0] - centre) < depth and abs(at[1]) < width and at[2] < 0.1:
        return "table"
    return BROKEN
