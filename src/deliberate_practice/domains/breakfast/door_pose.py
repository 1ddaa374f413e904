"""The pose of a door with markers: least squares over corners and depth."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from deliberate_practice.domains.breakfast.markers import DOOR_MARKERS, Corners, Marker
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.camera import Image, Intrinsics

_KNOWN = {marker.number: marker for marker in DOOR_MARKERS}
_CORNER_ERROR = 0.2  # [pixels]
_DEPTH_ERROR = 0.004  # of one point [m]; more than the noise, as neighbours err together
_POINTS = 200  # of depth, at most
_ROUNDS = 4


@dataclass(frozen=True, eq=False)
class DoorPose:
    """The frame of the door in that of the camera, and how well it explains the image.

    Attributes:
        axes: Columns: inwards, from the hinge to the free edge, up.
        hinge: Its origin, on the hinge, half way up [m].
        error: Of the markers' corners, on average [pixels].
        depth_error: Between measured depth and the markers' plane, on average [m].
    """

    axes: FloatArray
    hinge: FloatArray
    error: float
    depth_error: float


def door_pose(corners: Corners, image: Image) -> DoorPose:
    """The pose of the door that agrees best with all corners and with the depth on the markers.

    Args:
        corners: Of at least one marker.
        image: Where they are.
    """
    model = np.concatenate([_KNOWN[number].corners for number in corners])
    pixels = np.concatenate(list(corners.values()))
    points = _points_on(corners, image)
    # A square can be seen in two ways; before any refinement the wrong one fits badly.
    begin = min(
        (
            _judged(axes, hinge, model, pixels, points, image.intrinsics)
            for number, at in corners.items()
            for axes, hinge in _candidates(_KNOWN[number], at, image.intrinsics)
        ),
        key=lambda fit: fit.error / _CORNER_ERROR + fit.depth_error / _DEPTH_ERROR,
    )
    axes, hinge = _refined(begin.axes, begin.hinge, model, pixels, points, image.intrinsics)
    return _judged(axes, hinge, model, pixels, points, image.intrinsics)


def _candidates(
    marker: Marker, corners: FloatArray, intrinsics: Intrinsics
) -> list[tuple[FloatArray, FloatArray]]:
    """The two poses in which a square looks like this: axes and origin of the door."""
    half = marker.side / 2
    square = np.array([(-half, half, 0), (half, half, 0), (half, -half, 0), (-half, -half, 0)])
    _, turns, shifts, _ = cv2.solvePnPGeneric(
        square, corners, intrinsics.matrix, None, flags=cv2.SOLVEPNP_IPPE_SQUARE
    )
    poses = []
    for turn, shift in zip(turns, shifts, strict=True):
        # The square's x, y, z are the door's y, z, x.
        axes = _rotation(np.asarray(turn))[:, [2, 0, 1]]
        origin: FloatArray = np.asarray(shift).ravel() - axes @ marker.centre
        poses.append((axes, origin))
    return poses


def _points_on(corners: Corners, image: Image) -> FloatArray:
    """Points measured on the markers, in the frame of the camera [m], n x 3."""
    mask = np.zeros(image.depth.shape, dtype=np.uint8)
    for at in corners.values():
        cv2.fillConvexPoly(mask, at.round().astype(np.int32), (1,))
    v, u = np.nonzero((mask > 0) & (image.depth > 0))
    step = 1 + len(u) // _POINTS
    u, v = u[::step], v[::step]
    z = image.depth[v, u].astype(float)
    i = image.intrinsics
    return np.column_stack([(u - i.cx) / i.fx * z, (v - i.cy) / i.fy * z, z])


def _refined(
    axes: FloatArray,
    hinge: FloatArray,
    model: FloatArray,
    pixels: FloatArray,
    points: FloatArray,
    intrinsics: Intrinsics,
) -> tuple[FloatArray, FloatArray]:
    """Gauss-Newton on the errors of corners and depth, each in its standard deviation."""
    focal = np.array([intrinsics.fx, intrinsics.fy])
    centre = np.array([intrinsics.cx, intrinsics.cy])
    plane = model[0] * (1, 0, 0)
    for _ in range(_ROUNDS):
        arms = model @ axes.T
        at = arms + hinge
        miss = at[:, :2] / at[:, 2:] * focal + centre - pixels
        # d(u, v) / d(x, y, z), then by a small turn of the door about its hinge and a shift
        project = np.zeros((len(at), 2, 3))
        project[:, 0, 0] = focal[0] / at[:, 2]
        project[:, 1, 1] = focal[1] / at[:, 2]
        project[:, :, 2] = -at[:, :2] * focal / at[:, 2:] ** 2
        turned = np.cross(arms[:, None, :], project)
        corner_rows = np.concatenate([turned, project], axis=2).reshape(-1, 6) / _CORNER_ERROR
        normal, foot = axes[:, 0], axes @ plane
        away = points - hinge - foot
        depth_miss = away @ normal
        lever = np.cross(normal, away) - np.cross(foot, normal)
        depth_rows = np.hstack([lever, np.tile(-normal, (len(points), 1))]) / _DEPTH_ERROR
        rows = np.concatenate([corner_rows, depth_rows])
        misses = np.concatenate([miss.ravel() / _CORNER_ERROR, depth_miss / _DEPTH_ERROR])
        step = np.linalg.lstsq(rows, -misses, rcond=None)[0]
        axes = _rotation(step[:3]) @ axes
        hinge = hinge + step[3:]
    return axes, hinge


def _judged(
    axes: FloatArray,
    hinge: FloatArray,
    model: FloatArray,
    pixels: FloatArray,
    points: FloatArray,
    intrinsics: Intrinsics,
) -> DoorPose:
    seen = (model @ axes.T + hinge) @ intrinsics.matrix.T
    error = float(np.linalg.norm(seen[:, :2] / seen[:, 2:] - pixels, axis=1).mean())
    away = (points - hinge) @ axes[:, 0] - model[0, 0]
    return DoorPose(axes, hinge, error, float(np.abs(away).mean()) if len(points) else 0.0)


def _rotation(vector: FloatArray) -> FloatArray:
    """The matrix of a rotation vector."""
    return np.asarray(cv2.Rodrigues(vector)[0], dtype=float)
