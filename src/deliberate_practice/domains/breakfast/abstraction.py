"""From physics to the abstract state of Breakfast."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from deliberate_practice.domains.breakfast.microwave import OPENING
from deliberate_practice.domains.breakfast.scene import BREAD, LEFT, RACK_BASE, RIGHT, TABLE
from deliberate_practice.domains.breakfast.toaster import LATCHED
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.contacts import touched

BROKEN = "broken"
"""The value without an abstract state: a door ajar, bread on the table, a bowl upside down."""

OPEN, CLOSED = math.radians(50), math.radians(1.5)
"""The door is open from here on, closed up to here [rad]."""

UP = 0.006
"""The lever is up until here [m]."""

UPRIGHT = math.cos(math.radians(15))
"""The vertical component of the vertical axis of what stands."""


def abstract(model: mujoco.MjModel, data: mujoco.MjData) -> dict[str, str]:
    """The abstract state of forwarded physics: bread, toaster, bowl and door.

    Args:
        model: The compiled scene.
        data: After ``mj_forward``, so that contacts are known.
    """
    near = touched(model, data)
    return {
        "bread": _in_hand(near["bread"], LEFT) or _bread(data),
        "toaster": _settled(data, "lever", (UP, "off"), (LATCHED, "on")),
        "bowl": _in_hand(near["bowl"], RIGHT) or _bowl(data, near["bowl"]),
        "door": _settled(data, "door", (CLOSED, "closed"), (OPEN, "open")),
    }


def _in_hand(near: set[str], arm: str) -> str | None:
    """Whether both fingers of the right robot touch it."""
    fingers = {f"{arm}left_finger", f"{arm}right_finger"}
    if near >= fingers:
        return "gripper"
    return BROKEN if any(name.endswith("finger") for name in near) else None


def _bread(data: mujoco.MjData) -> str:
    """In the slot it stands on what the lever carries, on the counter in its rack."""
    bread = data.body("bread")
    height = BREAD[2] / 2
    if _upright(bread):
        slot = data.site("slot")
        if _within(bread.xpos - slot.xpos - (0, 0, height), (0.03, 0.012, 0.012)):
            return "toaster"
        rack = data.body("rack")
        place = rack.xmat.reshape(3, 3).T @ (bread.xpos - rack.xpos)
        if _within(place - (0, 0, RACK_BASE + height), (0.02, 0.008, 0.008)):
            return "counter"
    return BROKEN


def _bowl(data: mujoco.MjData, near: set[str]) -> str:
    bowl = data.body("bowl")
    if not _upright(bowl):
        return BROKEN
    depth, width, _ = OPENING
    inside = data.site("microwave_inside")
    place = inside.xmat.reshape(3, 3).T @ (bowl.xpos - inside.xpos)
    if "microwave" in near and _within(place, (depth / 2, width / 2, 0.01)):
        return "microwave"
    centre, half, side = TABLE
    x, y, z = bowl.xpos
    on_table = "table" in near and abs(z) < 0.01
    return "counter" if on_table and abs(x - centre) < half and abs(y) < side else BROKEN


def _settled(
    data: mujoco.MjData, joint: str, begin: tuple[float, str], end: tuple[float, str]
) -> str:
    """At which end of its way a joint is; each end has a limit and a word."""
    at = float(data.joint(joint).qpos[0])
    if at >= end[0]:
        return end[1]
    return begin[1] if at <= begin[0] else BROKEN


def _upright(body: mujoco.MjData) -> bool:
    return bool(body.xmat[8] > UPRIGHT)


def _within(place: FloatArray, reach: tuple[float, float, float]) -> bool:
    return bool((np.abs(place) < reach).all())
