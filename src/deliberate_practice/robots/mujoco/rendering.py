"""Pictures and videos of a simulated robot, drawn without a screen."""

from __future__ import annotations

import copy
import functools
import importlib
import importlib.util
import itertools
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt
from PIL import Image

from deliberate_practice.errors import ArgumentError, DeliberatePracticeError
from deliberate_practice.robots.mujoco.world import STATE
from deliberate_practice.task.mdp import FloatArray

Picture = npt.NDArray[np.uint8]

BACKENDS = ("egl", "osmesa")
OFF = ("disable", "disabled", "off", "false", "0")
INSTALL = (
    "on Debian or Ubuntu run: apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri "
    "(or libosmesa6); everything else works without pictures."
)


class RenderingUnavailable(DeliberatePracticeError):
    """Nothing can be drawn, or no video written, on this machine as it is."""


@dataclass(frozen=True)
class Camera:
    """Where one looks from, and how carefully it is drawn.

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
    """

    lookat: tuple[float, float, float] = (0.42, 0.0, 0.22)
    distance: float = 1.85
    azimuth: float = 52.0
    elevation: float = -22.0
    width: int = 640
    height: int = 480
    oversampling: float = 2.0
    shadows: int = 4096


def picture(model: mujoco.MjModel, state: FloatArray, camera: Camera | None = None) -> Picture:
    """Draw one state.

    Args:
        model: The scene.
        state: The state vector, as ``World`` has it.
        camera: Where to look from.

    Returns:
        height x width x 3 bytes.

    Raises:
        RenderingUnavailable: No OpenGL library works here; the message says what to install.
    """
    with Studio(model, camera or Camera()) as studio:
        return studio.picture(state)


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
        RenderingUnavailable: imageio-ffmpeg is missing, or the drawing of frames is.
    """
    target = _writable(file)
    if importlib.util.find_spec("imageio_ffmpeg") is None:
        raise RenderingUnavailable(
            "videos need imageio-ffmpeg; run: pip install 'deliberate-practice[sim]'."
        )
    pictures = iter(frames)
    first = next(pictures, None)
    if first is None:
        raise ArgumentError("video: there are no frames to write.")
    height, width = first.shape[:2]
    if height % 2 or width % 2:
        raise ArgumentError(f"video: {width} x {height} pixels; both must be even.")
    return _encode(target, first, pictures, fps)


def frames_of(
    model: mujoco.MjModel,
    trajectory: FloatArray,
    camera: Camera | None = None,
    fps: float = 25.0,
    speed: float = 1.0,
) -> Iterator[Picture]:
    """Draw a trajectory, one picture per 1/fps seconds of the video.

    Args:
        model: The scene.
        trajectory: A state per step of the simulation.
        camera: Where to look from.
        fps: Pictures per second.
        speed: 2 shows it twice as fast as it was.
    """
    stride = max(1, round(speed / (fps * model.opt.timestep)))
    with Studio(model, camera or Camera()) as studio:
        for state in trajectory[::stride]:
            yield studio.picture(state)


class Studio:
    """Draws states of one model with one camera; close it, or use it in a ``with`` statement."""

    def __init__(self, model: mujoco.MjModel, camera: Camera) -> None:
        self._camera = camera
        self._size = (
            round(camera.width * camera.oversampling),
            round(camera.height * camera.oversampling),
        )
        self._model = copy.copy(model)  # it carries the size of buffers
        self._model.vis.global_.offwidth, self._model.vis.global_.offheight = self._size
        self._model.vis.quality.offsamples = 0
        self._model.vis.quality.shadowsize = camera.shadows
        self._data = mujoco.MjData(self._model)
        self._scene = mujoco.MjvScene(self._model, maxgeom=2_000)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = camera.shadows > 0
        self._eye = mujoco.MjvCamera()
        self._eye.lookat[:] = camera.lookat
        self._eye.distance, self._eye.azimuth = camera.distance, camera.azimuth
        self._eye.elevation = camera.elevation
        self._option = mujoco.MjvOption()
        self._gl, self._context = open_graphics(self._model, *self._size)

    def picture(self, state: FloatArray) -> Picture:
        """Draw a state: height x width x 3 bytes."""
        mujoco.mj_setState(self._model, self._data, state, STATE)
        mujoco.mj_forward(self._model, self._data)
        return self.draw(self._data)

    def draw(self, data: mujoco.MjData) -> Picture:
        """Draw data of the model that are up to date: height x width x 3 bytes."""
        self._gl.make_current()
        mujoco.mjv_updateScene(
            self._model,
            data,
            self._option,
            None,
            self._eye,
            mujoco.mjtCatBit.mjCAT_ALL,
            self._scene,
        )
        width, height = self._size
        whole = mujoco.MjrRect(0, 0, width, height)
        mujoco.mjr_render(whole, self._scene, self._context)
        image = np.empty((height, width, 3), dtype=np.uint8)
        mujoco.mjr_readPixels(image, None, whole, self._context)
        image = image[::-1]
        target = (self._camera.width, self._camera.height)
        if target == self._size:
            return np.ascontiguousarray(image)
        return np.asarray(Image.fromarray(image).resize(target, Image.Resampling.BOX))

    def close(self) -> None:
        """Give the graphics memory back."""
        self._gl.make_current()
        self._context.free()
        self._gl.free()

    def __enter__(self) -> Studio:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def open_graphics(model: mujoco.MjModel, width: int, height: int) -> tuple[Any, mujoco.MjrContext]:
    """OpenGL for a model, to draw off the screen.

    Args:
        model: It says how large the buffers are; its textures and meshes are loaded.
        width: Of the pictures [pixels].
        height: Of the pictures [pixels].

    Returns:
        OpenGL's context, with ``make_current`` and ``free``, and MuJoCo's.

    Raises:
        RenderingUnavailable: No OpenGL library works here; the message says what to install.
    """
    try:
        gl = _context_class()(width, height)
        gl.make_current()
        context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
    except (RuntimeError, ImportError, AttributeError, OSError, mujoco.FatalError) as error:
        raise RenderingUnavailable(f"OpenGL does not work here ({error}); {INSTALL}") from None
    mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, context)
    return gl, context


@functools.cache
def backend() -> str:
    """Name of the OpenGL library that is used: what MUJOCO_GL says, else the first that works.

    Raises:
        RenderingUnavailable: There is none, or MUJOCO_GL forbids it.
    """
    asked = os.environ.get("MUJOCO_GL", "").lower().strip()
    if asked in OFF:
        raise RenderingUnavailable(f"pictures are switched off by MUJOCO_GL={asked}; unset it.")
    if asked in (*BACKENDS, "glfw"):
        return asked
    if sys.platform != "linux":
        return "native"
    for name in BACKENDS:
        # In another process: a library that fails spoils this one for the next candidate.
        code = f"from mujoco.{name} import GLContext; GLContext(8, 8).make_current()"
        environment = {key: v for key, v in os.environ.items() if key != "PYOPENGL_PLATFORM"}
        probe = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment)
        if probe.returncode == 0:
            return name
    raise RenderingUnavailable(f"no OpenGL library works here; {INSTALL}")


def _context_class() -> Any:
    name = backend()
    if name == "native":
        return mujoco.GLContext
    return importlib.import_module(f"mujoco.{name}").GLContext


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
