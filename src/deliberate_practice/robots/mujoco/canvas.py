"""Draw a model without a screen, with any OpenGL library that works."""

from __future__ import annotations

import copy
import functools
import importlib
import os
import subprocess
import sys
import weakref
from abc import ABC, abstractmethod
from typing import Any, Self

import mujoco
import numpy as np
import numpy.typing as npt

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import DeliberatePracticeError
from deliberate_practice.robots.mujoco.world import STATE

Picture = npt.NDArray[np.uint8]
Depth = npt.NDArray[np.float32]

BACKENDS = ("egl", "osmesa")
OFF = ("disable", "disabled", "off", "false", "0")
INSTALL = (
    "on Debian or Ubuntu run: apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri "
    "(or libosmesa6); everything else works without pictures."
)


_dropped: list[tuple[Any, mujoco.MjrContext]] = []
"""Graphics of canvases that nobody closed."""


class RenderingUnavailable(DeliberatePracticeError):
    """This machine cannot draw pictures or write videos as it is."""


class Closing(ABC):
    """What is closed after use: it may stand in a ``with`` statement."""

    @abstractmethod
    def close(self) -> None:
        """Give back what it took."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Canvas:
    """A canvas for a model; OpenGL binds it to the thread that made it.

    MuJoCo frees graphics memory by its numbers in the context that is current, which may be that of
    another canvas. So a canvas that nobody closed is only remembered when Python drops it, and the
    next one that draws frees its memory in its own context.

    Args:
        model: The scene.
        size: Width and height [pixels].
        shadows: Pixels along each side of the shadow map; 0 draws no shadows.
        clip: Nearest and farthest distance that is drawn [m]; the model's own by default.

    Raises:
        RenderingUnavailable: No OpenGL library works here; the message says what to install.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        size: tuple[int, int],
        shadows: int = 0,
        clip: tuple[float, float] | None = None,
    ) -> None:
        self.size = size
        self.model = copy.copy(model)  # it carries the size of buffers and what is drawn
        visual = self.model.vis
        visual.global_.offwidth, visual.global_.offheight = size
        visual.quality.offsamples = 0
        visual.quality.shadowsize = shadows
        if clip:
            visual.map.znear, visual.map.zfar = (c / model.stat.extent for c in clip)
        self.data = mujoco.MjData(self.model)
        self.scene = mujoco.MjvScene(self.model, maxgeom=2_000)
        self.scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows > 0
        self._option = mujoco.MjvOption()
        _free_dropped()
        self._gl, self.context = _open_graphics(self.model, *size)
        self._drop = weakref.finalize(self, _dropped.append, (self._gl, self.context))
        self._drop.atexit = False

    def place(self, state: FloatArray) -> mujoco.MjData:
        """Data of a state, as ``World`` has it, as far as drawing needs them."""
        mujoco.mj_setState(self.model, self.data, state, STATE)
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_camlight(self.model, self.data)
        return self.data

    def draw(
        self, data: mujoco.MjData, eye: mujoco.MjvCamera, depth: Depth | None = None
    ) -> Picture:
        """Draw data of the model that are up to date, upside down as OpenGL has it.

        Args:
            data: What to draw.
            eye: From where.
            depth: Filled with the depth buffer, if it is given.

        Returns:
            height x width x 3 bytes.
        """
        _free_dropped()
        self._gl.make_current()
        everything = mujoco.mjtCatBit.mjCAT_ALL
        mujoco.mjv_updateScene(self.model, data, self._option, None, eye, everything, self.scene)
        width, height = self.size
        whole = mujoco.MjrRect(0, 0, width, height)
        mujoco.mjr_render(whole, self.scene, self.context)
        image = np.empty((height, width, 3), dtype=np.uint8)
        mujoco.mjr_readPixels(image, depth, whole, self.context)
        return image

    def close(self) -> None:
        """Give the graphics memory back."""
        if self._drop.detach():
            _free(self._gl, self.context)


def _free_dropped() -> None:
    while _dropped:
        _free(*_dropped.pop())


def _free(gl: Any, context: mujoco.MjrContext) -> None:
    gl.make_current()
    context.free()
    gl.free()


@functools.cache
def backend() -> str:
    """Name of the OpenGL library: from MUJOCO_GL, otherwise the first that works.

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


def _open_graphics(model: mujoco.MjModel, width: int, height: int) -> tuple[Any, mujoco.MjrContext]:
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
        name = backend()
        package = mujoco if name == "native" else importlib.import_module(f"mujoco.{name}")
        gl = package.GLContext(width, height)
        gl.make_current()
        context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
    except (RuntimeError, ImportError, AttributeError, OSError, mujoco.FatalError) as error:
        raise RenderingUnavailable(f"OpenGL does not work here ({error}); {INSTALL}") from None
    mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, context)
    return gl, context
