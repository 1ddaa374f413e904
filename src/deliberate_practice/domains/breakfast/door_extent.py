"""The extent of a door, from the depth image in its plane."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.camera import Image

_FLATNESS = 0.006  # how far from the plane a point of the door may seem to be [m]
_BINS = 24
_NEAR_HINGE = 0.03  # closer to it the casing may seem to go on in the door's plane [m]


@dataclass(frozen=True)
class Extent:
    """In the door's frame.

    Attributes:
        width: From the hinge to the free edge [m].
        bottom: Height of the lower edge, from the frame [m].
        top: Height of the upper edge, from the frame [m].
    """

    width: float
    bottom: float
    top: float

    @property
    def height(self) -> float:
        """[m]."""
        return self.top - self.bottom


def door_extent(
    image: Image, axes: FloatArray, hinge: FloatArray, seed: tuple[int, int]
) -> Extent | str:
    """Follow the plane of a door to its edges.

    Args:
        image: Its depth is used.
        axes: Of the door in the frame of the camera, columns: inwards, to the free edge, up.
        hinge: Origin of the door's frame in that of the camera [m].
        seed: A pixel (u, v) on the door.

    Returns:
        Its extent, or the reason why it cannot be seen.
    """
    i, depth = image.intrinsics, image.depth
    x = ((np.arange(i.width) - i.cx) / i.fx).astype(np.float32)
    y = ((np.arange(i.height) - i.cy) / i.fy).astype(np.float32)
    normal = axes[:, 0].astype(np.float32)
    slope = normal[0] * x[None, :] + normal[1] * y[:, None] + normal[2]
    flat = np.abs(depth * slope - np.float32(normal @ hinge)) < _FLATNESS
    # Pixels without depth make holes; closing them keeps the surface in one piece.
    solid = cv2.morphologyEx(flat.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    _, parts = cv2.connectedComponents(solid, connectivity=4)
    part = parts[seed[1], seed[0]]
    if part == 0:
        return "no depth on the door"
    surface = (parts == part).astype(np.uint8)
    outlines, _ = cv2.findContours(surface, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    u, v = max(outlines, key=len).reshape(-1, 2).astype(int).T
    measured = flat[v, u]
    u, v = u[measured], v[measured]
    z = depth[v, u].astype(float)
    local = (np.column_stack([x[u] * z, y[v] * z, z]) - hinge) @ axes[:, 1:]
    away = local[:, 0] > _NEAR_HINGE
    u, v, local = u[away], v[away], local[away]
    if len(u) == 0:
        return "no depth on the door"
    if u.min() == 0 or v.min() == 0 or u.max() == i.width - 1 or v.max() == i.height - 1:
        return "the door is only partly in the image"
    return Extent(
        width=_reach(local[:, 1], local[:, 0]),
        bottom=-_reach(local[:, 0], -local[:, 1]),
        top=_reach(local[:, 0], local[:, 1]),
    )


def _reach(across: FloatArray, along: FloatArray) -> float:
    """The median, over strips, of how far each goes."""
    low, high = np.quantile(across, (0.05, 0.95))
    inner = (across >= low) & (across <= high)
    strips = ((across[inner] - low) / (high - low + 1e-9) * _BINS).astype(int)
    furthest = np.full(_BINS, -np.inf)
    np.maximum.at(furthest, strips, along[inner])
    return float(np.median(furthest[np.isfinite(furthest)]))
