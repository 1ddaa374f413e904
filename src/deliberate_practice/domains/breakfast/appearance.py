"""The looks of the Breakfast station: materials and visible parts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import mujoco
import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.panda import COLLISION_GROUP, VISUAL_GROUP
from deliberate_practice.robots.mujoco.room import Material, show_box

ROUND = 48
"""Corners of what is round."""

MATERIALS: dict[str, Material] = {
    "oak": ((0.80, 0.66, 0.48), 0.15, 0.3),
    "walnut": ((0.45, 0.31, 0.21), 0.15, 0.3),
    "crumb": ((0.95, 0.85, 0.66), 0.0, 0.0),
    "crust": ((0.69, 0.45, 0.22), 0.05, 0.1),
    "stoneware": ((0.27, 0.45, 0.62), 0.5, 0.7),
    "oatmeal": ((0.90, 0.82, 0.67), 0.1, 0.2),
    "berry": ((0.38, 0.16, 0.32), 0.4, 0.6),
    "linen": ((0.93, 0.91, 0.86), 0.0, 0.0),
    "mat": ((0.42, 0.58, 0.52), 0.0, 0.0),
    "legs": ((0.25, 0.26, 0.28), 0.3, 0.4),
}


def show_bread(spec: mujoco.MjSpec, bread: mujoco.MjsBody, solid: mujoco.MjsGeom) -> None:
    """A slice with the outline of a loaf in place of its box: crumb, and a crust around it."""
    width, thickness, height = (float(side) for side in solid.size)
    solid.group = COLLISION_GROUP
    outline = _loaf(width, height)
    for material, inset, half in (("crust", 0.0, thickness), ("crumb", 0.005, thickness + 0.0006)):
        shape = outline * (1 - inset / np.array([width, height]))
        points = [(x, y, z) for y in (-half, half) for x, z in shape]
        _draw(spec, bread, f"slice_{material}", points, _prism(len(shape)), material)


def show_bowl(spec: mujoco.MjSpec, bowl: mujoco.MjsBody, solid: mujoco.MjsGeom) -> None:
    """A round bowl with oatmeal and berries in place of its cylinder."""
    radius, height = float(solid.size[0]), 2 * float(solid.size[1])
    solid.group = COLLISION_GROUP
    outside = [(0.034, 0.0), (0.047, 0.006), (0.056, 0.022), (radius, height - 0.002)]
    inside = [(radius - 0.002, height), (radius - 0.004, height - 0.002), (0.05, 0.02)]
    _turn(spec, bowl, "bowl_body", [(0.0, 0.0), *outside, *inside, (0.0, 0.01)], "stoneware")
    level = height - 0.012
    porridge = [(0.0, level - 0.005), (0.0545, level - 0.002), (0.045, level + 0.003)]
    _turn(spec, bowl, "porridge", [*porridge, (0.0, level + 0.005)], "oatmeal")
    for angle, distance in ((0.4, 0.02), (1.7, 0.028), (2.9, 0.015), (4.1, 0.03), (5.3, 0.024)):
        bowl.add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            pos=(distance * math.cos(angle), distance * math.sin(angle), level + 0.006),
            size=(0.0055, 0, 0),
            mass=0,
            material="berry",
            contype=0,
            conaffinity=0,
            group=VISUAL_GROUP,
        )


def show_station(spec: mujoco.MjSpec, bowl: tuple[float, float], hand: str) -> None:
    """A mat under the bowl, the bracket that carries the camera, and shadows of the whole table."""
    spec.stat.extent, spec.stat.center = 1.7, (0.4, 0, 0.1)
    spec.visual.map.shadowclip = 2.2
    show_box(spec.worldbody, (*bowl, 0.0005), (0.15, 0.11, 0.0005), "linen")
    show_box(spec.worldbody, (*bowl, 0.0008), (0.135, 0.095, 0.0005), "mat")
    show_box(spec.body(hand), (0.046, 0, 0.021), (0.018, 0.012, 0.004), "legs")


def _loaf(width: float, height: float) -> FloatArray:
    """Corners of the outline of a slice, x and z, counterclockwise."""
    shoulder, dome = 0.35 * height, 0.65 * height
    side = [(0.93 * width, -height), (0.93 * width, 0.2 * height)]
    angles = np.linspace(-0.9, math.pi / 2, 12)
    # The crust bulges over the sides and is a little flat on top.
    bulge = [
        (0.62 * width + 0.38 * width * math.cos(a), shoulder + dome * math.sin(a)) for a in angles
    ]
    right = side + [point for point in bulge if point[1] > 0.2 * height]
    return np.array(right + [(-x, z) for x, z in reversed(right)])


def _prism(corners: int) -> list[tuple[int, int, int]]:
    """Faces of a prism over a polygon whose corners come twice, back and front."""
    faces = []
    for i in range(corners):
        j = (i + 1) % corners
        faces += [(i, j, corners + j), (i, corners + j, corners + i)]
        if 0 < i < corners - 1:
            faces += [(0, i + 1, i), (corners, corners + i, corners + i + 1)]
    return [(a, c, b) for a, b, c in faces]


def _turn(
    spec: mujoco.MjSpec,
    body: mujoco.MjsBody,
    name: str,
    profile: Sequence[tuple[float, float]],
    material: str,
) -> None:
    """What a profile (radius and height) makes when it is turned about the vertical."""
    angles = np.linspace(0, 2 * math.pi, ROUND, endpoint=False)
    points = [(r * math.cos(a), r * math.sin(a), z) for r, z in profile for a in angles]
    sides = [
        (ring * ROUND + i, ring * ROUND + (i + 1) % ROUND)
        for ring in range(len(profile) - 1)
        for i in range(ROUND)
    ]
    faces = [f for a, b in sides for f in ((a, b, b + ROUND), (a, b + ROUND, a + ROUND))]
    _draw(spec, body, name, points, faces, material)


def _draw(
    spec: mujoco.MjSpec,
    body: mujoco.MjsBody,
    name: str,
    points: Sequence[tuple[float, float, float]],
    faces: Sequence[tuple[int, int, int]],
    material: str,
) -> None:
    mesh = spec.add_mesh(name=name, inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)
    mesh.uservert = [value for point in points for value in point]
    mesh.userface = [corner for face in faces for corner in face]
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=name,
        material=material,
        mass=0,
        contype=0,
        conaffinity=0,
        group=VISUAL_GROUP,
    )
