"""A window that shows a simulated robot; the mouse moves the view."""

from __future__ import annotations

import os
import sys
import threading
import time
import warnings

import mujoco

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.robots.mujoco.canvas import Closing, RenderingUnavailable
from deliberate_practice.robots.mujoco.rendering import Camera
from deliberate_practice.robots.mujoco.world import STATE

FRAMES_PER_SECOND = 50.0


class LiveView(Closing):
    """MuJoCo's viewer on states of a model; use it in a ``with`` statement.

    Args:
        model: The scene.
        camera: Where to look from at first.

    Raises:
        RenderingUnavailable: There is no display.
    """

    def __init__(self, model: mujoco.MjModel, camera: Camera | None = None) -> None:
        _require_display()
        import mujoco.viewer

        self._model = model
        self._data = mujoco.MjData(model)
        others = set(threading.enumerate())
        self._window = mujoco.viewer.launch_passive(
            model, self._data, show_left_ui=False, show_right_ui=False
        )
        self._threads = set(threading.enumerate()) - others
        with self._window.lock():
            (camera or Camera()).aim(self._window.cam)

    @property
    def open(self) -> bool:
        """Whether the window is still open."""
        return bool(self._window.is_running())

    def show(self, state: FloatArray) -> None:
        """Show one state now."""
        with self._window.lock():
            mujoco.mj_setState(self._model, self._data, state, STATE)
            mujoco.mj_forward(self._model, self._data)
        self._window.sync()

    def play(self, trajectory: FloatArray, speed: float = 1.0) -> None:
        """Show a trajectory, one state per step of the simulation, until it or the window ends.

        Args:
            trajectory: The states.
            speed: 1 is real time, 2 twice as fast.
        """
        timestep = float(self._model.opt.timestep)
        stride = max(1, round(speed / (FRAMES_PER_SECOND * timestep)))
        due = time.monotonic()
        for state in trajectory[::stride]:
            if not self.open:
                return
            self.show(state)
            due += stride * timestep / speed
            time.sleep(max(0.0, due - time.monotonic()))

    def close(self) -> None:
        """Close the window, and wait for it: a program that ends earlier would crash."""
        self._window.close()
        for thread in self._threads:
            thread.join(timeout=5.0)


def _require_display() -> None:
    """The viewer itself waits for ever where it cannot open a window."""
    advice = "run on a desktop, or write a video instead (--video FILE)."
    if sys.platform == "linux" and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        raise RenderingUnavailable(f"there is no display to open a window on; {advice}")
    try:
        import glfw
    except ImportError:
        raise RenderingUnavailable(
            f"the live view needs glfw; run: {install_command('sim')}"
        ) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what glfw would warn of is raised below
        works = glfw.init()
    if not works:
        raise RenderingUnavailable(f"the display cannot be used; {advice}")
