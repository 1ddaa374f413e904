"""The pose and size of the microwave's open door, from one image of the markers inside it.

The corners of all markers and the depth on them give the pose by least squares; the depth image in
the same plane gives the size. An invisible door, or an implausible measurement, is a valid answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import mujoco
import numpy as np
import numpy.typing as npt

from deliberate_practice.domains.breakfast.door_extent import Extent, door_extent
from deliberate_practice.domains.breakfast.door_pose import DoorPose, door_pose
from deliberate_practice.domains.breakfast.markers import Corners, detect
from deliberate_practice.domains.breakfast.microwave import DOOR, WIDEST
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.camera import DepthCamera, Image, Intrinsics
from deliberate_practice.robots.mujoco.canvas import Picture
from deliberate_practice.robots.mujoco.kinematics import Pose

ANGLES = (math.radians(10), WIDEST)
"""Angles at which a door counts as open [rad]; a nearly closed door hides its inside."""

TILT = math.radians(5)
"""How far from the vertical a hinge may seem to be [rad]."""

REPROJECTION = 1.5
"""How far on average the corners may be from where they should be in the image [pixels]."""

CONTRADICTION = 0.015
"""How far on average the measured depth may be from the markers [m]."""

WIDTHS, HEIGHTS = (0.22, 0.45), (0.18, 0.36)
"""Sizes that a door can have [m]."""


@dataclass(frozen=True)
class PerceivedDoor:
    """The door as a box in the world; its axes: inwards, from hinge to free edge, up.

    Attributes:
        angle: How far it is open [rad].
        position: Of its middle [m].
        quaternion: Its orientation, w, x, y, z.
        width: From the hinge to the free edge [m].
        height: [m].
        thickness: Known beforehand; the camera sees one side only [m].
        markers: The numbers of the markers that were seen.
        error: Of the markers' corners in the image, on average [pixels].
    """

    angle: float
    position: tuple[float, float, float]
    quaternion: tuple[float, float, float, float]
    width: float
    height: float
    thickness: float
    markers: tuple[int, ...]
    error: float

    @property
    def half_sizes(self) -> tuple[float, float, float]:
        """Of the box, along its axes [m]."""
        return (self.thickness / 2, self.width / 2, self.height / 2)

    def point(self, x: float, y: float, z: float) -> FloatArray:
        """In the world [m]: x inwards from the inner side, y from the hinge, z from the middle."""
        local = np.array([x + self.thickness / 2, y - self.width / 2, z])
        return np.asarray(self.position + _matrix(self.quaternion) @ local)


@dataclass(frozen=True)
class NotSeen:
    """No door was perceived.

    Attributes:
        reason: Why, for people.
    """

    reason: str


def perceive(image: Image, camera_pose: Pose, yaw: float = 0.0) -> PerceivedDoor | NotSeen:
    """Find the door in an image.

    Args:
        image: Colour and depth.
        camera_pose: Where the camera was, see ``robots.mujoco.camera.camera_pose``.
        yaw: Where the microwave looks: the direction of the closed door's inner side [rad].
    """
    corners = detect(image.colour)
    if not corners:
        return NotSeen("no marker of the door in the image")
    fit = door_pose(corners, image)
    if not fit.error <= REPROJECTION:  # also when it is not a number
        return NotSeen(f"the markers contradict each other by {fit.error:.1f} pixels")
    if fit.depth_error > CONTRADICTION:
        return NotSeen(f"depth contradicts the markers by {1000 * fit.depth_error:.0f} mm")
    axes = _matrix(camera_pose.quaternion) @ fit.axes
    tilt = math.acos(float(np.clip(axes[2, 2], -1, 1)))
    if tilt > TILT:
        return NotSeen(f"a hinge {math.degrees(tilt):.0f} degrees from the vertical")
    heading = math.atan2(axes[1, 0], axes[0, 0])
    angle = math.remainder(heading - yaw, math.tau)
    if not ANGLES[0] <= angle <= ANGLES[1]:
        return NotSeen(f"a door at {math.degrees(angle):.0f} degrees")
    u, v = next(iter(corners.values())).mean(axis=0).round().astype(int).tolist()
    extent = door_extent(image, fit.axes, fit.hinge, (u, v))
    if isinstance(extent, str):
        return NotSeen(extent)
    for what, size, (low, high) in (
        ("wide", extent.width, WIDTHS),
        ("high", extent.height, HEIGHTS),
    ):
        if not low <= size <= high:
            return NotSeen(f"a door {100 * size:.0f} cm {what}")
    return _door(fit, extent, camera_pose, heading, angle, corners)


class DoorCamera:
    """Perceives the door with a camera of the station when called.

    Args:
        model: The scene.
        name: Of the camera.
        yaw: See ``perceive``.

    Raises:
        RenderingUnavailable: Nothing can be drawn on this machine as it is.
    """

    def __init__(self, model: mujoco.MjModel, name: str = "wrist", yaw: float = 0.0) -> None:
        self.camera = DepthCamera(model, name)
        self._yaw = yaw

    def __call__(self, state: FloatArray, seed: int) -> PerceivedDoor | NotSeen:
        """Take an image of a state, with noise by the seed, and find the door in it."""
        return perceive(self.camera.look(state, seed), self.camera.pose(state), self._yaw)


def draw(image: Image, camera_pose: Pose, seen: PerceivedDoor | NotSeen) -> Picture:
    """The colour image with what was perceived: markers, the door's axes and its outline."""
    picture = image.colour.copy()
    for number, corners in detect(image.colour).items():
        _polygon(picture, corners, (40, 220, 60))
        at = corners.min(axis=0) - (0, 6)
        _write(picture, f"marker {number}", at, (40, 220, 60))
    if isinstance(seen, NotSeen):
        _write(picture, seen.reason, np.array([10.0, 20.0]), (240, 60, 40))
        return picture
    w, h = seen.width, seen.height / 2
    outline = [seen.point(0, y, z) for y, z in ((0, -h), (w, -h), (w, h), (0, h))]
    _polygon(picture, _pixels(np.array(outline), camera_pose, image.intrinsics), (250, 200, 30))
    hinge = seen.point(0, 0, 0)
    for axis, colour in enumerate(((240, 60, 40), (60, 220, 60), (70, 110, 255))):
        tip = seen.point(*(0.06 if i == axis else 0.0 for i in range(3)))
        ends = _pixels(np.array([hinge, tip]), camera_pose, image.intrinsics)
        (a, b), (c, d) = ends.round().astype(int).tolist()
        cv2.arrowedLine(picture, (a, b), (c, d), colour, 2, cv2.LINE_AA, tipLength=0.2)
    text = (
        f"door {math.degrees(seen.angle):.1f} degrees, "
        f"{1000 * seen.width:.0f} x {1000 * seen.height:.0f} mm"
    )
    _write(picture, text, np.array([10.0, 20.0]), (250, 200, 30))
    return picture


def _door(
    fit: DoorPose,
    extent: Extent,
    camera_pose: Pose,
    heading: float,
    angle: float,
    corners: Corners,
) -> PerceivedDoor:
    """The box of the door, with an upright hinge."""
    hinge = camera_pose.position + _matrix(camera_pose.quaternion) @ fit.hinge
    inwards = np.array([math.cos(heading), math.sin(heading), 0.0])
    along = np.array([-inwards[1], inwards[0], 0.0])
    middle = hinge - inwards * DOOR[0] / 2 + along * extent.width / 2
    x, y, z = middle.tolist()
    return PerceivedDoor(
        angle=angle,
        position=(x, y, z + (extent.top + extent.bottom) / 2),
        quaternion=(math.cos(heading / 2), 0.0, 0.0, math.sin(heading / 2)),
        width=extent.width,
        height=extent.height,
        thickness=DOOR[0],
        markers=tuple(sorted(corners)),
        error=fit.error,
    )


def _matrix(quaternion: npt.ArrayLike) -> FloatArray:
    matrix = np.empty(9)
    mujoco.mju_quat2Mat(matrix, np.asarray(quaternion, dtype=float))
    return matrix.reshape(3, 3)


def _pixels(points: FloatArray, camera_pose: Pose, intrinsics: Intrinsics) -> FloatArray:
    """Where points of the world are in the image, n x 2."""
    local = (points - camera_pose.position) @ _matrix(camera_pose.quaternion)
    image = local @ intrinsics.matrix.T
    return np.asarray(image[:, :2] / image[:, 2:])


def _polygon(picture: Picture, corners: FloatArray, colour: tuple[int, int, int]) -> None:
    cv2.polylines(picture, [corners.round().astype(np.int32)], True, colour, 2, cv2.LINE_AA)


def _write(picture: Picture, text: str, at: FloatArray, colour: tuple[int, int, int]) -> None:
    x, y = at.round().astype(int).tolist()
    for ink, thickness in (((20, 20, 20), 3), (colour, 1)):
        cv2.putText(
            picture, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.45, ink, thickness, cv2.LINE_AA
        )
