"""From physics to the abstract state of Cleanup."""

from __future__ import annotations

import math
from collections.abc import Mapping

import mujoco
import numpy as np

from deliberate_practice.domains.cleanup.cabinet import OURS, Cabinet, Place
from deliberate_practice.domains.cleanup.scene import TABLE, Thing, room
from deliberate_practice.domains.cleanup.task import DRAWERS
from deliberate_practice.robots.mujoco.contacts import touched
from deliberate_practice.robots.mujoco.panda import TOOL

BROKEN = "broken"
"""The value for poses without an abstract state: a drawer ajar, an object on the floor."""

FINGERS = {"left_finger", "right_finger"}

UPRIGHT = 0.985
"""Cosine of the tilt up to which an object stands upright: 10 degrees."""

CENTRED, SQUARE = 0.025, 0.26
"""How far the middle of an object in the hand may be beside the fingertips [m], and how far its
sides may be turned against the fingers [rad]: an object held by a corner cannot be placed."""

SUNK = 0.006
"""How far an object on the floor of a drawer may be above or below it [m]."""


def abstract(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    present: Mapping[str, Thing],
    cabinet: Cabinet = OURS,
) -> dict[str, str]:
    """The abstract state of forwarded physics: a value for every drawer and object.

    Args:
        model: The compiled scene.
        data: After ``mj_forward``, so that contacts are known.
        present: The objects to put away, by name.
        cabinet: The cabinet of the scene.
    """
    contacts = touched(model, data)
    return {
        **{drawer: _drawer(float(data.joint(drawer).qpos[0]), cabinet) for drawer in DRAWERS},
        **{
            name: _place(data, name, contacts[name], room(name, len(present)), thing)
            for name, thing in present.items()
        },
    }


def gripped(model: mujoco.MjModel, data: mujoco.MjData, present: Mapping[str, Thing]) -> str | None:
    """The object between the fingers, well held or not; None if there is none."""
    contacts = touched(model, data)
    return next((name for name in present if contacts[name] >= FINGERS), None)


def _held_well(data: mujoco.MjData, name: str) -> bool:
    """Whether an object between the fingers is held near its middle, by its sides."""
    tool, thing = data.site(TOOL), data.body(name)
    turned = tool.xmat.reshape(3, 3).T
    offset = np.abs(turned @ (thing.xpos - tool.xpos))
    side = turned @ thing.xmat.reshape(3, 3)[:, 0]
    quarter = math.pi / 2
    yaw = math.remainder(math.atan2(side[1], side[0]), quarter)
    return bool(offset[:2].max() < CENTRED) and abs(yaw) < SQUARE


def _drawer(opening: float, cabinet: Cabinet) -> str:
    if opening >= cabinet.opened:
        return "open"
    return "closed" if opening <= cabinet.closed else BROKEN


def _place(data: mujoco.MjData, name: str, near: set[str], place: Place, thing: Thing) -> str:
    at, upright = np.array(data.body(name).xpos), float(data.body(name).xmat[8]) > UPRIGHT
    if near & FINGERS:
        return "hand" if near >= FINGERS and upright and _held_well(data, name) else BROKEN
    for drawer in DRAWERS:
        if drawer not in near or not upright:
            continue
        frame = data.site(f"{drawer}_inside")
        x, y, z = frame.xmat.reshape(3, 3).T @ (at - frame.xpos)
        inside = abs(x - place[0]) < place[2] and abs(y - place[1]) < place[3]
        if inside and abs(z - thing.half_height) < SUNK:
            return drawer
    centre, depth, width = TABLE
    if "table" in near and abs(at[0] - centre) < depth and abs(at[1]) < width and at[2] < 0.1:
        return "table" if upright else BROKEN
    return BROKEN
