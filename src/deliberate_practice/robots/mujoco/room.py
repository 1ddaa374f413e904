"""Common parts of scenes: physics, materials, a table, and the room around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import mujoco

from deliberate_practice.robots.mujoco.panda import ROBOT, SCENE, VISUAL_GROUP

TIMESTEP = 0.004
"""Of the simulation [s]; benchmarks/simulation.py compares it with finer ones."""

Material: TypeAlias = tuple[tuple[float, float, float], float, float]
"""Colour, specular, shininess."""


def set_physics(spec: mujoco.MjSpec) -> None:
    """How the scene is simulated."""
    option = spec.option
    option.timestep = TIMESTEP
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    option.impratio = 10  # less creep in the grasp


def add_materials(spec: mujoco.MjSpec, materials: Mapping[str, Material]) -> None:
    """Name the materials that the geoms of the scene refer to."""
    for name, (colour, specular, shininess) in materials.items():
        spec.add_material(name=name, rgba=(*colour, 1), specular=specular, shininess=shininess)


def add_box(
    body: mujoco.MjsBody,
    pos: tuple[float, float, float],
    size: tuple[float, float, float],
    material: str,
    name: str = "",
) -> mujoco.MjsGeom:
    """A solid box of wood, centre and half sizes [m] in the frame of its body."""
    return body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=pos,
        size=size,
        material=material,
        density=400.0,
        contype=SCENE,
        conaffinity=ROBOT | SCENE,
        group=VISUAL_GROUP,
    )


def show_box(
    body: mujoco.MjsBody,
    pos: tuple[float, float, float],
    size: tuple[float, float, float],
    material: str,
) -> None:
    """A box that is visible but cannot be touched."""
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=pos,
        size=size,
        material=material,
        mass=0,
        contype=0,
        conaffinity=0,
        group=VISUAL_GROUP,
    )


def add_table(spec: mujoco.MjSpec, table: tuple[float, float, float], material: str) -> None:
    """A table top whose surface is at z = 0, and the floor.

    Args:
        spec: The scene.
        table: Centre in x, and half sizes in x and y, of the table top [m].
        material: Its name.
    """
    centre, depth, width = table
    body = spec.worldbody.add_body(name="table", pos=(centre, 0, -0.02))
    add_box(body, (0, 0, 0), (depth, width, 0.02), material, name="table")
    spec.worldbody.add_geom(
        name="floor",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        pos=(0, 0, -0.74),
        size=(4, 4, 0.1),
        contype=SCENE,
        conaffinity=ROBOT | SCENE,
        group=VISUAL_GROUP,
    )


def add_touch_sensors(spec: mujoco.MjSpec, pairs: Iterable[tuple[str, str]]) -> None:
    """Sensors that show whether two bodies touch each other, with everything attached to them."""
    for one, other in pairs:
        spec.add_sensor(
            name=touch_sensor(one, other),
            type=mujoco.mjtSensor.mjSENS_CONTACT,
            objtype=mujoco.mjtObj.mjOBJ_XBODY,
            objname=one,
            reftype=mujoco.mjtObj.mjOBJ_XBODY,
            refname=other,
            intprm=(1 << int(mujoco.mjtConDataField.mjCONDATA_FOUND), 0, 1),
        )


def touch_sensor(one: str, other: str) -> str:
    """Name of the sensor that shows whether two bodies touch each other."""
    return f"{one}_touches_{other}"


def add_surroundings(spec: mujoco.MjSpec, table: tuple[float, float, float]) -> None:
    """Light, floor, walls and legs of the table; none of them can be touched.

    Args:
        spec: The scene, with a material ``legs``.
        table: Centre in x, and half sizes in x and y, of the table top [m].
    """
    spec.visual.headlight.ambient = (0.30, 0.30, 0.31)
    spec.visual.headlight.diffuse = (0.22, 0.22, 0.22)
    spec.visual.headlight.specular = (0.05, 0.05, 0.05)
    spec.visual.map.znear = 0.02
    spec.visual.map.shadowclip = 1.5
    spec.stat.extent, spec.stat.center = 1.2, (0.4, 0, 0.2)
    _light(spec, (-0.6, 1.6, 2.2), (0.55, -0.75, -1.0), 0.55, shadow=True)
    _light(spec, (0.2, -2.0, 1.8), (0.1, 0.9, -0.8), 0.22, shadow=False)
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=(0.93, 0.95, 0.97),
        rgb2=(0.72, 0.77, 0.82),
        width=256,
        height=1536,
    )
    spec.add_texture(
        name="tiles",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        mark=mujoco.mjtMark.mjMARK_EDGE,
        rgb1=(0.70, 0.72, 0.74),
        rgb2=(0.68, 0.70, 0.72),
        markrgb=(0.62, 0.64, 0.66),
        width=300,
        height=300,
    )
    tiles = spec.add_material(name="tiles", texrepeat=(8, 8), texuniform=False, reflectance=0.05)
    tiles.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "tiles"
    spec.geom("floor").material = "tiles"
    centre, depth, width = table
    for x in (-1, 1):
        for y in (-1, 1):
            at = (centre + x * (depth - 0.05), y * (width - 0.05), -0.39)
            show_box(spec.worldbody, at, (0.025, 0.025, 0.35), "legs")


def _light(
    spec: mujoco.MjSpec,
    pos: tuple[float, float, float],
    direction: tuple[float, float, float],
    strength: float,
    shadow: bool,
) -> None:
    spec.worldbody.add_light(
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        pos=pos,
        dir=direction,
        diffuse=(strength, strength, strength * 0.97),
        specular=(0.25, 0.25, 0.25) if shadow else (0.05, 0.05, 0.05),
        ambient=(0.0, 0.0, 0.0),
        castshadow=shadow,
    )
