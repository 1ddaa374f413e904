"""ArUco markers on the inner side of the microwave's door: made for the scene, found in images."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import mujoco
import numpy as np
import numpy.typing as npt

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.canvas import Picture
from deliberate_practice.robots.mujoco.panda import VISUAL_GROUP

DICTIONARY = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_50)
CELLS = DICTIONARY.markerSize + 2
"""Along a side of a marker's black square."""

Corners = dict[int, FloatArray]
"""By the number of the marker: 4 x 2 pixels, in the order of ``Marker.corners``."""

_PIXELS = 24  # of texture per cell
_MARGIN = 12  # around the markers when they are looked at again [pixels]


@dataclass(frozen=True)
class Marker:
    """A square on the door that faces along the x axis of the door's frame, its top upwards.

    Attributes:
        number: In the dictionary.
        centre: In the frame of the door [m].
        side: Of the black square [m]; a white margin of one cell is around it.
    """

    number: int
    centre: tuple[float, float, float]
    side: float

    @property
    def corners(self) -> FloatArray:
        """In the frame of the door [m], 4 x 3: top left, top right, bottom right, bottom left."""
        half = self.side / 2
        # Seen against the x axis, y points to the right.
        offsets = ((0, -half, half), (0, half, half), (0, half, -half), (0, -half, -half))
        return np.add(self.centre, offsets, dtype=float)


DOOR_MARKERS = (Marker(7, (0.0012, 0.085, 0.03), 0.09), Marker(23, (0.0012, 0.235, 0.03), 0.09))
"""One near the hinge, one near the free edge."""


def add_markers(
    spec: mujoco.MjSpec, body: mujoco.MjsBody, markers: tuple[Marker, ...] = DOOR_MARKERS
) -> None:
    """Stick markers onto a body: textured quads that can only be seen."""
    for marker in markers:
        name = f"marker{marker.number}"
        pattern = image(marker.number)
        texture = spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, nchannel=3)
        texture.height, texture.width = pattern.shape
        texture.data = np.repeat(pattern[:, :, None], 3, axis=2).tobytes()
        material = spec.add_material(name=name, specular=0.05, shininess=0.1)
        material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
        half = marker.side / 2 * (CELLS + 2) / CELLS
        spec.add_mesh(
            name=name,
            # A plane geom stretches its texture; these corners say where its corners are.
            uservert=[0, -half, half, 0, half, half, 0, half, -half, 0, -half, -half],
            usertexcoord=[0, 0, 1, 0, 1, 1, 0, 1],
            userface=[0, 3, 2, 0, 2, 1],
            userfacetexcoord=[0, 3, 2, 0, 2, 1],
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        )
        body.add_geom(
            name=name,
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=name,
            material=name,
            pos=marker.centre,
            mass=0,
            contype=0,
            conaffinity=0,
            group=VISUAL_GROUP,
        )


def detect(colour: Picture) -> Corners:
    """The corners of the door's markers in a colour image, to a fraction of a pixel."""
    grey = np.asarray(cv2.cvtColor(colour, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    found = _markers(_COARSE, grey)
    if not found:
        return {}
    # The refinement looks at a whole image; around the markers it is ten times as fast.
    outline = np.concatenate(list(found.values()))
    low = np.maximum(outline.min(axis=0).astype(int) - _MARGIN, 0)
    high = outline.max(axis=0).astype(int) + _MARGIN
    part = np.ascontiguousarray(grey[low[1] : high[1], low[0] : high[0]])
    # It counts from the corner of a pixel, everything else from the middle.
    fine = {number: at + low - 0.5 for number, at in _markers(_FINE, part).items()}
    return found | fine


def image(number: int) -> npt.NDArray[np.uint8]:
    """A marker with its margin, black on white."""
    square = cv2.aruco.generateImageMarker(DICTIONARY, number, CELLS * _PIXELS)
    framed = cv2.copyMakeBorder(square, *(_PIXELS,) * 4, cv2.BORDER_CONSTANT, value=(255,))
    return np.asarray(framed, dtype=np.uint8)


def _detector(refinement: int) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = refinement
    return cv2.aruco.ArucoDetector(DICTIONARY, parameters)


_COARSE = _detector(cv2.aruco.CORNER_REFINE_SUBPIX)
_FINE = _detector(cv2.aruco.CORNER_REFINE_APRILTAG)
_KNOWN = frozenset(marker.number for marker in DOOR_MARKERS)


def _markers(detector: cv2.aruco.ArucoDetector, grey: npt.NDArray[np.uint8]) -> Corners:
    corners, numbers, _ = detector.detectMarkers(grey)
    if numbers is None:
        return {}
    pairs = zip(numbers.ravel().astype(int).tolist(), corners, strict=True)
    return {n: np.asarray(c, dtype=float).reshape(4, 2) for n, c in pairs if n in _KNOWN}
