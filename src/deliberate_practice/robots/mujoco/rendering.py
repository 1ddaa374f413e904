"""Pictures and videos of a simulated robot, drawn without a screen."""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import mujoco
import numpy as np
from PIL import Image

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.robots.mujoco.canvas import (
    Canvas,
    Closing,
    Picture,
    RenderingUnavailable,
)

FARTHEST_TURN = 45.0
"""How far a camera turns on its way to another one [degrees]."""


@dataclass(frozen=True)
class Camera:
    """The view and quality of a picture.

    Pixels are drawn ``oversampling`` times as densely in both directions and averaged: without a
    graphics card that costs no more than OpenGL's own smoothing, and the edges of shadows gain too.

    Attributes:
        lookat: The point in the middle of the picture [m].
        distance: From there to the camera [m].
        azimuth: Direction of view about the vertical [degrees]; 0 looks along x, 90 along y.
        elevation: Direction of view over the horizon [degrees]; negative looks down.
        width: Of the picture [pixels].
        height: Of the picture [pixels].
        oversampling: 1 is fast and shows steps at edges.
        shadows: Pixels along each side of the shadow map; 0 draws no shadows.
        reflections: Whether floors mirror a little, which draws everything once more.
    """

    lookat: tuple[float, float, float] = (0.42, 0.0, 0.22)
    distance: float = 1.85
    azimuth: float = 52.0
    elevation: float = -22.0
    width: int = 1280
    height: int = 720
    oversampling: float = 2.0
    shadows: int = 4096
    reflections: bool = True

    @classmethod
    def at(
        cls,
        point: FloatArray,
        offset: tuple[float, float, float],
        distance: float,
        azimuth: float,
        elevation: float,
    ) -> Camera:
        """Look at a place beside a point of the scene, such as a site.

        Args:
            point: The point [m].
            offset: From the point to the middle of the picture [m].
            distance, azimuth, elevation: As the attributes.
        """
        x, y, z = (float(value) for value in np.add(point, offset))
        return cls((x, y, z), distance, azimuth, elevation)

    def towards(self, other: Camera, part: float) -> Camera:
        """A camera on the way to another one; 0 is here, 1 is there, and it starts and ends slowly.

        Where it would have to turn far, through what stands around, it is there at once: a cut.
        """
        turn = (other.azimuth - self.azimuth + 180.0) % 360.0 - 180.0
        if part >= 1 or abs(turn) > FARTHEST_TURN:
            return other
        part = part * part * (3 - 2 * part)
        x, y, z = (
            (1 - part) * a + part * b for a, b in zip(self.lookat, other.lookat, strict=True)
        )
        return replace(
            other,
            lookat=(x, y, z),
            distance=(1 - part) * self.distance + part * other.distance,
            azimuth=self.azimuth + part * turn,
            elevation=(1 - part) * self.elevation + part * other.elevation,
        )

    def aim(self, eye: mujoco.MjvCamera) -> None:
        """Let MuJoCo look from here."""
        eye.lookat[:] = self.lookat
        eye.distance, eye.azimuth, eye.elevation = self.distance, self.azimuth, self.elevation


def write_picture(file: Path | str, image: Picture) -> None:
    """Save a picture as png."""
    Image.fromarray(image).save(_writable(file), format="png", optimize=True)


def write_video(file: Path | str, frames: Iterable[Picture], fps: float = 25.0) -> int:
    """Save pictures of equal, even size as an mp4 video (H.264, yuv420p: plays everywhere).

    Args:
        file: Where to; overwritten.
        frames: The pictures, drawn one by one while they are written.
        fps: Pictures per second.

    Returns:
        How many frames were written.

    Raises:
        RenderingUnavailable: imageio-ffmpeg is missing, or frames cannot be drawn.
    """
    target = _writable(file)
    part = target.with_suffix(".part.mp4")  # a stop in between leaves the file as it was
    if importlib.util.find_spec("imageio_ffmpeg") is None:
        raise RenderingUnavailable(f"videos need imageio-ffmpeg; run: {install_command('sim')}")
    pictures = iter(frames)
    first = next(pictures, None)
    if first is None:
        raise ArgumentError("video: there are no frames to write.")
    height, width = first.shape[:2]
    if height % 2 or width % 2:
        raise ArgumentError(f"video: {width} x {height} pixels; both must be even.")
    try:
        count = _encode(part, first, pictures, fps)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return count


class Studio(Closing):
    """Draws states of one model; close it, or use it in a ``with`` statement.

    Args:
        model: The scene.
        camera: Where to look from, and the quality.

    Raises:
        RenderingUnavailable: No OpenGL library works here; the message says what to install.
    """

    def __init__(self, model: mujoco.MjModel, camera: Camera) -> None:
        self._camera = camera
        self._size = (
            round(camera.width * camera.oversampling),
            round(camera.height * camera.oversampling),
        )
        self._canvas = Canvas(model, self._size, camera.shadows)
        self._canvas.scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = camera.reflections
        self._eye = mujoco.MjvCamera()

    def picture(self, state: FloatArray, view: Camera | None = None) -> Picture:
        """Draw a state.

        Args:
            state: The state vector, as ``World`` has it.
            view: Where to look from, in the same quality; by default from the studio's camera.

        Returns:
            height x width x 3 bytes.
        """
        (view or self._camera).aim(self._eye)
        image = self._canvas.draw(self._canvas.place(state), self._eye)[::-1]
        target = (self._camera.width, self._camera.height)
        if target == self._size:
            return np.ascontiguousarray(image)
        return np.asarray(Image.fromarray(image).resize(target, Image.Resampling.BOX))

    def close(self) -> None:
        """Give the graphics memory back."""
        self._canvas.close()


def _encode(target: Path, first: Picture, rest: Iterator[Picture], fps: float) -> int:
    import imageio_ffmpeg

    writer = imageio_ffmpeg.write_frames(
        str(target),
        (first.shape[1], first.shape[0]),
        fps=fps,
        codec="libx264",
        pix_fmt_out="yuv420p",
        quality=None,
        macro_block_size=2,
        ffmpeg_log_level="error",
        output_params=["-crf", "20", "-movflags", "+faststart"],
    )
    writer.send(None)
    count = 0
    try:
        for image in itertools.chain([first], rest):
            if image.shape != first.shape:
                raise ArgumentError(f"video: frame {count} is {image.shape}, not {first.shape}.")
            writer.send(np.ascontiguousarray(image))
            count += 1
    finally:
        writer.close()
    return count


def _writable(file: Path | str) -> Path:
    path = Path(file)
    if not path.parent.is_dir():
        raise ArgumentError(f"{path}: there is no folder {str(path.parent)!r}; make it first.")
    return path
