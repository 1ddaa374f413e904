"""How the scene of Cleanup looks: materials, light, and what stands around without touching."""

from __future__ import annotations

import mujoco

from deliberate_practice.robots.mujoco.panda import VISUAL_GROUP

_MATERIALS: dict[str, tuple[tuple[float, float, float], float, float]] = {
    # name: colour, specular, shininess
    "oak": ((0.80, 0.66, 0.48), 0.15, 0.3),
    "lacquer": ((0.94, 0.93, 0.91), 0.2, 0.4),
    "birch": ((0.90, 0.82, 0.68), 0.1, 0.2),
    "front_top": ((0.36, 0.55, 0.66), 0.2, 0.4),
    "front_middle": ((0.30, 0.47, 0.58), 0.2, 0.4),
    "front_bottom": ((0.24, 0.39, 0.50), 0.2, 0.4),
    "steel": ((0.62, 0.64, 0.66), 0.9, 0.8),
    "legs": ((0.25, 0.26, 0.28), 0.3, 0.4),
    "wall": ((0.90, 0.91, 0.92), 0.0, 0.0),
}


def add_materials(spec: mujoco.MjSpec) -> None:
    """Name the materials that the geoms of the scene refer to."""
    for name, (colour, specular, shininess) in _MATERIALS.items():
        spec.add_material(name=name, rgba=(*colour, 1), specular=specular, shininess=shininess)


def add_surroundings(spec: mujoco.MjSpec, table: tuple[float, float, float]) -> None:
    """Light, floor, walls and legs of the table; nothing of it can be touched.

    Args:
        spec: The scene.
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
            spec.worldbody.add_geom(
                type=mujoco.mjtGeom.mjGEOM_BOX,
                pos=(centre + x * (depth - 0.05), y * (width - 0.05), -0.39),
                size=(0.025, 0.025, 0.35),
                material="legs",
                contype=0,
                conaffinity=0,
                group=VISUAL_GROUP,
            )


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
