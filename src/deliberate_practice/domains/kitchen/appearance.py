"""The looks of Kitchen: daylight instead of FrankaKitchen's night, and a foot for the robot."""

from __future__ import annotations

import mujoco

from deliberate_practice.robots.mujoco.panda import VISUAL_GROUP

Vector = tuple[float, float, float]

_LIGHTS: tuple[tuple[Vector, Vector, float, bool], ...] = (
    # position, direction, strength, shadow
    ((0.9, -2.0, 4.4), (-0.30, 0.85, -0.85), 0.50, True),
    ((-1.8, -1.4, 3.0), (0.75, 0.6, -0.4), 0.22, False),
)


def show_kitchen(spec: mujoco.MjSpec, base: Vector) -> None:
    """Light, sky and the robot's foot; none of them can be touched.

    Args:
        spec: The scene with everything visible.
        base: Where the robot stands [m].
    """
    for light in spec.lights:
        spec.delete(light)
    for position, direction, strength, shadow in _LIGHTS:
        spec.worldbody.add_light(
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
            pos=position,
            dir=direction,
            diffuse=(strength, strength, 0.96 * strength),
            specular=(0.2, 0.2, 0.2),
            ambient=(0.0, 0.0, 0.0),
            castshadow=shadow,
        )
    visual = spec.visual
    visual.headlight.ambient = (0.34, 0.34, 0.35)
    visual.headlight.diffuse = (0.20, 0.20, 0.20)
    visual.headlight.specular = (0.05, 0.05, 0.05)
    visual.map.znear, visual.map.shadowclip = 0.01, 2.0
    spec.stat.extent, spec.stat.center = 1.6, (-0.2, 0.6, 2.0)
    sky = spec.texture("skybox")
    sky.rgb1, sky.rgb2 = (0.90, 0.93, 0.96), (0.66, 0.72, 0.78)
    sky.mark = mujoco.mjtMark.mjMARK_NONE
    for material in spec.materials:
        material.reflectance = min(material.reflectance, 0.1)
        material.specular, material.shininess = 0.3, 0.4
    x, y, z = base
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        pos=(x, y, z / 2),
        size=(0.11, z / 2, 0),
        rgba=(0.30, 0.32, 0.35, 1),
        contype=0,
        conaffinity=0,
        group=VISUAL_GROUP,
    )
