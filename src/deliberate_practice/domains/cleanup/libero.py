"""LIBERO's own cabinet instead of ours, from a directory that the user names.

This package contains nothing of LIBERO. The cabinet is loaded from its directory with meshes and
textures, and adapted to Cleanup: size, place, names, sites, contact bits, and drawers that stay
where they are left.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import mujoco
import numpy as np

from deliberate_practice.domains.cleanup.cabinet import FRONT, OURS, STAND_OFF, Cabinet, Place
from deliberate_practice.domains.cleanup.task import DRAWERS
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.robots.mujoco.panda import COLLISION_GROUP, ROBOT, SCENE, VISUAL_GROUP

VARIABLE = "LIBERO_ASSETS"
"""Of the environment: LIBERO's folder ``libero/libero/assets``."""

FILE = "articulated_objects/wooden_cabinet.xml"

SCALE = 1.5
"""At this scale its drawers are as far apart as ours."""

_PREFIX = "libero_"
_OUTWARD = np.array([0.0, -1.0, 0.0])  # where its drawers open to
_TURNED = (math.sqrt(0.5), 0.0, 0.0, -math.sqrt(0.5))  # that this becomes the way to the robot
CHOICE = (
    f"Set {VARIABLE} to the folder libero/libero/assets of LIBERO, or unset it for our cabinet."
)
"""What a user does to choose a cabinet."""


def chosen_cabinet() -> Cabinet:
    """The cabinet that the environment asks for: LIBERO's if ``LIBERO_ASSETS`` is set."""
    assets = os.environ.get(VARIABLE)
    return libero_cabinet(Path(assets)) if assets else OURS


def libero_cabinet(assets: Path) -> Cabinet:
    """LIBERO's wooden cabinet on the table, its handles as far from the robot as ours.

    Args:
        assets: LIBERO's folder of assets.

    Raises:
        ArgumentError: A file is missing there, or is not what it should be.
    """
    file = assets / FILE
    if not file.is_file():
        raise ArgumentError(f"{VARIABLE}: there is no file '{file}'. {CHOICE}")
    try:
        model = _adapted(file).compile()
    except ValueError as error:  # MuJoCo's: no XML, or a mesh or texture is missing
        reason = " ".join(str(error).split())
        raise ArgumentError(f"{VARIABLE}: '{file}' cannot be loaded: {reason}. {CHOICE}") from None
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    x, y, _ = data.site("top_handle").xpos
    travel = float(min(model.joint(drawer).range[1] for drawer in DRAWERS))
    half = np.min([model.site(f"{drawer}_inside").size for drawer in DRAWERS], axis=0)
    width, depth, height = (2 * half).tolist()
    return Cabinet(
        name="LIBERO's",
        add=partial(_add, file, (FRONT - STAND_OFF - y, x, 0.0)),
        travel=travel,
        drawer=(depth, width, height),
        opened=travel * 2 / 3,
        closed=OURS.closed,
    )


def _add(
    file: Path, pos: tuple[float, float, float], spec: mujoco.MjSpec, places: Mapping[str, Place]
) -> None:
    frame = spec.worldbody.add_frame(pos=pos, quat=_TURNED)
    spec.attach(_adapted(file), prefix=_PREFIX, frame=frame)
    named = [spec.body(f"{_PREFIX}cabinet")]
    for drawer in DRAWERS:
        named += [spec.body(_PREFIX + drawer), spec.joint(_PREFIX + drawer)]
        named += [spec.site(f"{_PREFIX}{drawer}_{place}") for place in ("handle", "inside")]
    for element in named:
        element.name = element.name.removeprefix(_PREFIX)


def _adapted(file: Path) -> mujoco.MjSpec:
    """LIBERO's cabinet with our names, sites and bits of contact, in its own frame."""
    spec = mujoco.MjSpec.from_file(str(file))
    spec.njmax = spec.nconmax = -1  # of old; they would disagree with the scene's
    for body in spec.bodies:
        body.pos, body.ipos = SCALE * body.pos, SCALE * body.ipos
    for part in (*spec.geoms, *spec.sites):
        part.pos, part.size = SCALE * part.pos, SCALE * part.size
    for site in spec.sites:
        site.group = 4  # not drawn
    for mesh in spec.meshes:
        mesh.scale = SCALE * mesh.scale
    for geom in spec.geoms:
        if _solid(geom):
            geom.contype, geom.conaffinity, geom.group = SCENE, ROBOT | SCENE, COLLISION_GROUP
        else:
            geom.group, geom.mass = VISUAL_GROUP, 0.0
    _found(spec.body("base"), "body 'base'", file).name = "cabinet"
    for drawer in DRAWERS:
        _adapt_drawer(spec, drawer, file)
    return spec


def _adapt_drawer(spec: mujoco.MjSpec, name: str, file: Path) -> None:
    joint = _found(spec.joint(f"{name}_level"), f"joint '{name}_level'", file)
    region = _found(spec.site(f"{name}_region"), f"site '{name}_region'", file)
    body = joint.parent
    low, high = SCALE * joint.range
    outward = joint.axis if high > -low else -joint.axis
    if joint.type != mujoco.mjtJoint.mjJNT_SLIDE or not np.allclose(outward, _OUTWARD):
        raise _unlike(f"joint '{name}_level' that slides open along -y", file)
    joint.axis, joint.range = outward, (0.0, max(high, -low))
    joint.damping[:], joint.frictionloss = (8.0, 0.0, 0.0), 8.0  # dry ones
    body.name = joint.name = name
    solid = [geom for geom in body.geoms if _solid(geom)]
    under = [g for g in solid if np.all(np.abs(g.pos - region.pos)[:2] < _half(g)[:2])]
    if not under:
        raise _unlike(f"floor of the drawer '{name}', made of boxes", file)
    floor, middle = max(g.pos[2] + _half(g)[2] for g in under), np.array(region.pos)
    width, depth, height = _half(region)
    height = (middle[2] + height - floor) / 2
    middle[2] = floor
    body.add_site(name=f"{name}_inside", pos=middle, size=(width, depth, height), group=4)
    bar = max(solid, key=lambda geom: float(geom.pos @ outward))
    body.add_site(name=f"{name}_handle", pos=bar.pos, group=4)


def _solid(geom: mujoco.MjsGeom) -> bool:
    return bool(geom.contype or geom.conaffinity)


def _half(part: mujoco.MjsGeom | mujoco.MjsSite) -> FloatArray:
    """Half sizes of a box along the axes of its body [m]."""
    axes = np.empty(9)
    mujoco.mju_quat2Mat(axes, part.quat / np.linalg.norm(part.quat))
    return np.asarray(np.abs(axes.reshape(3, 3)) @ part.size)


def _found(element: mujoco.MjsElement | None, what: str, file: Path) -> mujoco.MjsElement:
    if element is None:
        raise _unlike(what, file)
    return element


def _unlike(what: str, file: Path) -> ArgumentError:
    return ArgumentError(f"{VARIABLE}: '{file}' has no {what}, as LIBERO's cabinet has. {CHOICE}")
