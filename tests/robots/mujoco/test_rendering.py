"""Pictures show the scene; videos can be played; without graphics the message says what to do."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import imageio_ffmpeg
import mujoco
import numpy as np
import pytest
from graphics import needs_gl
from obstacle_course import course, start
from PIL import Image

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.robots.mujoco import canvas
from deliberate_practice.robots.mujoco.canvas import RenderingUnavailable
from deliberate_practice.robots.mujoco.live_view import LiveView
from deliberate_practice.robots.mujoco.rendering import (
    Camera,
    Studio,
    write_picture,
    write_video,
)
from deliberate_practice.robots.mujoco.world import STATE

MODEL = course()
SMALL = Camera(width=160, height=120, oversampling=1, shadows=0)


def _state(turn: float = 0.0) -> FloatArray:
    data = mujoco.MjData(MODEL)
    data.qpos[:] = start(MODEL)
    data.qpos[0] += turn
    state = np.empty(mujoco.mj_stateSize(MODEL, STATE))
    mujoco.mj_getState(MODEL, data, state, STATE)
    return state


def picture(model: mujoco.MjModel, state: FloatArray, camera: Camera) -> canvas.Picture:
    with Studio(model, camera) as studio:
        return studio.picture(state)


@pytest.fixture
def no_backend(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    canvas.backend.cache_clear()
    yield monkeypatch
    canvas.backend.cache_clear()


@needs_gl
def test_a_picture_has_the_size_asked_for_and_shows_motion() -> None:
    here, there = picture(MODEL, _state(), SMALL), picture(MODEL, _state(1.0), SMALL)
    assert here.shape == (120, 160, 3)
    assert here.dtype == np.uint8
    assert len(np.unique(here.reshape(-1, 3), axis=0)) > 20
    assert (here != there).any(axis=2).mean() > 0.02
    assert (picture(MODEL, _state(), SMALL) == here).all()


@needs_gl
def test_up_is_up() -> None:
    level = Camera(lookat=(0.5, 0.0, 0.9), elevation=0, width=160, height=120, oversampling=1)
    drawn = picture(MODEL, _state(), level).max(axis=2) > 0
    assert drawn[60:].mean() > 2 * drawn[:60].mean()  # all but a little is below 0.9 m


@needs_gl
def test_oversampling_smooths_edges_and_changes_little_else() -> None:
    rough = picture(MODEL, _state(), SMALL).astype(int)
    smooth = picture(MODEL, _state(), Camera(width=160, height=120, shadows=0)).astype(int)
    assert smooth.shape == rough.shape
    assert len(np.unique(smooth.reshape(-1, 3), axis=0)) > len(
        np.unique(rough.reshape(-1, 3), axis=0)
    )
    assert np.abs(smooth - rough).mean() < 6


@needs_gl
def test_a_studio_leaves_the_model_alone() -> None:
    before = (MODEL.vis.global_.offwidth, MODEL.vis.quality.shadowsize)
    with Studio(MODEL, Camera(width=1000, height=700)) as studio:
        assert studio.picture(_state()).shape == (700, 1000, 3)
    assert (MODEL.vis.global_.offwidth, MODEL.vis.quality.shadowsize) == before


def test_a_camera_goes_smoothly_to_another_and_cuts_where_that_is_far() -> None:
    here, there = Camera(azimuth=-170.0, distance=1.0), Camera(azimuth=170.0, distance=2.0)
    assert here.towards(there, 0.0) == replace(there, azimuth=-170.0, distance=1.0)
    half = here.towards(there, 0.5)
    assert (half.azimuth, half.distance) == (-180.0, 1.5)  # the shorter way round
    assert here.towards(there, 1.0) == there
    steps = [here.towards(there, step / 20).distance for step in range(21)]
    assert steps == sorted(steps)
    assert steps[1] - steps[0] < 0.05 / 5  # it starts slowly
    assert here.towards(Camera(azimuth=0.0), 0.0) == Camera(azimuth=0.0)


def test_any_pictures_make_a_video_or_a_png(tmp_path: Path) -> None:
    image = np.zeros((64, 96, 3), dtype=np.uint8)
    image[:, :48] = (200, 30, 30)
    file = tmp_path / "red.mp4"
    assert write_video(file, [image] * 7, fps=30) == 7
    assert _probe(file)["frames"] == 7
    write_picture(tmp_path / "red.png", image)
    with Image.open(tmp_path / "red.png") as saved:
        assert (np.asarray(saved) == image).all()


def test_a_video_that_cannot_be_written_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = np.zeros((64, 96, 3), dtype=np.uint8)
    file = tmp_path / "a.mp4"
    with pytest.raises(ArgumentError, match="no frames"):
        write_video(file, [])
    with pytest.raises(ArgumentError, match="96 x 63 pixels; both must be even"):
        write_video(file, [image[:63]])
    with pytest.raises(ArgumentError, match="frame 1 is"):
        write_video(file, [image, image[:32]])
    with pytest.raises(ArgumentError, match="there is no folder"):
        write_video(tmp_path / "none" / "a.mp4", [image])
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(RenderingUnavailable, match=re.escape(install_command("sim"))):
        write_video(file, [image])


def test_without_graphics_libraries_one_message_says_what_to_install(
    no_backend: pytest.MonkeyPatch,
) -> None:
    no_backend.delenv("MUJOCO_GL", raising=False)
    no_backend.setattr(canvas, "BACKENDS", ("no_such_backend",))
    no_backend.setattr(sys, "platform", "linux")
    with pytest.raises(RenderingUnavailable, match="apt-get install libegl1"):
        picture(MODEL, _state(), SMALL)


def test_mujoco_gl_is_respected(no_backend: pytest.MonkeyPatch) -> None:
    no_backend.setenv("MUJOCO_GL", "disable")
    with pytest.raises(RenderingUnavailable, match="MUJOCO_GL=disable"):
        picture(MODEL, _state(), SMALL)
    no_backend.setenv("MUJOCO_GL", "osmesa")
    assert canvas.backend() == "osmesa"


def test_a_live_view_without_display_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(RenderingUnavailable, match="no display"):
        LiveView(MODEL)


def _probe(file: Path) -> dict[str, object]:
    """What ffmpeg finds in a video."""
    ffmpeg = imageio_ffmpeg.get_ffmpeg_exe()
    command = [ffmpeg, "-hide_banner", "-i", str(file), "-f", "null", "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    stream = re.search(r"Video: (\w+).*?(yuv\w+).*?(\d+x\d+)", text)
    frames = re.findall(r"frame=\s*(\d+)", text)
    assert stream is not None
    codec, pixels, size = stream.groups()
    return {"codec": codec, "pixels": pixels, "size": size, "frames": int(frames[-1])}
