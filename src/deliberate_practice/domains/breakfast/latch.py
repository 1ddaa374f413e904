"""A sprung pawl with a bevelled nose that a hook snaps past and that then holds it.

Lever and door carry the hook. On its way it lifts the pawl by the bevel, passes, and is held by the
flat side. Only the two of them can touch each other.
"""

from __future__ import annotations

import mujoco

from deliberate_practice.robots.mujoco.panda import VISUAL_GROUP

HOOK, OVERLAP = 0.004, 0.002
"""Radius of a hook, and how far the pawl stands in front of it [m]."""

QUICK, FIRM = (0.008, 1), (0.98, 0.998, 0.0005, 0.5, 2)
"""Compliance of steel stops: less than 0.1 mm (``solref`` and ``solimp``)."""

# Corners of the pawl in its frame: a flat side that holds, a blunt nose, a bevel.
_NOSE = ((0.0, 0.0), (-0.004, 0.0), (-0.030, 0.018), (0.0, 0.018))
# Only hook and pawl know this bit: nothing else can touch the latch.
_LATCH = 8


def add_pawl(
    spec: mujoco.MjSpec,
    body: mujoco.MjsBody,
    name: str,
    pos: tuple[float, float, float],
    spring: tuple[float, float],
    travel: float,
    material: str,
    quat: tuple[float, float, float, float] = (1, 0, 0, 0),
) -> None:
    """Put a pawl into an appliance; body, joint, mesh and geom have its name.

    Its frame is at its nose, on the flat side that holds the hook: the hook comes along x, and
    lifts it along y.

    Args:
        spec: The scene.
        body: The appliance.
        name: Of the pawl.
        pos: Where its frame is in the appliance [m].
        spring: Stiffness [N/m], and how far the spring is drawn at rest [m].
        travel: How far it can be lifted [m].
        material: Its material.
        quat: Orientation of its frame in the appliance.
    """
    pawl = body.add_body(name=name, pos=pos, quat=quat)
    stiffness, drawn = spring
    pawl.add_joint(
        name=name,
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=(0, 1, 0),
        range=(0, travel),
        limited=True,
        stiffness=stiffness,
        springref=-drawn,
        damping=4.0,
        solref_limit=QUICK,
        solimp_limit=FIRM,
    )
    wedge = spec.add_mesh(name=name)
    wedge.uservert = [v for z in (-0.01, 0.01) for x, y in _NOSE for v in (x, y, z)]
    pawl.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=name,
        mass=0.04,
        material=material,
        friction=(0.1, 0.001, 0.0001),
        solref=QUICK,
        solimp=FIRM,
        priority=1,
        contype=0,
        conaffinity=_LATCH,
        group=VISUAL_GROUP,
    )


def add_hook(
    body: mujoco.MjsBody,
    name: str,
    pos: tuple[float, float, float],
    half_length: float,
    mass: float,
    material: str,
    quat: tuple[float, float, float, float] = (1, 0, 0, 0),
) -> None:
    """Give a lever or a door the round bar that pawls hold.

    Args:
        body: What carries it.
        name: Of its geom.
        pos: Of its middle [m].
        half_length: Along its axis, which is z [m].
        mass: [kg].
        material: What it looks like.
        quat: How it is turned.
    """
    body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_CAPSULE,
        pos=pos,
        quat=quat,
        size=(HOOK, half_length, 0),
        mass=mass,
        material=material,
        contype=_LATCH,
        conaffinity=0,
        group=VISUAL_GROUP,
    )
