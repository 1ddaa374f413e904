"""A simulated colour and depth camera, like those on a robot's wrist.

OpenGL draws colour and depth from a camera of the model. Noise like that of a real sensor is added:
the error of depth grows with the square of the distance, and depth is rounded to millimetres.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError, choose_from
from deliberate_practice.robots.mujoco.canvas import Canvas, Closing, Depth, Picture
from deliberate_practice.robots.mujoco.kinematics import Pose
from deliberate_practice.robots.mujoco.panda import VISUAL_GROUP

SIZE = (640, 360)
"""Width and height of an image [pixels]."""

FOVY = 42.0
"""Vertical angle of view [degrees]."""

NEAR, FAR = 0.17, 3.0
"""Range of measurable depth [m]."""

_CLIP = (0.02, 6.0)  # what is drawn at all [m]
_UNIT = 0.001  # of measured depth [m]


@dataclass(frozen=True)
class Intrinsics:
    """How a point in front of the camera becomes a pixel: u = fx x/z + cx, v = fy y/z + cy.

    Whole numbers are the middles of pixels. In the camera's frame x points to the right in the
    image, y down, z into the scene.

    Attributes:
        width: Of the image [pixels].
        height: Of the image [pixels].
        fx: Focal length [pixels].
        fy: Focal length [pixels].
        cx: Where the optical axis goes through the image [pixels].
        cy: Where the optical axis goes through the image [pixels].
    """

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float

    @property
    def matrix(self) -> FloatArray:
        """3 x 3, as OpenCV has it."""
        return np.array([[self.fx, 0, self.cx], [0, self.fy, self.cy], [0, 0, 1]], dtype=float)


@dataclass(frozen=True)
class Noise:
    """The noise of the sensor.

    Attributes:
        depth: Standard deviation of depth at 1 m [m]; it grows with the square of the distance.
        colour: Standard deviation of brightness, of 255.
        lost: Share of the pixels without a measured depth.
    """

    depth: float = 0.004
    colour: float = 3.0
    lost: float = 0.01


@dataclass(frozen=True, eq=False)
class Image:
    """An image of the camera.

    Attributes:
        colour: height x width x 3 bytes.
        depth: height x width, along the optical axis [m]; 0 where it could not be measured.
        intrinsics: Of both.
    """

    colour: Picture
    depth: Depth
    intrinsics: Intrinsics


def add_wrist_camera(hand: mujoco.MjsBody, name: str = "wrist") -> None:
    """Mount a camera above a robot's hand; it looks in the direction of the fingers.

    Args:
        hand: The body of the hand; the camera's housing touches what the hand can touch.
        name: Of the camera.
    """
    up_is_x = (0.0, math.sqrt(0.5), math.sqrt(0.5), 0.0)
    hand.add_camera(name=name, pos=(0.07, 0.0, 0.035), quat=up_is_x, fovy=FOVY)
    bits = hand.geoms[0]
    hand.add_geom(
        name=f"{name}_housing",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=(0.07, 0.0, 0.021),
        size=(0.0125, 0.045, 0.0125),
        rgba=(0.75, 0.76, 0.78, 1.0),
        contype=bits.contype,
        conaffinity=bits.conaffinity,
        group=VISUAL_GROUP,
    )


class DepthCamera(Closing):
    """Takes images with one camera of a model; close it, or use it in a ``with`` statement.

    It draws without shadows and smoothing, which cost most of the time. OpenGL binds it to the
    thread that made it.

    Args:
        model: The scene.
        name: Of the camera.
        size: Width and height of the images [pixels].
        noise: The noise of the images.

    Raises:
        RenderingUnavailable: No OpenGL library works here; the message says what to install.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        name: str,
        size: tuple[int, int] = SIZE,
        noise: Noise | None = None,
    ) -> None:
        self.intrinsics = intrinsics(model, name, size)
        self._name = name
        self._noise = noise or Noise()
        self._canvas = Canvas(model, size, clip=_CLIP)
        self._canvas.scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        self._canvas.context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        self._eye = mujoco.MjvCamera()
        self._eye.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._eye.fixedcamid = model.camera(name).id

    def look(self, state: FloatArray, seed: int) -> Image:
        """Take an image of a state, as ``World`` has it; the same seed gives the same noise."""
        return self.shoot(self._canvas.place(state), seed)

    def shoot(self, data: mujoco.MjData, seed: int) -> Image:
        """Take an image of data of the model that are up to date."""
        inverse = np.empty((self.intrinsics.height, self.intrinsics.width), dtype=np.float32)
        colour = self._canvas.draw(data, self._eye, inverse)
        near, far = _CLIP
        depth = np.float32(near * far) / (np.float32(near) + inverse * np.float32(far - near))
        rng = np.random.default_rng(seed)
        return Image(
            _grainy(colour[::-1], self._noise, rng),
            _measured(depth[::-1], self._noise, rng),
            self.intrinsics,
        )

    def pose(self, state: FloatArray) -> Pose:
        """Where the camera is in a state: see ``camera_pose``."""
        return camera_pose(self._canvas.place(state), self._name)

    def close(self) -> None:
        """Give the graphics memory back."""
        self._canvas.close()


def intrinsics(model: mujoco.MjModel, name: str, size: tuple[int, int] = SIZE) -> Intrinsics:
    """Those of a camera of a model, from its angle of view.

    Args:
        model: The scene.
        name: Of the camera.
        size: Width and height of the images [pixels].
    """
    if mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_CAMERA, name) < 0:
        names = [model.camera(number).name for number in range(model.ncam)]
        raise ArgumentError("camera: " + choose_from(name, names))
    width, height = size
    focal = height / 2 / math.tan(math.radians(float(model.camera(name).fovy[0])) / 2)
    return Intrinsics(width, height, focal, focal, (width - 1) / 2, (height - 1) / 2)


def camera_pose(data: mujoco.MjData, name: str) -> Pose:
    """Where a camera is: its frame has x to the right in the image, y down, z into the scene."""
    view = data.camera(name)
    axes = view.xmat.reshape(3, 3) * np.array([1.0, -1.0, -1.0])
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, axes.ravel())
    return Pose(view.xpos.copy(), quaternion)


def _grainy(colour: Picture, noise: Noise, rng: np.random.Generator) -> Picture:
    grain = rng.standard_normal(colour.shape[:2], dtype=np.float32) * np.float32(noise.colour)
    whole = np.rint(grain).astype(np.int16)
    return np.asarray(np.clip(colour + whole[:, :, None], 0, 255), dtype=np.uint8)


def _measured(depth: Depth, noise: Noise, rng: np.random.Generator) -> Depth:
    error = rng.standard_normal(depth.shape, dtype=np.float32) * np.float32(noise.depth)
    measured = np.rint((depth + error * depth**2) / np.float32(_UNIT)) * np.float32(_UNIT)
    lost = rng.random(depth.shape, dtype=np.float32) < noise.lost
    measured[lost | (measured < NEAR) | (measured > FAR)] = 0
    return np.asarray(measured, dtype=np.float32)
